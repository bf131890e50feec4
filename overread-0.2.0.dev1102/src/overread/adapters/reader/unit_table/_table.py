"""The file format of unit tables: Parquet or JSON lines, one row a report.

A row has the SHA-256 of the report's text, its units, and reason and detail if it could not be read. The report itself
is not kept, but the units hold words of it. The file says which format it has and which extractor read the units: in
Parquet in the schema's metadata, in JSON lines in the first line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Protocol, Self, cast

from attrs import frozen

from overread.adapters.reader.unit_table._rows import digest_of, extraction_of, is_row, row_of
from overread.application.ports import Extraction
from overread.domain.reports.report import Report
from overread.domain.vocabulary.json_text import parse_json
from overread.exceptions import InputError
from overread.tables.json_lines import read_values
from overread.tables.opening import open_binary
from overread.tables.replacing import replacing

__all__ = ["FORMAT", "UnitTable", "UnitTableWriter", "is_published", "read_table"]

FORMAT: Final = 1
"""Version of the format; a later one is refused."""

_KEY: Final = "overread_units"
_SUFFIXES: Final = (".parquet", ".jsonl", ".ndjson")
_OTHERS: Final = (".csv", ".tsv", ".json")
"""Suffixes of published tables alone."""

_GROUP: Final = 1024
"""Rows that are written to Parquet together."""

_WRITE_AGAIN: Final = "write it again with `overread units`"


@frozen(eq=False)
class UnitTable:
    """The units of many reports.

    Attributes:
        digest: of the file, 12 digits of its SHA-256.
        extractor: identity of what read the units.
    """

    source: str
    digest: str
    extractor: str
    _rows: Mapping[str, Mapping[str, Any]]

    def __len__(self) -> int:
        return len(self._rows)

    def find(self, report: Report) -> Extraction | None:
        """The table's extraction of a report, found by its text; None if there is none.

        Raises:
            InputError: if the row is damaged, or its units are not those of this report.
        """
        row = self._rows.get(digest_of(report))
        if row is None:
            return None
        try:
            return extraction_of(row, report)
        except ValueError:
            problem = "is damaged: the row of a report cannot be its own"
            raise InputError(self.source, problem, remedy="write it again") from None


class UnitTableWriter:
    """Writes a unit table, to be used in a ``with`` statement.

    Rows go to ``PATH.partial``, which takes the file's name at a clean end and is removed after an error.

    Args:
        path: a .parquet, .jsonl or .ndjson file.
        extractor: identity of what reads the units.

    Raises:
        InputError: if the suffix is another one, or the file cannot be written.
    """

    def __init__(self, path: Path | str, extractor: str) -> None:
        self._path = Path(path)
        _check_suffix(self._path)
        if self._path.is_dir() or not self._path.parent.is_dir():
            raise InputError(str(path), "is a folder, or its folder does not exist")
        self._header = json.dumps({_KEY: FORMAT, "extractor": extractor})
        self._sink: _Sink | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        try:
            with ExitStack() as stack:
                self._sink = stack.enter_context(closing(self._open_sink(stack.enter_context(replacing(self._path)))))
                self._open = stack.pop_all()
        except OSError as error:
            raise self._failure(error) from None
        return self

    def _open_sink(self, partial: Path) -> _Sink:
        if self._path.suffix.lower() == ".parquet":
            from overread.adapters.reader.unit_table._parquet import SCHEMA  # noqa: PLC0415 - pyarrow is slow to import
            from overread.tables.parquet import RowWriter  # noqa: PLC0415 - as above

            return RowWriter(partial, SCHEMA.with_metadata({_KEY: self._header}), group=_GROUP)
        return _LineSink(partial, self._header)

    def add(self, report: Report, extraction: Extraction) -> None:
        """Write what was read of a report; a report is to be added once."""
        if self._sink is None:
            raise ValueError("the writer is not open")
        try:
            self._sink.write([row_of(report, extraction)])
        except OSError as error:
            raise self._failure(error) from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sink = None
        try:
            self._open.__exit__(kind, error, trace)
        except OSError as fault:
            if kind is None:
                raise self._failure(fault) from None

    def _failure(self, error: OSError) -> InputError:
        return InputError(str(self._path), f"cannot be written: {error.strerror or type(error).__name__}")


def is_published(path: Path | str) -> bool:
    """Return whether others made a table file: it has a suffix that `UnitTableWriter` does not write, or is unsigned.

    A file that cannot be read, or isn't a table at all, doesn't count.
    """
    path = Path(path).expanduser()
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        return suffix in _OTHERS
    try:
        with path.open("rb") as stream:
            if suffix == ".parquet":
                from overread.tables import parquet  # noqa: PLC0415 - pyarrow is slow to import

                with parquet.readable(path, stream) as file:
                    return parquet.metadata_text(file, _KEY) is None
            first = parse_json(stream.readline())
    except (OSError, ValueError, RecursionError, InputError):
        return False
    return isinstance(first, dict) and _KEY not in first and not is_row(first)


def read_table(path: Path | str) -> UnitTable:
    """The unit table in a file, all of it in memory.

    Raises:
        InputError: if the file is missing, damaged, of a later format, or no unit table.
    """
    path = Path(path).expanduser()
    _check_suffix(path)
    with open_binary(path) as stream:
        digest = hashlib.file_digest(cast("BufferedReader", stream), "sha256").hexdigest()[:12]
        stream.seek(0)
        header, rows = _parquet(path, stream) if path.suffix.lower() == ".parquet" else _lines(path, stream)
    extractor = _extractor(header, str(path))
    by_report: dict[str, Mapping[str, Any]] = {}
    for number, row in enumerate(rows, start=1):
        if not is_row(row):
            raise InputError(str(path), "is damaged: not the row of a report", row=number)
        if row["report"] in by_report:
            raise InputError(str(path), "holds the same report twice", row=number)
        by_report[row["report"]] = row
    return UnitTable(str(path), digest, extractor, by_report)


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in _SUFFIXES:
        remedy = f"use {' or '.join(_SUFFIXES)}"
        raise InputError(str(path), "its suffix is not that of a table of units", remedy=remedy)


def _extractor(header: Any, source: str) -> str:
    if not isinstance(header, dict) or _KEY not in header or not isinstance(header.get("extractor"), str):
        raise InputError(source, "is not a table of units", remedy="write one with `overread units`")
    if header[_KEY] != FORMAT:
        raise InputError(source, "has a format that this version of overread cannot read", remedy="update overread")
    extractor: str = header["extractor"]
    return extractor


def _lines(path: Path, stream: IO[bytes]) -> tuple[Any, list[Any]]:
    """Header and rows of JSON lines. A file that is cut off anywhere but between rows is refused."""
    values: list[Any] = []
    for line in read_values(path, stream):
        if line.problem and not values:
            return None, []
        if line.problem:
            raise InputError(str(path), f"is damaged: {line.problem}", row=line.number - 1, remedy=_WRITE_AGAIN)
        values.append(line.value)
    return (values[0], values[1:]) if values else (None, [])


def _parquet(path: Path, stream: IO[bytes]) -> tuple[Any, list[Any]]:
    from overread.adapters.reader.unit_table._parquet import SCHEMA  # noqa: PLC0415 - pyarrow is slow to import
    from overread.tables import parquet  # noqa: PLC0415 - as above

    with parquet.readable(path, stream) as file:
        header = parquet.metadata_text(file, _KEY)
        if not header:
            return None, []
        if not file.schema_arrow.equals(SCHEMA, check_metadata=False):
            raise InputError(str(path), "is damaged: its columns are not those of a table of units")
        rows = []
        for row, (cells, problem) in enumerate(parquet.rows(file, SCHEMA.names), start=1):
            if problem:
                raise InputError(str(path), f"is damaged: {problem}", row=row, remedy=_WRITE_AGAIN)
            rows.append(cells)
    try:
        return json.loads(header), rows
    except ValueError:
        return None, rows


class _Sink(Protocol):
    def write(self, rows: Sequence[Mapping[str, Any]]) -> None: ...

    def close(self) -> None: ...


class _LineSink:
    """JSON lines in a file, in ASCII so that any text can be written."""

    def __init__(self, path: Path, header: str) -> None:
        self._stream: IO[str] = path.open("w", encoding="ascii", newline="\n")
        self._stream.write(f"{header}\n")

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._stream.writelines(json.dumps(row, allow_nan=False) + "\n" for row in rows)

    def close(self) -> None:
        self._stream.close()
