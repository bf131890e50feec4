"""Records as rows of CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

__all__ = ["as_csv", "csv_cells", "finite", "flat_record", "is_flat", "whole_record"]

_ENDS: Final = ("low", "high")
_SUBSCORE: Final = "subscores."
_JSON: Final = {"score", "higher_is_better", "truncated", "discrepancies", "notes", "answers", "schema_version"}
"""Columns whose cells are JSON; those of others are text."""


def finite(value: Any) -> Any:
    """A value as JSON can hold it, with null in place of numbers that are not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    return value


def as_csv(rows: Iterable[Mapping[str, Any]], names: Iterable[str] = ()) -> str:
    """Records as CSV: a column a key, lists and objects as JSON, nothing for null, numbers with all their digits.

    Args:
        rows: the records.
        names: of columns that come first, and are there without a row, too.
    """
    listed = list(rows)
    stream = io.StringIO()
    names = list(dict.fromkeys((*names, *(key for row in listed for key in row))))
    writer = csv.DictWriter(stream, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(csv_cells, listed))
    return stream.getvalue()


def csv_cells(record: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of a record: lists and objects as JSON, nothing for null, numbers with all their digits."""
    return {key: _cell(value) for key, value in record.items()}


def flat_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """A result's record as a row of CSV: ``range`` as ``low`` and ``high``, each subscore as a column of its own."""
    row: dict[str, Any] = {}
    for name, value in record.items():
        if name == "range":
            row |= dict(zip(_ENDS, value, strict=True))
        elif name == "subscores":
            row |= {f"{_SUBSCORE}{key}": number for key, number in value.items()}
        else:
            row[name] = value
    return row


def is_flat(name: str) -> bool:
    """Return whether only the row of a result has the column, not its record."""
    return name in _ENDS or name.startswith(_SUBSCORE)


def whole_record(row: Mapping[str, Any]) -> dict[str, Any]:
    """The record that `flat_record` and `csv_cells` made a row of.

    Raises:
        ValueError: if a cell is none that they make.
    """
    cells = {name: None if cell == "" else cell for name, cell in row.items()}
    record: dict[str, Any] = {name: _read(name, cell) for name, cell in cells.items() if not is_flat(name)}
    if record.get("status") == "unscored" and record.get("detail") is None:
        record["detail"] = ""
    record["range"] = [None if (end := cells.get(name)) is None else float(end) for name in _ENDS]
    given = {name: cell for name, cell in cells.items() if name.startswith(_SUBSCORE) and cell is not None}
    record["subscores"] = {name.removeprefix(_SUBSCORE): float(cell) for name, cell in given.items()}
    return record


def _read(name: str, cell: Any) -> Any:
    if cell is None or name not in _JSON:
        return cell
    return json.loads(cell)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(finite(value), ensure_ascii=False, allow_nan=False, default=str)
    return value
