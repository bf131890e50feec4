"""The rows of a file in any of the formats that tables of units come in."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from overread.domain.vocabulary.json_text import parse_json
from overread.exceptions import InputError
from overread.tables.documents import parse_document
from overread.tables.opening import checked_path
from overread.tables.records import read_records

__all__ = ["SUFFIXES", "cell", "is_blank", "read_rows"]

SUFFIXES: Final = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet")
_MISSING: Final = frozenset({"", "nan", "none", "null", "n/a", "na", "<na>"})
_KEY: Final = "report_id"

Row = Mapping[str, Any]


def read_rows(path: Path) -> list[Row]:
    """All rows of a file, columns by name.

    A JSON file holds a list of rows, an object with such a list, or an object with the rows or units of each report by
    its id, which then stands in a column "report_id".

    Raises:
        InputError: if the file cannot be read, is damaged, or has another suffix.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        remedy = f"use {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise InputError(str(path), "its suffix is not that of a table of units", remedy=remedy)
    checked_path(path)
    return _objects(path) if suffix == ".json" else list(_rows(path))


def is_blank(value: object) -> bool:
    """Return whether a cell holds nothing, or what programs write for a missing value."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and value.strip().lower() in _MISSING) or value in ([], {})


def cell(value: Any) -> Any:
    """A cell's value; lists and objects that stand in a cell as JSON, or as Python writes them, are read."""
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return value
    for read in (parse_json, ast.literal_eval):
        try:
            return read(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return value


def _rows(path: Path) -> Iterator[Row]:
    for record in read_records(path, (), None):
        if record.problem:
            raise record.error(path)
        yield record.fields


def _objects(path: Path) -> list[Row]:
    value = parse_document(path)
    if isinstance(value, dict):
        value = _of_object(value)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        remedy = "give a list of rows, or an object with the units of each report by its id"
        raise InputError(str(path), "holds no rows", remedy=remedy)
    return value


def _of_object(value: Mapping[str, Any]) -> Sequence[Any]:
    listed = [rows for rows in value.values() if isinstance(rows, list) and all(isinstance(row, dict) for row in rows)]
    if (
        len(value) == 1
        and len(listed) == 1
        and next(iter(value)).lower() in ("rows", "data", "units", "reports", "items")
    ):
        return listed[0]
    rows: list[Any] = []
    for key, one in value.items():
        if isinstance(one, dict):
            rows.append({_KEY: key, **one})
        else:
            rows.append({_KEY: key, "units": one})
    return rows
