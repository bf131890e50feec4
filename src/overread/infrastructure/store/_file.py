"""SQLite files that several processes and threads use at once, with clear errors and a version of their tables."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Final, Self, TypeVar

from attrs import field, frozen
from sqlalchemy import URL, Connection, MetaData, event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlmodel import Session, create_engine

from overread.exceptions import StoreError
from overread.forking import after_fork_in_child
from overread.infrastructure.logs import Vouched, get_logger

__all__ = ["VERSION_TABLE", "Layout", "SqliteFile", "Step", "StoreOnFile", "chunks", "lenient", "storable"]

T = TypeVar("T")

VERSION_TABLE: Final = "schema_version"
"""Name of the table with one row, the version of the tables in a file."""

_CHUNK: Final = 500
"""Keys a query: SQLite may be built for as few as 999 variables in one."""

_LOGGED_AS: Final = "overread"
_LOGGER: Final = logging.getLogger(f"sqlalchemy.engine.Engine.{_LOGGED_AS}")
_LOGGER.addFilter(lambda record: record.levelno > logging.DEBUG)  # at DEBUG are the rows that are read, and their text

_WAIT_S: Final = 30.0
_RETRY_S: Final = 0.01
_OWNER_ONLY: Final = 0o600

Step = str | Callable[[Connection], None]
"""A statement, or what is to be done where none can do it."""


@frozen(kw_only=True)
class Layout:
    """The tables of a kind of file.

    Attributes:
        metadata: of the tables, `VERSION_TABLE` among them.
        version: of the tables.
        upgrades: by earlier version, the steps that turn its tables into those of the next.
        mark: name of the table by which such a file is known.
        what: what such a file is, for example "store of overread".
        durable: whether what is committed outlives a power cut too; it outlives the process in any case.
        caveat: what is to be known of a file that was brought up to date.
    """

    metadata: MetaData
    version: int
    mark: str
    what: str
    durable: bool = False
    caveat: str = ""
    upgrades: Mapping[int, Sequence[Step]] = field(factory=dict)


class SqliteFile:
    """An open file of a layout, made if it is not there, brought up to date if older; its log is written ahead.

    A new file is its owner's alone to read and write, and so is what SQLite puts beside it. A text that is not UTF-8
    comes with its odd bytes as half characters, so that it spoils no other row.

    Raises:
        StoreError: if the file cannot be opened, is of another layout, or was written by a newer overread.
    """

    def __init__(self, path: Path, layout: Layout) -> None:
        self._path = path.absolute()
        self._layout = layout
        self._is_old = False
        _check_place(self._path)
        _make(self._path)
        is_new = self._is_new()
        # Parameters of a statement may be report text: SQLAlchemy must not put them into its messages.
        self.engine: Final[Engine] = create_engine(
            URL.create("sqlite", database=str(self._path)),
            hide_parameters=True,
            logging_name=_LOGGED_AS,
            connect_args={"isolation_level": None, "timeout": _WAIT_S},
        )
        event.listen(self.engine, "connect", _synchronous("FULL" if layout.durable else "NORMAL"))
        event.listen(self.engine, "begin", _begin)
        after_fork_in_child(self._forget)
        if is_new:
            self._create()
        elif self._is_old:
            self._upgrade()

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[Session]:
        """A session whose work is kept as a whole or not at all.

        Raises:
            StoreError: for a fault of the file. A value that is none of its kind is one where nothing is written.
        """
        try:
            with Session(self.engine.execution_options(write=write)) as session, session.begin():
                yield session
        except DBAPIError as error:
            raise self._failure(error.orig) from None
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise self._failure(error) from None
        except UnicodeDecodeError:
            raise self.damaged("a text") from None
        except ValueError:
            if write:
                raise
            raise self.damaged("a value") from None

    @property
    def path(self) -> Path:
        """Of the file."""
        return self._path

    def damaged(self, what: str) -> StoreError:
        """The error that something in the file cannot be read."""
        return StoreError(f"{self._path}: {what} cannot be read; the file is damaged ({_RESTORE})")

    def close(self) -> None:
        """Let go of the file. It is opened again when it is used again."""
        self.engine.dispose()

    def _forget(self) -> None:
        """SQLite forbids to use, or to close, a connection that came through a fork."""
        self.engine.dispose(close=False)

    def _is_new(self) -> bool:
        """Whether the file has yet to get its tables; raises if it holds anything else than those of this version."""
        try:
            with closing(sqlite3.connect(self._path, timeout=_WAIT_S)) as connection:
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                if not tables:
                    _use_wal(connection)
                    return True
                if not {VERSION_TABLE, self._layout.mark} <= tables:
                    raise StoreError(f"{self._path}: is a SQLite file, but no {self._layout.what} ({_NAME_ANOTHER})")
                versions = connection.execute("SELECT version FROM schema_version").fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from None
        except UnicodeDecodeError:
            raise self.damaged("a text") from None
        self._check_version([version for (version,) in versions])
        return False

    def _check_version(self, versions: Sequence[object]) -> None:
        known = self._layout.version
        if versions == [known]:
            return
        version = versions[0] if len(versions) == 1 else None
        if isinstance(version, int) and version in self._layout.upgrades:
            self._is_old = True
            return
        if isinstance(version, int) and version > known:
            raise StoreError(
                f"{self._path}: was written by a newer overread (schema {version}, this one knows {known});"
                " upgrade overread or use another file"
            )
        problem = f"its schema version cannot be read; it is damaged or no {self._layout.what}"
        raise StoreError(f"{self._path}: {problem} ({_RESTORE})")

    def _create(self) -> None:
        versions = self._layout.metadata.tables[VERSION_TABLE]
        with self.transaction(write=True) as session:
            connection = session.connection()
            self._layout.metadata.create_all(connection)
            if connection.execute(versions.select()).first() is None:
                connection.execute(versions.insert().values(version=self._layout.version))

    def _upgrade(self) -> None:
        """Bring the tables up to date, unless another process has done so meanwhile."""
        versions = self._layout.metadata.tables[VERSION_TABLE]
        with self.transaction(write=True) as session:
            connection = session.connection()
            found = connection.execute(versions.select()).scalar_one()
            for version in range(found, self._layout.version):
                for step in self._layout.upgrades[version]:
                    if isinstance(step, str):
                        connection.exec_driver_sql(step)
                    else:
                        step(connection)
            connection.execute(versions.update().values(version=self._layout.version))
        if found < self._layout.version:
            get_logger("store").warning(
                "brought_up_to_date",
                file=str(self._path),
                from_schema=found,
                to_schema=self._layout.version,
                note=Vouched(self._layout.caveat),
            )

    def _failure(self, error: BaseException | None) -> StoreError:
        text, what = str(error), self._layout.what
        clearer = next((words for sign, words in _CLEARER.items() if sign in text), None)
        words = clearer.format(what=what) if clearer else f"cannot be used: {type(error).__name__} ({_RESTORE})"
        return StoreError(f"{self._path}: {words}")


_NAME_ANOTHER: Final = "name another file; one that is not there is made"
_RESTORE: Final = "put a copy of it in its place, or move it away and begin another"
_CLEARER: Final = {
    "file is not a database": f"is not a SQLite file ({_NAME_ANOTHER})",
    "malformed": f"is damaged ({_RESTORE})",
    "locked": "is in use by another process (wait until that is done, or name another file)",
    "unable to open": "cannot be opened (see that you may read and write it and its folder, or name another file)",
    "readonly": "cannot be written (see that you may write to it and its folder, or name another file)",
    "disk is full": "cannot be written: the disk is full (make room, then run the same again)",
    "disk I/O": "cannot be read or written: the disk has a fault or is full (see to it, then run the same again)",
    "no such table": f"lacks a table: it is damaged or no {{what}} ({_RESTORE})",
    "no such column": f"lacks a column: it is damaged or no {{what}} ({_RESTORE})",
    "no column named": f"lacks a column: it is damaged or no {{what}} ({_RESTORE})",
}


def chunks(items: Iterable[T]) -> Iterator[list[T]]:
    """The distinct items in order, in lists that one query can hold."""
    distinct = list(dict.fromkeys(items))
    for start in range(0, len(distinct), _CHUNK):
        yield distinct[start : start + _CHUNK]


def lenient(data: bytes) -> str:
    """A text of SQLite; bytes that are none become half characters, which no text that was stored has."""
    return data.decode("utf-8", "surrogateescape")


def storable(text: str) -> str:
    """The text, with half characters, which SQLite cannot hold, written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path}: is a folder, not a file (name a file in it)")
    if not path.parent.is_dir():
        raise StoreError(f"{path}: the folder {path.parent} does not exist; make it first")
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: is a pipe or a device, not a file ({_NAME_ANOTHER})")


def _make(path: Path) -> None:
    """Makes the file, for its owner alone, if it is not there; SQLite gives what stands beside it the same rights."""
    with suppress(OSError):  # it is there already, or SQLite tells what is wrong with the place
        os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY))


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log, waiting for others as they make the same file: SQLite itself does not wait here."""
    deadline = monotonic() + _WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or monotonic() > deadline:
                raise
            sleep(_RETRY_S)
        else:
            return


def _synchronous(level: str) -> Callable[[sqlite3.Connection, object], None]:
    def set_up(connection: sqlite3.Connection, _: object) -> None:
        connection.text_factory = lenient
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA synchronous = {level}")

    return set_up


def _begin(connection: Connection) -> None:
    # A writer takes its lock at once: one that begins by reading could find the file changed under it.
    write = connection.get_execution_options().get("write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


class StoreOnFile:
    """A store whose rows are in a `SqliteFile`; leaving a ``with`` lets go of the file."""

    _file: SqliteFile

    def close(self) -> None:
        """Let go of the file. The store opens it again when it is used again."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
