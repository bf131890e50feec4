"""Opens a database by its path or address."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from overread.exceptions import StoreError
from overread.extras import require
from overread.infrastructure.store._file import SqliteFile
from overread.infrastructure.store.database import Database, Layout

__all__ = ["open_database"]

_POSTGRES: Final = ("postgresql", "postgres", "postgresql+psycopg")


def open_database(place: Path | str, layout: Layout, *, allow_plain: bool = False) -> Database:
    """The database at a path (SQLite), or at an address: "postgresql://user@host/name" or "sqlite:///path".

    Args:
        place: of the database.
        layout: of its tables.
        allow_plain: whether a server beyond this machine may be talked to without TLS.

    Raises:
        ConfigurationError: if an address of PostgreSQL says that it may be talked to without TLS, which is not allowed.
        StoreError: if it cannot be opened, holds something else, or was written by a newer overread.
        MissingDependencyError: if an address of PostgreSQL is given and its client is not installed.
    """
    if isinstance(place, Path) or "://" not in place:
        return SqliteFile(Path(place), layout)
    url = _url(place)
    if url.drivername == "sqlite" and url.database:
        return SqliteFile(Path(url.database), layout)
    if url.drivername not in _POSTGRES:
        raise StoreError(f"{url.drivername}: no such kind of store (give a file, or postgresql://USER@HOST/NAME)")
    require("a store in PostgreSQL", "postgres")
    from overread.infrastructure.store._postgres import PostgresDatabase  # noqa: PLC0415 - an extra

    return PostgresDatabase(url, layout, allow_plain=allow_plain)


def _url(place: str) -> URL:
    try:
        return make_url(place)
    except (ArgumentError, ValueError):
        remedy = "give a file, or postgresql://USER@HOST/NAME, with special characters of the password %-encoded"
        raise StoreError(f"the store's address cannot be read ({remedy})") from None
