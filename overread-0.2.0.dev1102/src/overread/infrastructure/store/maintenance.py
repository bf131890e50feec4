"""Looking after a store: copies, and revisions of its tables. None of it is needed from day to day."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from attrs import evolve

from overread.exceptions import StoreError
from overread.tables.replacing import replacing, sync

if TYPE_CHECKING:
    from overread.infrastructure.store.database import Database

__all__ = ["backup", "downgrade", "newest_schema", "restore", "schema_of", "upgrade"]

_OWNER_ONLY: Final = 0o600
_BESIDE: Final = ("-wal", "-shm")
"""Endings of the files that SQLite keeps beside one that is in use."""

_SQLITE: Final = "sqlite:///"
_PAGES: Final = 1000
"""Pages of a copy that are read at once; writers wait no longer than that takes."""


def backup(place: Path | str, to: Path) -> None:
    """Copy a store in a SQLite file as it stands at one moment, while it may be in use. The copy is its owner's alone.

    Args:
        place: path of the file.
        to: path of the copy; nothing may be there.

    Raises:
        StoreError: if it cannot be read, or the copy cannot be written; and for PostgreSQL, whose own ``pg_dump`` does
            this.
    """
    if _is_address(place):
        raise StoreError("a store in PostgreSQL is copied by its own tools (pg_dump --format=custom)")
    source = _file(place)
    if to.exists():
        raise StoreError(f"{to}: already exists (name another file for the copy)")
    with _naming_faults(to), replacing(to, durable=True) as partial, _owners_alone(partial) as stream:
        read_only = f"{source.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(read_only, uri=True)) as connection, closing(sqlite3.connect(partial)) as target:
            connection.backup(target, pages=_PAGES)
            target.execute("PRAGMA journal_mode = DELETE")
        sync(stream)


def restore(copy: Path, place: Path | str, check: Callable[[Path], None] = lambda _: None) -> None:
    """Put a copy in the place of a store that is gone, after a look at every page of it.

    Args:
        copy: that `backup` made.
        place: where the store is to be; nothing may be there, nor anything that SQLite left beside it.
        check: opens the store beside its place and closes it again, before it takes the place; where it raises,
            nothing is there.

    Raises:
        StoreError: if the copy is damaged or no store, or the place is taken; and for PostgreSQL, whose own
            ``pg_restore`` does this.
    """
    if _is_address(place):
        raise StoreError("a store in PostgreSQL is restored by its own tools (pg_restore, from what pg_dump wrote)")
    to = _path(place)
    taken = [path for path in (to, *(to.with_name(to.name + end) for end in _BESIDE)) if path.exists()]
    if taken:
        raise StoreError(f"{taken[0]}: already exists (stop what uses it, and move it away first)")
    with _naming_faults(copy), closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        [(verdict,)] = connection.execute("PRAGMA integrity_check(1)")
        connection.execute("SELECT version FROM schema_version").fetchone()
    if verdict != "ok":
        raise StoreError(f"{copy}: is damaged (take an earlier copy)")
    with _naming_faults(to), replacing(to, durable=True) as partial, _alone_at_the_end(partial):
        with copy.open("rb") as source, _owners_alone(partial) as target:
            shutil.copyfileobj(source, target)
            sync(target)
        schema_of(partial)
        check(partial)


def newest_schema() -> int:
    """Version of the tables that this overread works with."""
    from overread.infrastructure.store.result_tables import SCHEMA_VERSION  # noqa: PLC0415 - sqlmodel is slow to import

    return SCHEMA_VERSION


def schema_of(place: Path | str, *, allow_plain: bool = False) -> int:
    """Version of the tables of a store, which is left as it is.

    Args:
        place: of the store.
        allow_plain: whether a database beyond this machine may be talked to without TLS, here and below.

    Raises:
        StoreError: if there is no store, or that of a newer overread.
    """
    from overread.infrastructure.store._migrations import schema_version  # noqa: PLC0415 - slow to import

    with closing(_as_it_is(place, allow_plain=allow_plain)) as database, database.transaction() as session:
        return schema_version(session.connection()) or 0


def upgrade(place: Path | str, *, allow_plain: bool = False) -> int:
    """Bring the tables of a store up to date, as opening it does; the version that they had before.

    Raises:
        StoreError: if there is no store, or that of a newer overread.
    """
    from overread.infrastructure.store.layout import DURABLE  # noqa: PLC0415 - slow to import
    from overread.infrastructure.store.opening import open_database  # noqa: PLC0415

    version = schema_of(place, allow_plain=allow_plain)
    open_database(place, DURABLE, allow_plain=allow_plain).close()
    return version


def downgrade(place: Path | str, to: int, *, allow_plain: bool = False) -> int:
    """Bring the tables of a store back to an earlier version, for an earlier overread; the version they had before.

    What the earlier one has no place for is deleted: all that a hospital keeps below version 4, digests below 3 and
    weights below 2. Make a copy first.

    Args:
        place: of the store; nobody may use it meanwhile.
        to: 1 to the version that it has.
        allow_plain: as for `schema_of`.

    Raises:
        StoreError: if there is no store, or it has no such version to go back to.
    """
    from overread.infrastructure.store._migrations import move  # noqa: PLC0415 - slow to import

    version = schema_of(place, allow_plain=allow_plain)
    if not 1 <= to <= version:
        raise StoreError(f"the store has schema {version} and cannot go back to {to} (give 1 to {version})")
    with closing(_as_it_is(place, allow_plain=allow_plain)) as database:
        with database.transaction(write=True) as session:
            move(session.connection(), to)
        database.erase_for_good()
    return version


def _is_address(place: Path | str) -> bool:
    """Return whether a store is on a server."""
    return isinstance(place, str) and "://" in place and not place.startswith(_SQLITE)


def _file(place: Path | str) -> Path:
    """The SQLite file of a store that is there."""
    path = _path(place)
    if not path.is_file():
        raise StoreError(f"{path}: no such file")
    return path


def _path(place: Path | str) -> Path:
    return place if isinstance(place, Path) else Path(place.removeprefix(_SQLITE))


def _as_it_is(place: Path | str, *, allow_plain: bool) -> Database:
    """A store that is there, whose tables stay as they are."""
    from overread.infrastructure.store.layout import DURABLE  # noqa: PLC0415 - slow to import
    from overread.infrastructure.store.opening import open_database  # noqa: PLC0415

    if not _is_address(place):
        _file(place)
    return open_database(place, evolve(DURABLE, bring=lambda _: None), allow_plain=allow_plain)


@contextmanager
def _naming_faults(path: Path) -> Iterator[None]:
    """Says of which file a fault is, and what kind of fault."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        problem = f"cannot be read or written: {type(error).__name__}"
        raise StoreError(
            f"{path}: {problem} (check that it is a store, that you may read and write it, and that the disk has room)"
        ) from None


@contextmanager
def _alone_at_the_end(path: Path) -> Iterator[None]:
    """A SQLite file that is used in the block: at its end everything stands in it, and nothing beside it."""
    try:
        yield
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        for end in _BESIDE:
            path.with_name(path.name + end).unlink(missing_ok=True)


def _owners_alone(path: Path) -> IO[bytes]:
    """A new file to write to, which nobody else may read."""
    return os.fdopen(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, _OWNER_ONLY), "wb")
