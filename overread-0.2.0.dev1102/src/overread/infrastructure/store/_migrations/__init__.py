"""Brings the tables of a store from any revision to any other, by Alembic."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from overread.forking import lock_for_forks
from overread.infrastructure.store.database import VERSION_TABLE
from overread.infrastructure.store.statements import Lock, lock

__all__ = ["move", "schema_version"]

_LOCK: Final = lock_for_forks()
"""Alembic's operations are those of one migration a process."""


def schema_version(connection: Connection) -> int | None:
    """Version of the tables of a store; None in an empty database, 0 where the tables were all taken away."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return int(connection.execute(text("SELECT coalesce(max(version), 0) FROM schema_version")).scalar_one())


def move(connection: Connection, to: int) -> int | None:
    """Brings the tables to a version, forward or back, in the transaction that is open; answers what they were before.

    Others who want the same wait, and find it done.
    """
    lock(connection, Lock.TABLES)
    before = schema_version(connection)
    if before != to:
        with _LOCK:
            _run(connection, before, to)
    return before


def _run(connection: Connection, found: int | None, to: int) -> None:
    if found is None:
        connection.execute(text("CREATE TABLE schema_version (version INTEGER NOT NULL PRIMARY KEY)"))
    scripts = ScriptDirectory(str(Path(__file__).parent))
    _stamp(connection, scripts, found)

    def steps(revision: Any, _: MigrationContext) -> Any:
        # What alembic.command does, which would want a file of settings and a script to run.
        if to > (found or 0):
            return scripts._upgrade_revs(str(to), revision)  # noqa: SLF001
        return scripts._downgrade_revs(str(to) if to else "base", revision)  # noqa: SLF001

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, on_version_apply=_record_version)
        environment.run_migrations()


def _stamp(connection: Connection, scripts: ScriptDirectory, found: int | None) -> None:
    """Tells Alembic of the version of tables that were made without it."""
    context = MigrationContext.configure(connection)
    if found and not context.get_current_heads():
        context.stamp(scripts, str(found))


def _record_version(ctx: MigrationContext, step: object, heads: Collection[Any], run_args: object) -> None:  # noqa: ARG001 - so
    """Keeps the version's own table, by which every overread knows a store that is newer than itself."""
    if (connection := ctx.connection) is not None:
        connection.execute(text("DELETE FROM schema_version"))
        for head in heads:
            connection.execute(text("INSERT INTO schema_version (version) VALUES (:version)"), {"version": int(head)})
