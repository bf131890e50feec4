"""The columns of result files in Parquet. Imported only when such a file is at hand: pyarrow is slow to import."""

from __future__ import annotations

from typing import Final

from overread.extras import require

require("a Parquet file", "parquet")

import pyarrow as pa  # noqa: E402 - what is missing is told first

__all__ = ["RESULT_SCHEMA"]

_SPANS: Final = pa.list_(pa.list_(pa.int64()))
_DISCREPANCY: Final = pa.struct(
    [
        ("category", pa.string()),
        ("category_label", pa.string()),
        ("aspect", pa.string()),
        ("type", pa.string()),
        ("severity", pa.string()),
        ("importance", pa.string()),
        ("extent", pa.float64()),
        ("weight", pa.float64()),
        ("probability", pa.float64()),
        ("reason", pa.string()),
        ("finding", pa.string()),
        ("side", pa.string()),
        ("reference_spans", _SPANS),
        ("candidate_spans", _SPANS),
    ]
)
_ANSWER: Final = pa.struct(
    [
        ("key", pa.string()),
        ("prompt", pa.string()),
        ("model", pa.string()),
        ("finish", pa.string()),
        ("attempt", pa.int64()),
        ("outcome", pa.string()),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
    ]
)

RESULT_SCHEMA: Final = pa.schema(
    [
        ("id", pa.string()),
        ("metric", pa.string()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("fault", pa.string()),
        ("score", pa.float64()),
        ("higher_is_better", pa.bool_()),
        ("range", pa.list_(pa.float64())),
        ("subscores", pa.map_(pa.string(), pa.float64())),
        ("discrepancies", pa.list_(_DISCREPANCY)),
        ("truncated", pa.bool_()),
        ("notes", pa.list_(pa.string())),
        ("answers", pa.list_(_ANSWER)),
        ("signature", pa.string()),
        ("schema_version", pa.int64()),
        ("digest", pa.string()),
    ]
)
"""Columns of a result file: the keys of a result record, each with one type."""
