"""The columns of unit tables in Parquet. Imported only where such a file is at hand: pyarrow is slow to import."""

from __future__ import annotations

from typing import Final

from overread.extras import require

require("a Parquet file", "parquet")

import pyarrow as pa  # noqa: E402 - what is missing is told first

__all__ = ["SCHEMA"]

_LABELS: Final = pa.list_(pa.string())
_MEASUREMENT: Final = pa.struct([("value", pa.float64()), ("unit", pa.string()), ("millimetres", pa.float64())])
_UNIT: Final = pa.struct(
    [
        ("span_text", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("section", pa.string()),
        ("sentence_index", pa.int64()),
        ("canonical_finding", pa.string()),
        ("surface_finding", pa.string()),
        ("polarity", pa.string()),
        ("certainty", pa.string()),
        ("change", pa.string()),
        ("device", pa.string()),
        ("device_status", pa.string()),
        ("severity", pa.string()),
        ("anatomy", _LABELS),
        ("modifiers", _LABELS),
        ("measurements", pa.list_(_MEASUREMENT)),
        ("denies", _LABELS),
        ("administrative", pa.string()),
        ("modalities", _LABELS),
        ("actions", _LABELS),
        ("interval_days", pa.list_(pa.float64())),
        ("about", _LABELS),
        ("temporality", pa.string()),
        ("experiencer", pa.string()),
        ("confidence", pa.float64()),
    ]
)
SCHEMA: Final = pa.schema(
    [("report", pa.string()), ("reason", pa.string()), ("detail", pa.string()), ("units", pa.list_(_UNIT))]
)
"""Columns of a unit table; the fields of a unit are those of `ClinicalUnit`."""
