"""SQLite files that several processes and threads use at once, with clear errors and a version of their tables."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Connection, event
from sqlmodel import Session, create_engine

from overread.exceptions import StoreError
from overread.forking import lock_for_forks
from overread.infrastructure.store._joining import Leave, join_by_file
from overread.infrastructure.store.database import LOGGED_AS, RESTORE, VERSION_TABLE, Database, Layout

__all__ = ["LEAST_ROOM", "SqliteFile", "lenient"]

LEAST_ROOM: Final = 256 * 2**20
"""Free bytes of a file system, below which it is full before long; a number of ours."""

_WAIT_S: Final = 30.0
_RETRY_S: Final = 0.01
_OWNER_ONLY: Final = 0o600


class SqliteFile(Database):
    """An open file of a layout, made if it is not there, brought up to date if older; its log is written ahead.

    A new file is its owner's alone to read and write, and so is what SQLite puts beside it. A text that is not UTF-8
    comes with its odd bytes as half characters, so that it spoils no other row.

    Raises:
        StoreError: if the file cannot be opened, is of another layout, or was written by a newer overread.
    """

    def __init__(self, path: Path, layout: Layout) -> None:
        self._path = path.absolute()
        self._writing = lock_for_forks()
        # Parameters of a statement may be report text: SQLAlchemy must not put them into its messages.
        engine = create_engine(
            URL.create("sqlite", database=str(self._path)),
            hide_parameters=True,
            logging_name=LOGGED_AS,
            connect_args={"isolation_level": None, "timeout": _WAIT_S},
        )
        super().__init__(engine, layout, name=str(self._path))
        event.listen(self.engine, "connect", _set_up(layout))
        event.listen(self.engine, "begin", _begin)
        _check_place(self._path)
        _make(self._path)
        if not self._is_up_to_date():
            self.bring()

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[Session]:
        """A session whose work is kept as a whole or not at all. Writers of one process wait for each other in turn.

        Raises:
            StoreError: for a fault of the file. A value that is none of its kind is one where nothing is written.
        """
        try:
            with self._writing if write else nullcontext(), super().transaction(write=write) as session:
                yield session
        except sqlite3.Error as error:  # of a connection as it is made
            raise self.failure(error) from None

    def erase_for_good(self) -> bool:
        """Leave no bytes of what was deleted beside the file: all that the log holds is written to it, and it is cut.

        Where somebody reads an earlier moment, they are not waited for.
        """
        try:
            with closing(sqlite3.connect(self._path, timeout=0, isolation_level=None)) as connection:
                [(is_busy, *_)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            if "locked" in str(error):
                return False
            raise self.failure(error) from None
        return not is_busy

    def has_room(self) -> bool:
        """Return whether the file system of the file has `LEAST_ROOM`."""
        try:
            return shutil.disk_usage(self._path.parent).free >= LEAST_ROOM
        except OSError:
            return False

    def _join_store(self, alone: Callable[[], None]) -> Leave:
        return join_by_file(self._path, alone)

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self._path

    def _is_up_to_date(self) -> bool:
        """Return whether the tables are there and up to date; raises if they are foreign or of a newer version."""
        try:
            with closing(sqlite3.connect(self._path, timeout=_WAIT_S)) as connection:
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                if not tables:
                    _use_wal(connection)
                    return False
                if not {VERSION_TABLE, self._layout.mark} <= tables:
                    raise StoreError(f"{self._path}: is a SQLite file, but not a {self._layout.what} ({_NAME_ANOTHER})")
                versions = connection.execute("SELECT version FROM schema_version").fetchall()
        except sqlite3.Error as error:
            raise self.failure(error) from None
        except UnicodeDecodeError:
            raise self.damaged("a text") from None
        return self.is_current([version for (version,) in versions])

    def failure(self, error: BaseException | None) -> StoreError:
        text, what = str(error), self._layout.what
        clearer = next((words for sign, words in _CLEARER.items() if sign in text), None)
        words = clearer.format(what=what) if clearer else f"cannot be used: {type(error).__name__} ({RESTORE})"
        return StoreError(f"{self._path}: {words}")


_NAME_ANOTHER: Final = "name another file; a file that does not exist is created"
_CLEARER: Final = {
    "file is not a database": f"is not a SQLite file ({_NAME_ANOTHER})",
    "malformed": f"is damaged ({RESTORE})",
    "locked": "is in use by another process (wait until that is done, or name another file)",
    "unable to open": "cannot be opened (see that you may read and write it and its folder, or name another file)",
    "readonly": "cannot be written (see that you may write to it and its folder, or name another file)",
    "disk is full": "cannot be written: the disk is full (make room, then run the same again)",
    "disk I/O": "cannot be read or written: the disk has a fault or is full (check it, then run the same again)",
    "no such table": f"lacks a table: it is damaged or not a {{what}} ({RESTORE})",
    "no such column": f"lacks a column: it is damaged or not a {{what}} ({RESTORE})",
    "no column named": f"lacks a column: it is damaged or not a {{what}} ({RESTORE})",
}


def lenient(data: bytes) -> str:
    """A text of SQLite; bytes that are none become half characters, which no text that was stored has."""
    return data.decode("utf-8", "surrogateescape")


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path}: is a folder, not a file (name a file in it)")
    if not path.parent.is_dir():
        raise StoreError(f"{path}: the folder {path.parent} does not exist; create it first")
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: is a pipe or a device, not a file ({_NAME_ANOTHER})")


def _make(path: Path) -> None:
    """Makes the file, for its owner alone, if it is not there; SQLite gives what stands beside it the same rights."""
    with suppress(OSError):  # it is there already, or SQLite tells what is wrong with the place
        os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY))


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log, waiting for others as they make the same file: SQLite itself does not wait here."""
    import tenacity  # noqa: PLC0415 - only a new file needs it

    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception(_is_locked),
        stop=tenacity.stop_after_delay(_WAIT_S),
        wait=tenacity.wait_fixed(_RETRY_S),
        reraise=True,
    )
    attempts(connection.execute, "PRAGMA journal_mode = WAL")


def _is_locked(error: BaseException) -> bool:
    return isinstance(error, sqlite3.OperationalError) and "locked" in str(error)


def _set_up(layout: Layout) -> Callable[[sqlite3.Connection, object], None]:
    def set_up(connection: sqlite3.Connection, _: object) -> None:
        connection.text_factory = lenient
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA synchronous = {'FULL' if layout.durable else 'NORMAL'}")
        connection.execute("PRAGMA secure_delete = ON")

    return set_up


def _begin(connection: Connection) -> None:
    # A writer takes its lock at once: one that begins by reading could find the file changed under it.
    write = connection.get_execution_options().get("write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
