"""Records as rows of CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["as_csv", "csv_cells", "finite", "flat_record"]


def finite(value: Any) -> Any:
    """What JSON can hold, with null in the place of numbers that are not finite."""
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
            row["low"], row["high"] = value
        elif name == "subscores":
            row |= {f"subscores.{key}": number for key, number in value.items()}
        else:
            row[name] = value
    return row


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(finite(value), ensure_ascii=False, allow_nan=False, default=str)
    return value
