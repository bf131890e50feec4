"""Statements that SQLite and PostgreSQL write alike, and SQLAlchemy in a dialect of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Table, insert
from sqlalchemy.dialects import postgresql, sqlite

__all__ = ["Row", "add_all", "add_new", "is_postgres"]

Row = Mapping[str, Any] | RowMapping
"""A row by the names of its columns."""

_AT_ONCE: Final = 100
"""Rows a statement: SQLite may be built for as few as 999 variables in one."""


def is_postgres(connection: Connection) -> bool:
    """Whether it leads to PostgreSQL; else to SQLite."""
    return connection.dialect.name == "postgresql"


def add_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Adds the rows that no unique key of the table forbids; how many there were."""
    statement: Any = postgresql.insert(table) if is_postgres(connection) else sqlite.insert(table)
    starts = range(0, len(rows), _AT_ONCE)
    given = (statement.values(list(rows[start : start + _AT_ONCE])).on_conflict_do_nothing() for start in starts)
    return sum(connection.execute(each, execution_options={"preserve_rowcount": True}).rowcount for each in given)


def add_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Adds rows; their numbers, in order."""
    if not rows:
        return []
    statement = insert(table).returning(table.c.id, sort_by_parameter_order=True)
    return [int(number) for number in connection.execute(statement, [dict(row) for row in rows]).scalars()]
