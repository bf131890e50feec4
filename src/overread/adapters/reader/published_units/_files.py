"""The rows of a file in any of the formats that tables of units come in."""

from __future__ import annotations

import ast
import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import IO, Any, Final

from overread.domain.vocabulary.json_text import parse_json
from overread.exceptions import InputError

__all__ = ["SUFFIXES", "cell", "is_blank", "read_rows"]

SUFFIXES: Final = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet")
_LONGEST_CELL: Final = 2**27
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
        raise InputError(str(path), "its suffix names no table of units", remedy=remedy)
    try:
        with path.open("rb") as stream:
            if suffix == ".parquet":
                return _parquet(path, stream)
            if suffix in (".jsonl", ".ndjson"):
                return list(_lines(path, stream))
            text = stream.read().decode("utf-8-sig")
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or type(error).__name__}") from None
    except UnicodeDecodeError:
        raise InputError(str(path), "is not UTF-8", remedy="save it as UTF-8") from None
    return _json(path, text) if suffix == ".json" else _delimited_rows(path, text, "\t" if suffix == ".tsv" else ",")


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


def _parquet(path: Path, stream: IO[bytes]) -> list[Row]:
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.parquet as pq  # noqa: PLC0415 - as above

    try:
        rows: list[Row] = pq.read_table(stream).to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise InputError(str(path), "is not a whole Parquet file") from None
    return rows


def _lines(path: Path, stream: IO[bytes]) -> Iterator[Row]:
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            row = parse_json(line.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            raise InputError(str(path), "is no table of units: no JSON", row=number) from None
        if not isinstance(row, dict):
            raise InputError(str(path), "is no table of units: not an object", row=number)
        yield row


def _json(path: Path, text: str) -> list[Row]:
    try:
        value = parse_json(text)
    except (ValueError, RecursionError) as error:
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(str(path), f"is not JSON{place}") from None
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


def _delimited_rows(path: Path, text: str, delimiter: str) -> list[Row]:
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        reader = csv.DictReader(StringIO(text, newline=""), delimiter=delimiter, restkey="", strict=True)
        rows: list[Row] = []
        for number, row in enumerate(reader, start=1):
            if "" in row or None in row.values():
                remedy = "quote cells that hold a separator or a line end"
                raise InputError(str(path), "has more or fewer cells than the header", row=number, remedy=remedy)
            rows.append(row)
    except csv.Error:
        raise InputError(str(path), "is no table that can be read", row=reader.line_num or None) from None
    finally:
        csv.field_size_limit(before)
    return rows
