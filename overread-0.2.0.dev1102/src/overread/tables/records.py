"""Records of a table file, one at a time: CSV, TSV, JSONL (each also gzipped), Parquet and saved data sets.

A fault of one row is carried in its record, so that the caller decides what it does; a fault of the whole file, or one
after which rows cannot be told apart, is raised. No message quotes the file's text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from overread.exceptions import InputError
from overread.tables import delimited, json_lines
from overread.tables.columns import MEND, Record, WantedColumns
from overread.tables.opening import checked_path, is_gzipped, open_binary

__all__ = ["Record", "count_records", "read_columns", "read_records", "table_format"]

_FORMATS: Final = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
_SUFFIXES: Final = ".csv, .tsv, .jsonl, .ndjson (each also with .gz) or .parquet"
_AS_CSV: Final = "save each sheet as CSV (UTF-8)"
_AS_PARQUET: Final = "save it as Parquet"
_OTHER_FORMATS: Final = {
    ".json": "write each object on a line of its own and give the file a name that ends in .jsonl",
    ".xlsx": _AS_CSV,
    ".xls": _AS_CSV,
    ".ods": _AS_CSV,
    ".feather": _AS_PARQUET,
    ".arrow": _AS_PARQUET,
    ".zip": "unpack it first",
}
_COUNTED_SIZE: Final = 1 << 28


def read_records(
    path: Path,
    required: Sequence[str],
    optional: Sequence[str] | None = (),
    *,
    remedy: str = "",
    split: str = "",
    shows_names: bool = True,
) -> Iterator[Record]:
    """The rows of a file in order, in constant memory.

    Args:
        path: its suffix tells the format; a folder is a data set that Hugging Face's library saved.
        required: columns that must be there.
        optional: further columns to read where there are such; None for all others.
        remedy: what to do where a required column is missing.
        split: of a folder that holds several.
        shows_names: True if an error for a missing column may name those that are there.

    Raises:
        InputError: if the file is missing, empty, of an unknown format, not UTF-8 at its head, damaged, or lacks a
            required column, or the folder is none of a data set.
    """
    others = None if optional is None else tuple(dict.fromkeys(optional))
    wanted = WantedColumns(tuple(dict.fromkeys(required)), others, remedy, shows_names)
    if _is_folder(path):
        return _read_dataset(path, split, wanted)
    if split:
        raise InputError(str(path), "is a file, which has no splits", remedy="leave `split` out")
    checked_path(path)
    if not path.is_file():
        problem = "is a pipe or a device, which cannot be read twice"
        raise InputError(str(path), problem, remedy="save its output to a file first")
    return _READERS[table_format(path)](path, wanted)


def table_format(path: Path) -> str:
    """Format by suffix: csv, tsv, jsonl or parquet."""
    suffix = Path(path.stem).suffix if is_gzipped(path) else path.suffix
    name = _FORMATS.get(suffix.lower())
    if name is None or (name == "parquet" and is_gzipped(path)):
        remedy = _OTHER_FORMATS.get(suffix.lower(), f"use {_SUFFIXES}")
        raise InputError(str(path), "its suffix is not that of a format that can be read", remedy=remedy)
    return name


def count_records(path: Path, split: str = "") -> int | None:
    """About how many records a file holds, for a progress bar; None where finding out is slow or impossible."""
    try:
        if path.is_dir():
            return _count_dataset(path, split)
        if not path.is_file() or is_gzipped(path) or path.stat().st_size > _COUNTED_SIZE:
            return None
        return _COUNTERS[table_format(path)](path)
    except (OSError, InputError):
        return None


def read_columns(path: Path) -> list[str]:
    """The columns of a file; of JSON lines the keys of all objects, in the order of their first appearance.

    Raises:
        InputError: if the file is of an unknown format, or its columns cannot be read.
    """
    return _COLUMNS[table_format(path)](path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _read_parquet(path: Path, columns: WantedColumns) -> Iterator[Record]:
    from overread.tables import parquet  # noqa: PLC0415 - pyarrow is slow to import

    with open_binary(path) as stream, parquet.readable(path, stream) as file:
        chosen = columns.choose(path, parquet.columns(file))
        for row, (cells, problem) in enumerate(parquet.rows(file, list(chosen)), start=1):
            yield _record(row, chosen, cells, problem)


def _parquet_columns(path: Path) -> list[str]:
    from overread.tables import parquet  # noqa: PLC0415 - pyarrow is slow to import

    with open_binary(path) as stream, parquet.readable(path, stream) as file:
        return parquet.columns(file)


def _count_parquet(path: Path) -> int:
    from overread.tables import parquet  # noqa: PLC0415 - pyarrow is slow to import

    with open_binary(path) as stream, parquet.readable(path, stream) as file:
        return parquet.count(file)


def _read_dataset(path: Path, split: str, columns: WantedColumns) -> Iterator[Record]:
    from overread.tables import saved_datasets  # noqa: PLC0415 - pyarrow is slow to import

    row = 0
    for file in saved_datasets.files(path, split):
        chosen = columns.choose(path, saved_datasets.columns(file))
        for cells, problem in saved_datasets.rows(file, list(chosen)):
            row += 1
            yield _record(row, chosen, cells, problem)


def _record(row: int, chosen: Mapping[str, str], cells: Mapping[str, Any], problem: str) -> Record:
    """A row under the names that were asked for; ``chosen`` has them by those of the file."""
    return Record(row, {chosen[name]: cell for name, cell in cells.items()}, problem, MEND if problem else "")


def _count_dataset(path: Path, split: str) -> int:
    from overread.tables import saved_datasets  # noqa: PLC0415 - pyarrow is slow to import

    return sum(saved_datasets.count(file) for file in saved_datasets.files(path, split))


_Reader = Callable[[Path, WantedColumns], Iterator[Record]]

_READERS: Final[Mapping[str, _Reader]] = {
    "csv": delimited.read_rows,
    "tsv": partial(delimited.read_rows, delimiter="\t"),
    "jsonl": json_lines.read_rows,
    "parquet": _read_parquet,
}
_COUNTERS: Final[Mapping[str, Callable[[Path], int]]] = {
    "csv": delimited.count_rows,
    "tsv": delimited.count_rows,
    "jsonl": json_lines.count_lines,
    "parquet": _count_parquet,
}
_COLUMNS: Final[Mapping[str, Callable[[Path], list[str]]]] = {
    "csv": delimited.read_header,
    "tsv": partial(delimited.read_header, delimiter="\t"),
    "jsonl": json_lines.read_keys,
    "parquet": _parquet_columns,
}
