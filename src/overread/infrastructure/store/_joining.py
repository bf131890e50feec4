"""Locks that show who works off a store's queues; they end with their process, however it ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Engine

from overread.locking import lock_if_possible

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["Leave", "join_by_file", "join_by_server"]

Leave = Callable[[], None]
"""Ends what was joined."""

_ENDING: Final = ".workers"
_OWNER_ONLY: Final = 0o600
_KEY: Final = "hashtextextended('overread.workers.' || current_schema(), 0)"


def join_by_file(path: Path, alone: Callable[[], None]) -> Leave:
    """Share the lock of a file beside a store's; ``alone`` is called first where nobody else has it.

    Where the file system has no locks, or the folder cannot be written to, nobody is known to be alone.
    """
    place = f"{os.path.realpath(path)}{_ENDING}"
    try:
        descriptor = os.open(place, os.O_CREAT | os.O_RDWR, _OWNER_ONLY)
    except OSError:
        return lambda: None
    try:
        if lock_if_possible(descriptor, wait=False):
            alone()
        lock_if_possible(descriptor, shared=True)  # others begin to claim only when they have it, too
    except BaseException:
        os.close(descriptor)
        raise
    return lambda: os.close(descriptor)


def join_by_server(engine: Engine, alone: Callable[[], None]) -> Leave:
    """Share an advisory lock of a schema of PostgreSQL, on a connection of its own, as `join_by_file`."""
    pooled = engine.raw_connection()
    pooled.detach()
    connection: Connection[tuple[bool]] = pooled.dbapi_connection  # type: ignore[assignment]
    try:
        connection.rollback()
        connection.autocommit = True
        [is_alone] = connection.execute(f"SELECT pg_try_advisory_lock({_KEY})").fetchone() or [False]
        if is_alone:
            alone()
        connection.execute(f"SELECT pg_advisory_lock_shared({_KEY})")
        if is_alone:
            connection.execute(f"SELECT pg_advisory_unlock({_KEY})")
    except BaseException:
        connection.close()
        raise

    def leave() -> None:
        with suppress(Exception):  # the server may be gone, and the lock with it
            connection.close()

    return leave
