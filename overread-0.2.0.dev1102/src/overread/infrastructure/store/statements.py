"""Statements that SQLite and PostgreSQL write alike, and SQLAlchemy in a dialect of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Table, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite

__all__ = ["Lock", "Row", "add_all", "add_new", "is_postgres", "lock"]

Row = Mapping[str, Any] | RowMapping
"""A row by the names of its columns."""

_AT_ONCE: Final = 100
"""Rows a statement: SQLite may be built for as few as 999 variables in one."""


class Lock(IntEnum):
    """Locks, each of which one transaction has at a time; a value is "overead", in ASCII, and a number."""

    TABLES = 0x6F76657265616401
    """Makes or changes tables."""

    TRAIL = 0x6F76657265616402
    """Adds an event: the next must know the last digest."""

    RESULTS = 0x6F76657265616403
    """Keeps results: two may be of equal texts, and are kept once."""

    PATIENTS = 0x6F76657265616404
    """Merges or erases patients; those who add versions share it, so that they wait for such alone."""


def is_postgres(connection: Connection) -> bool:
    """Return whether a connection leads to PostgreSQL rather than SQLite."""
    return connection.dialect.name == "postgresql"


def lock(connection: Connection, number: int, *, shared: bool = False) -> None:
    """Until the transaction ends, others wait who lock the same number, unless all of them share it.

    What is read afterwards is as those before left it. SQLite has one writer at a time anyway.
    """
    if is_postgres(connection):
        locked = func.pg_advisory_xact_lock_shared if shared else func.pg_advisory_xact_lock
        connection.execute(select(locked(int(number))))


def add_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Adds the rows that no unique key of the table forbids; how many there were."""
    statement: Any = postgresql.insert(table) if is_postgres(connection) else sqlite.insert(table)
    starts = range(0, len(rows), _AT_ONCE)
    given = (statement.values(list(rows[start : start + _AT_ONCE])).on_conflict_do_nothing() for start in starts)
    return sum(
        connection.execute(insertion, execution_options={"preserve_rowcount": True}).rowcount for insertion in given
    )


def add_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Adds rows; their numbers, in order."""
    if not rows:
        return []
    statement = insert(table).returning(table.c.id, sort_by_parameter_order=True)
    return [int(number) for number in connection.execute(statement, [dict(row) for row in rows]).scalars()]
