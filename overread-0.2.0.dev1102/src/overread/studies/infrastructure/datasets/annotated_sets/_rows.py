"""Rows of tables whose columns go by several names, and what is asked of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets._files import Row, TableFile, shown_names
from overread.tables.cells import RowError, finite_number

__all__ = [
    "Aliases",
    "Distinct",
    "Studies",
    "check_readable",
    "checked_columns",
    "label",
    "no_rows",
    "number",
    "to_number",
]

Aliases = Mapping[str, Sequence[str]]
"""Further names of a column in the files, by the name it is read under."""


def check_readable(tables: Sequence[TableFile]) -> None:
    """Raises `InputError` where a table cannot be read, for sets of several tables, none of which should be lost."""
    for table in tables:
        if table.fault:
            raise InputError(
                str(table.path), table.fault, remedy=f"{table.remedy or 'correct it'}, or take it out of the folder"
            )


def checked_columns(table: TableFile, required: Aliases) -> dict[str, str]:
    """The column of each name. Raises `InputError` if one is missing."""
    if not table.names:
        raise no_rows(table)
    columns = table.columns(required)
    missing = [name for name in required if name not in columns]
    if missing:
        others = "; ".join(f"for {name} also: {', '.join(required[name])}" for name in missing if required[name])
        problem = f"no column {' or '.join(missing)}; it has {shown_names(table.names)}"
        raise InputError(str(table.path), problem, remedy=f"rename the column meant; read {others}" if others else "")
    return columns


def no_rows(table: TableFile) -> InputError:
    """The error that a table has nothing below its columns."""
    return InputError(str(table.path), "holds no rows", remedy="copy the whole file again")


def label(row: Row, column: str) -> str:
    """A name, "" where there is no such column or the cell is empty."""
    return "" if row.is_empty(column) else row.name(column)


def number(row: Row, column: str) -> float:
    """A finite number, NaN where there is no such column or the cell is empty."""
    return math.nan if row.is_empty(column) else to_number(row, row.cells[column], column)


def to_number(row: Row, value: Any, column: str) -> float:
    """A finite number. Raises `InputError` for anything else, without showing it: it may be a report."""
    try:
        return finite_number(value, row.told(column))
    except RowError as error:
        raise row.fault(str(error)) from None


class Distinct:
    """Watches that nothing is there twice."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._seen: dict[object, Row] = {}

    def add(self, key: object, row: Row) -> None:
        """Raises `InputError` where ``key`` was there before."""
        before = self._seen.setdefault(key, row)
        if before is not row:
            place = f"row {before.number}" + ("" if before.source == row.source else f" of {Path(before.source).name}")
            raise row.fault(f"its {self._kind} is also that of {place}", f"give each row its own {self._kind}")


class Studies:
    """Tells which pairs share a reference, for sets that do not name the study."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def of(self, reference: str) -> str:
        """The same name for the same reference; white space does not count."""
        return self._names.setdefault(" ".join(reference.split()), f"reference-{len(self._names) + 1}")
