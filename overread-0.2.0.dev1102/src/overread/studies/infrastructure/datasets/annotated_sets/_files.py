"""Tables of a human-annotated set: files are found by their columns, cells are read by name.

No message quotes a cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets._archives import (
    TABLES,
    WORKBOOKS,
    is_archive,
    suffix_of,
    unpack_tables,
)
from overread.studies.infrastructure.datasets.training_pairs.annotated import error_count
from overread.tables.cells import RowError, identifier, is_blank, report_text, type_words
from overread.tables.columns import MEND, Record, are_shown
from overread.tables.documents import parse_document
from overread.tables.opening import checked_path
from overread.tables.records import read_columns, read_records

__all__ = [
    "Row",
    "TableFile",
    "find_tables",
    "no_table",
    "one_table",
    "open_table",
    "plain",
    "read_rows",
    "shown_names",
    "unpack_tables",
]

_SAVE_AS_CSV: Final = "save each sheet of a workbook as CSV (UTF-8)"
_LETTER: Final = re.compile(r"[^\W\d]")
_WORD: Final = re.compile(r"[^\W_]+")
_TRUE: Final = frozenset({"true", "t", "1", "1.0", "yes", "y"})
_FALSE: Final = frozenset({"false", "f", "0", "0.0", "no", "n"})


def plain(name: str) -> str:
    """A column's name without case, spaces and punctuation.

    >>> plain(" M2Tr-Generation")
    'm2tr_generation'
    """
    return "_".join(_WORD.findall(name.lower()))


@frozen
class TableFile:
    """A table, unread but for its head.

    Attributes:
        path: the file.
        names: of the columns, as they stand in it.
        fault: why the file cannot be read, "" if it can; it then has no columns.
        remedy: against the fault.
    """

    path: Path
    names: tuple[str, ...]
    fault: str = ""
    remedy: str = ""

    def column(self, *aliases: str) -> str | None:
        """The column with one of these names, however it is written; the first alias wins.

        Raises:
            InputError: if two columns answer to one alias.
        """
        for alias in aliases:
            if alias in self.names:
                return alias
            matches = [name for name in self.names if plain(name) == plain(alias)]
            if len(matches) > 1:
                raise InputError(str(self.path), f"more than one column is named {alias}", remedy="rename one of them")
            if matches:
                return matches[0]
        return None

    def columns(self, wanted: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """The column of each name that is there, by the name it is wanted under."""
        by_name = {name: self.column(name, *aliases) for name, aliases in wanted.items()}
        return {name: column for name, column in by_name.items() if column is not None}

    def has(self, wanted: Mapping[str, Sequence[str]]) -> bool:
        """Returns whether every wanted column is there."""
        return len(self.columns(wanted)) == len(wanted)


@frozen
class Row:
    """A row whose cells are read by name; every fault names the file and the row.

    Attributes:
        source: the file.
        number: 1-based; the header is not counted. In JSONL it is the line.
        cells: by the name that the reader gave the column.
        columns: the file's own name of a column, where it has another.
    """

    source: str
    number: int
    cells: Mapping[str, Any] = field(repr=False)
    columns: Mapping[str, str] = field(factory=dict, repr=False)

    def told(self, column: str) -> str:
        """A column as messages name it: as the file does, marked as one where its name is a number."""
        name = self.columns.get(column, column)
        return name if _LETTER.match(name) else f'column "{name}"'

    def fault(self, problem: str, remedy: str = "") -> InputError:
        """An error of this row, to be raised."""
        return InputError(self.source, problem, row=self.number, remedy=remedy)

    def name(self, column: str) -> str:
        """An id or another short name; a number is written out."""
        try:
            return identifier(self.cells.get(column), self.told(column)).strip()
        except RowError as error:
            raise self.fault(str(error)) from None

    def text(self, column: str) -> str:
        """A report, unchanged."""
        try:
            return report_text(self.cells.get(column), self.told(column))
        except RowError as error:
            raise self.fault(str(error), "" if error.remedy else MEND) from None

    def count(self, column: str) -> float:
        """A number of errors, maybe a fraction. An empty cell is a fault: nothing stands for none but a 0."""
        try:
            return error_count(self.cells.get(column), self.told(column))
        except RowError as error:
            raise self.fault(str(error), "write 0 where there is no error") from None

    def flag(self, column: str) -> bool:
        """True or false, 1 or 0, yes or no."""
        word = str(self.cells.get(column)).strip().lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        raise self.fault(f"{self.told(column)} is neither true nor false", "write TRUE or FALSE")

    def is_empty(self, column: str) -> bool:
        """Returns whether the cell is missing, null, NaN or blank."""
        return is_blank(self.cells.get(column))


def find_tables(path: Path) -> list[TableFile]:
    """A file, or every table under a folder, in order of name; one that cannot be read carries its fault.

    Raises:
        InputError: if ``path`` is a file that is no table.
    """
    if not path.is_dir():
        return [open_table(path)]
    files = [file for file in sorted(path.rglob("*")) if file.is_file() and suffix_of(file) in TABLES]
    return [_opened_or_fault(file) for file in files if not _is_hidden(file, path)]


def open_table(path: Path) -> TableFile:
    """A table with its columns: .csv, .tsv, .jsonl, .ndjson, .json (each also gzipped) or .parquet.

    Raises:
        InputError: if it is missing or no table.
    """
    checked_path(path)
    if suffix_of(path) in WORKBOOKS:
        raise InputError(str(path), "is a workbook, which is not read", remedy=_SAVE_AS_CSV)
    return TableFile(path, tuple(_header(path)))


def one_table(
    tables: Sequence[TableFile], wanted: Mapping[str, Sequence[str]], what: str, path: Path, published: str = ""
) -> TableFile:
    """The one table that has all columns wanted.

    Args:
        tables: to choose from.
        wanted: other names of each column, by its name.
        what: the table sought, in words.
        path: where they were found.
        published: name of the file in the release, where it has one.

    Raises:
        InputError: if none or more than one has them.
    """
    fitting = [table for table in tables if table.has(wanted)]
    if not fitting:
        raise no_table(tables, wanted, what, path, published)
    if len(fitting) > 1:
        names = ", ".join(table.path.name for table in fitting)
        raise InputError(str(path), f"more than one file may be {what}: {names}", remedy="leave one of them there")
    return fitting[0]


def no_table(
    tables: Sequence[TableFile], wanted: Mapping[str, Sequence[str]], what: str, path: Path, published: str = ""
) -> InputError:
    """The error that no table has the columns wanted: what the nearest lacks, or which are there, and what to do."""
    lacking = {table.path: [name for name in wanted if name not in table.columns(wanted)] for table in tables}
    near = [table for table in tables if 0 < 2 * len(lacking[table.path]) < len(wanted)]
    problem = f"{what} is missing: "
    if near:
        table = min(near, key=lambda table: len(lacking[table.path]))
        also = {name: f" (or {', '.join(wanted[name])})" if wanted[name] else "" for name in wanted}
        missing = " and ".join(f"{name}{also[name]}" for name in lacking[table.path])
        problem += f"{table.path.name} has no column {missing}; it has {shown_names(table.names)}"
        return InputError(str(path), problem, remedy="rename the column meant, or copy the file again")
    there = [
        f"{table.path.name}{f': {table.fault}' if table.fault else f' has {shown_names(table.names)}'}"
        for table in tables
    ]
    files = sorted(path.rglob("*")) if path.is_dir() else []
    books = [file.name for file in files if suffix_of(file) in WORKBOOKS]
    packed = [file.name for file in files if is_archive(file)]
    there += [*(f"{name} is a workbook" for name in books), *(f"{name} is an archive" for name in packed)]
    problem += f"no table has the columns {', '.join(wanted)}; {'; '.join(there) or 'there are no tables'}"
    faults = [f"{table.path.name}: {table.remedy}" for table in tables if table.remedy]
    remedies = [
        *faults,
        *([_SAVE_AS_CSV] if books else []),
        *(["name the archive itself, or unpack it"] * bool(packed)),
    ]
    add = f"add {published}, as the release names it" if published else ""
    return InputError(str(path), problem, remedy="; ".join(remedies) or add)


def shown_names(names: Sequence[str]) -> str:
    """Columns in words, unless they look like a row of reports."""
    named = [name for name in names if name]
    if not are_shown(named):
        return "a first row that does not look like column names"
    return ", ".join(named) or "no columns"


def read_rows(table: TableFile, columns: Mapping[str, str], optional: Mapping[str, str] | None = None) -> Iterator[Row]:
    """The rows of a table in order.

    Args:
        table: the file.
        columns: column of the file by the name it is read under; each must be there.
        optional: further columns, which a JSON object may lack.

    Raises:
        InputError: at the first row that cannot be read.
    """
    names = {**columns, **(optional or {})}
    source = str(table.path)
    for record in _records(table.path, tuple(columns.values()), tuple((optional or {}).values())):
        if record.problem:
            raise record.error(table.path)
        yield Row(source, record.row, {name: record.fields.get(column) for name, column in names.items()}, names)


def _records(path: Path, required: Sequence[str], optional: Sequence[str]) -> Iterator[Record]:
    if suffix_of(path) != ".json":
        yield from read_records(path, required, optional)
        return
    for number, entry in enumerate(_json_objects(path), start=1):
        missing = [name for name in required if name not in entry]
        problem = f"no key {' or '.join(missing)}" if missing else ""
        yield Record(number, entry, problem, MEND if missing else "")


def _opened_or_fault(path: Path) -> TableFile:
    try:
        return open_table(path)
    except InputError as error:
        return TableFile(path, (), error.problem, error.remedy)


def _header(path: Path) -> list[str]:
    if suffix_of(path) == ".json":
        return list(dict.fromkeys(key for entry in _json_objects(path) for key in entry))
    return read_columns(path)


def _json_objects(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON file."""
    entries = _entries(parse_document(path))
    if entries is None:
        raise InputError(str(path), "is not a list of objects", remedy="write [{...}, {...}]")
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise InputError(str(path), f"is {type_words(entry)}, not an object", row=number)
    return entries


def _entries(value: object) -> list[Any] | None:
    """The rows of a list, of an object that holds one, of objects by name (their "key"), or of columns as of pandas."""
    if isinstance(value, list) or not isinstance(value, dict) or not value:
        return value if isinstance(value, list) else None
    inner = list(value.values())
    if len(inner) == 1 and isinstance(inner[0], list) and all(isinstance(entry, dict) for entry in inner[0]):
        return inner[0]
    if all(isinstance(entry, dict) for entry in inner):
        if not _are_columns(inner):
            return [{"key": key, **entry} for key, entry in value.items()]
        inner = [list(column.values()) for column in inner]
    if all(isinstance(column, list) and len(column) == len(inner[0]) for column in inner):
        return [dict(zip(value, cells, strict=True)) for cells in zip(*inner, strict=True)]
    return None


def _are_columns(inner: Sequence[Mapping[str, Any]]) -> bool:
    first = list(inner[0])
    return bool(first) and all(key.isdigit() for key in first) and all(list(column) == first for column in inner)


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in path.relative_to(folder).parts)
