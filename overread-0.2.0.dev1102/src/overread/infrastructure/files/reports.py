"""Files of reports, or of pairs, of which the reports are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from overread.domain.reports.report import Report
from overread.exceptions import InputError
from overread.tables.cells import RowError, identifier, is_blank, report_text
from overread.tables.records import Record, read_columns, read_records

__all__ = ["read_distinct_reports", "read_reports"]

_TEXTS: Final = ("report", "reference")
_REPORTS: Final = (*_TEXTS, "candidate")
_NAME_REPORTS: Final = "name the columns with reports with `columns=NAME`"


def read_distinct_reports(path: Path | str, columns: Sequence[str] = ()) -> list[Report]:
    """The reports of a file that are not blank, each once, in order.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson (each also gzipped), .parquet, or a folder written by ``save_to_disk``.
        columns: with reports; those of report, reference and candidate that are there, where omitted.

    Raises:
        InputError: if the file cannot be read, lacks a column, holds no row, or a row cannot be used.
    """
    reports = map(Report, dict.fromkeys(_reports(Path(path), columns)))
    return [report for report in reports if not report.is_blank]


def read_reports(path: Path) -> list[tuple[str, str]]:
    """Id and text of every report; of a file of pairs every study's reference, once. A blank one is a report too.

    Raises:
        InputError: naming the first row that cannot be used, or if there is no report.
    """
    texts: dict[str, str] = {}
    for record in read_records(path, ("id",), ("study", *_TEXTS)):
        if record.problem:
            raise record.error(path)
        try:
            named_by, name, text = _report(record)
        except RowError as error:
            raise InputError(str(path), str(error), row=record.row) from None
        if texts.setdefault(name, text) != text:
            raise InputError(str(path), f"an earlier row has a different report with its {named_by}", row=record.row)
    if not texts:
        raise InputError(str(path), "holds no reports")
    return list(texts.items())


def _reports(path: Path, columns: Sequence[str]) -> Iterator[str]:
    is_empty = True
    for record in read_records(path, columns, () if columns else _REPORTS, remedy=_NAME_REPORTS):
        is_empty = False
        if record.problem:
            raise record.error(path)
        if not record.fields:
            raise InputError(str(path), f"no column {' or '.join(_REPORTS)}", row=record.row, remedy=_NAME_REPORTS)
        try:
            texts = [report_text(value, name) for name, value in record.fields.items()]
        except RowError as error:
            raise InputError(str(path), str(error), row=record.row) from None
        yield from texts
    if is_empty:
        wrong = not columns and path.is_file() and not set(_REPORTS) & set(read_columns(path))
        problem = f"no column {' or '.join(_REPORTS)}" if wrong else "holds no reports"
        raise InputError(str(path), problem, remedy=_NAME_REPORTS if wrong else "")


def _report(record: Record) -> tuple[str, str, str]:
    """The column that names a row (study where it has one, else id), its name and its text. Raises `RowError`."""
    column = next((name for name in _TEXTS if name in record.fields), None)
    if column is None:
        raise RowError(f"no column {' or '.join(_TEXTS)}")
    named_by = "id" if is_blank(record.fields.get("study")) else "study"
    name = identifier(record.fields.get(named_by), named_by)
    return named_by, name, report_text(record.fields[column], column)
