"""Files of reports: id and text of each, or of each study's reference in a file of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from overread.exceptions import InputError
from overread.infrastructure.files.cells import RowError, identifier, report_text
from overread.infrastructure.files.records import Record, read_records

__all__ = ["read_reports"]

_TEXTS: Final = ("report", "reference")


def read_reports(path: Path) -> list[tuple[str, str]]:
    """Id and text of every report; of a file of pairs every study's reference, once.

    Raises:
        InputError: naming the first row that cannot be used, or if there is no report.
    """
    found: dict[str, str] = {}
    for record in read_records(path, ("id",), ("study", *_TEXTS)):
        try:
            name, text = _report(record)
        except RowError as error:
            raise InputError(str(path), record.problem or str(error), row=record.row) from None
        if found.setdefault(name, text) != text:
            raise InputError(str(path), f"{name!r} has another report in an earlier row", row=record.row)
    if not found:
        raise InputError(str(path), "holds no reports")
    return list(found.items())


def _report(record: Record) -> tuple[str, str]:
    """Id, or study where there is one, and text of a row. Raises `RowError`."""
    column = next((name for name in _TEXTS if name in record.fields), None)
    if column is None or record.problem:
        raise RowError(record.problem or f"no column {' or '.join(_TEXTS)}")
    name = identifier(record.fields.get("study") or record.fields.get("id"))
    return name, report_text(record.fields[column], column)
