"""Files of report pairs, read row by row: CSV, TSV, JSONL, Parquet and data sets that Hugging Face's library saved.

Messages name the file and the row and never quote a report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final, Protocol

from attrs import asdict, evolve, field, frozen

from overread.application.scoring.corpus import BadRow, Row
from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.seen import SeenIds
from overread.tables.cells import RowError, age_years, identifier, report_text, words
from overread.tables.opening import checked_path, open_binary
from overread.tables.records import Record, count_records, read_records

__all__ = ["BadRow", "Columns", "PairFile", "Seen", "has_ids", "read_pairs", "read_row", "read_text", "with_ids"]

_NAME_COLUMNS: Final = "name your columns with `columns=Columns(...)`"


@frozen(kw_only=True)
class Columns:
    """Names of the columns. Those of the context are used where they are there.

    Attributes:
        id, reference, candidate: must be there.
        age, sex, indication, comparison: may be.

    Raises:
        ConfigurationError: if two of those that must be there are one: a report would be held against itself.
    """

    id: str = "id"
    reference: str = "reference"
    candidate: str = "candidate"
    age: str = "age"
    sex: str = "sex"
    indication: str = "indication"
    comparison: str = "comparison"

    def __attrs_post_init__(self) -> None:
        if len({*self.required}) < len(self.required):
            names = ", ".join(self.required)
            raise ConfigurationError([f"id, reference and candidate must be three columns, not {names}"])

    @property
    def required(self) -> tuple[str, ...]:
        """The columns that must be there."""
        return (self.id, self.reference, self.candidate)

    @property
    def optional(self) -> tuple[str, ...]:
        """The columns that may be there."""
        return (self.age, self.sex, self.indication, self.comparison)


@frozen(kw_only=True)
class PairFile:
    """A file of pairs with how to read it, as of `read_pairs`; a `PairSource`."""

    path: Path
    columns: Columns = field(factory=Columns)
    on_error: str = "fail"
    split: str = ""

    @property
    def name(self) -> str:
        """Its path."""
        return str(self.path)

    @property
    def column_names(self) -> dict[str, str]:
        """Names of the columns by their meaning."""
        return asdict(self.columns)

    @property
    def stamp(self) -> str:
        """Size and time of the file, or of the folder; "" if it is gone."""
        try:
            known = self.path.stat()
        except FileNotFoundError:
            return ""
        return f"{known.st_size} bytes, {known.st_mtime_ns} ns"

    def rows(self) -> Iterator[Row]:
        """The rows, from the first. Raises as `read_pairs`."""
        return read_pairs(self.path, columns=self.columns, on_error=self.on_error, split=self.split)

    def count(self) -> int | None:
        """About how many pairs it holds, for a progress bar; None where finding out is slow or impossible."""
        return count_records(self.path, self.split)


class Seen(Protocol):
    """Row by id, of the rows before."""

    def __contains__(self, name: str, /) -> bool: ...

    def __getitem__(self, name: str, /) -> int: ...

    def __setitem__(self, name: str, row: int, /) -> None: ...


def read_pairs(
    path: Path | str, *, columns: Columns | None = None, on_error: str = "fail", split: str = ""
) -> Iterator[Row]:
    """The pairs of a file in order, in memory that grows only with the ids: by some 30 bytes each, see `SeenIds`.

    The file's head is read at once, so that what is wrong with the whole file shows before anything else is done.
    An empty report is a pair like any other; what to make of it is for the metrics to say. Where there is no column
    ``id``, in JSON lines where the first has none, the number of a row is its id.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson (each also gzipped), .parquet, or a folder written by ``save_to_disk``.
        columns: names of the columns.
        on_error: "fail" raises at the first bad row; "skip" yields a `BadRow` in its place.
        split: of a folder that holds several.

    Raises:
        InputError: if the file cannot be read, lacks a column, has no row, or is damaged so that rows cannot be told
            apart; and at a bad row under "fail".
        ValueError: if ``on_error`` is neither.
    """
    if on_error not in ("fail", "skip"):
        raise ValueError(f"on_error must be fail or skip, not {on_error!r}")
    path = Path(path)
    columns = columns or Columns()
    records = with_ids(_records(path, columns, split), columns.id)
    rows = _rows(path, records, columns, skip=on_error == "skip")
    first = next(rows, None)
    if first is None:
        raise InputError(str(path), "holds no pairs", remedy="it has only a header; add a row for each pair")
    return chain([first], rows)


def read_text(path: Path | str) -> str:
    """The text of a report file, unchanged but for a byte order mark. An empty file is an empty report.

    Raises:
        InputError: if the file is missing, a folder, not UTF-8, or holds NUL bytes.
    """
    path = Path(path)
    checked_path(path)
    with open_binary(path) as stream:
        data = stream.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{data[error.start]:02X} in line {line} is not UTF-8"
        raise InputError(str(path), problem, remedy="save it as UTF-8") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(str(path), f"there is a NUL byte in line {line}", remedy="is it a text file?")
    return text


def has_ids(path: Path | str, *, columns: Columns | None = None, split: str = "") -> bool:
    """Return whether the pairs of a file have ids; else `read_pairs` uses the numbers of their rows.

    Raises:
        InputError: as `read_pairs`.
    """
    columns = columns or Columns()
    head = next(_records(Path(path), columns, split), None)
    return head is None or not _lacks_id(head, columns.id)


def with_ids(records: Iterator[Record], column: str = "id") -> Iterator[Record]:
    """Rows that have an id each: that of the column, or the row's number where the first row has none."""
    head = next(records, None)
    if head is None:
        return records
    every = chain([head], records)
    return _number_rows(every, column) if _lacks_id(head, column) else every


def _records(path: Path, columns: Columns, split: str) -> Iterator[Record]:
    """The rows; only the usual column of ids may be missing, not one that was named."""
    required, optional = columns.required, columns.optional
    if columns.id == Columns().id:
        required, optional = required[1:], (columns.id, *optional)
    return read_records(path, required, optional, remedy=_NAME_COLUMNS, split=split)


def _lacks_id(head: Record, column: str) -> bool:
    return not head.problem and column not in head.fields


def _number_rows(records: Iterator[Record], column: str) -> Iterator[Record]:
    """Rows with their number as their id; it is a fault if one has another, though the first has none."""
    for record in records:
        problem = record.problem or (
            f"has a column {column}, which the first row does not have" * (column in record.fields)
        )
        yield evolve(record, fields={**record.fields, column: str(record.row)}, problem=problem)


def _rows(path: Path, records: Iterator[Record], columns: Columns, *, skip: bool) -> Iterator[Row]:
    seen = SeenIds()
    for record in records:
        row = read_row(record, columns, seen)
        if isinstance(row, BadRow) and not skip:
            raise InputError(str(path), row.problem, row=row.row, remedy="`on_error=skip` goes on without it")
        yield row


def read_row(record: Record, columns: Columns, seen: Seen) -> Row:
    """The pair of a row, or what is wrong with it.

    Args:
        record: the row.
        columns: names of the columns.
        seen: row by id, of the rows before; this one's is added.
    """
    try:
        name = identifier(record.fields.get(columns.id), columns.id)
    except RowError as error:
        return BadRow(record.row, f"row-{record.row}", record.problem or str(error))
    if name in seen:
        return BadRow(record.row, name, record.problem or f"its {columns.id} is also that of row {seen[name]}")
    seen[name] = record.row
    if record.problem:
        return BadRow(record.row, name, record.problem)
    try:
        return _pair(name, record.fields, columns)
    except RowError as error:
        return BadRow(record.row, name, str(error))


def _pair(name: str, fields: Mapping[str, Any], columns: Columns) -> ReportPair:
    return ReportPair(
        id=name,
        reference=report_text(fields.get(columns.reference), columns.reference),
        candidate=report_text(fields.get(columns.candidate), columns.candidate),
        context=ClinicalContext(
            age=age_years(fields.get(columns.age), columns.age),
            sex=words(fields.get(columns.sex), columns.sex),
            indication=words(fields.get(columns.indication), columns.indication),
            comparison=words(fields.get(columns.comparison), columns.comparison),
        ),
    )
