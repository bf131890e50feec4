"""Unit tables as Parquet. Imported only where such a file is at hand: pyarrow is slow to import."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from overread.exceptions import InputError

__all__ = ["SCHEMA", "ParquetSink", "is_signed", "read_rows"]

_GROUP: Final = 1024
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


class ParquetSink:
    """Writes rows, a thousand at a time."""

    def __init__(self, path: Path, key: str, header: str) -> None:
        schema = SCHEMA.with_metadata({key: header})
        self._writer = pq.ParquetWriter(path, schema)
        self._waiting: list[Mapping[str, Any]] = []

    def write(self, row: Mapping[str, Any]) -> None:
        """Keep a row."""
        self._waiting.append(row)
        if len(self._waiting) >= _GROUP:
            self._flush()

    def close(self) -> None:
        """Write what waits and the footer, without which the file cannot be read."""
        try:
            self._flush()
        finally:
            self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.Table.from_pylist(self._waiting, schema=self._writer.schema))
            self._waiting = []


def is_signed(path: Path, key: str) -> bool:
    """Return whether the schema's metadata has a key; a file that cannot be read counts as having it."""
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError):
        return True
    return key.encode() in (schema.metadata or {})


def read_rows(path: Path, stream: IO[bytes], key: str) -> tuple[str, list[dict[str, Any]]]:
    """Read the value of a key in the schema's metadata, "" if there is none, and the rows.

    Raises:
        InputError: if the file is damaged or has other columns. Arrow's own words may quote a cell, so they are not
            passed on.
    """
    try:
        table = pq.read_table(stream)
        header = (table.schema.metadata or {}).get(key.encode(), b"").decode()
        if not header:
            return "", []
        if not table.schema.equals(SCHEMA, check_metadata=False):
            raise InputError(str(path), "is damaged: its columns are not those of a table of units")
        return header, table.to_pylist()
    except (pa.ArrowException, UnicodeDecodeError, OSError):
        raise InputError(str(path), "is not a whole Parquet file") from None
