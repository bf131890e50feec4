"""Databases that several processes and threads use at once, with clear errors and a version of their tables."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self, TypeVar

from attrs import frozen
from sqlalchemy import Connection
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlmodel import Session

from overread.exceptions import StoreError
from overread.forking import after_fork_in_child, lock_for_forks
from overread.infrastructure.logs import Vouched, get_logger
from overread.infrastructure.store._joining import Leave

__all__ = ["LOGGED_AS", "RESTORE", "VERSION_TABLE", "Database", "Layout", "StoreInDatabase", "chunks"]

T = TypeVar("T")

VERSION_TABLE: Final = "schema_version"
"""Name of the table with one row, the version of the tables in a database."""

RESTORE: Final = "restore a copy of it, or move it away and begin a new one"
"""What to do about a damaged one."""

LOGGED_AS: Final = "overread"
"""Name of the engines in SQLAlchemy's log."""

_LOGGER: Final = logging.getLogger(f"sqlalchemy.engine.Engine.{LOGGED_AS}")
_LOGGER.addFilter(lambda record: record.levelno > logging.DEBUG)  # at DEBUG are the rows that are read, and their text

_CHUNK: Final = 500
"""Keys a query: SQLite may be built for as few as 999 variables in one."""


@frozen(kw_only=True)
class Layout:
    """The tables of a kind of database.

    Attributes:
        version: of the tables.
        bring: makes the tables, or brings those of an earlier version up to date; answers the version that it found,
            None for a new database. It runs where nobody else writes.
        oldest: version that can be brought up to date.
        mark: name of the table by which such a database is known.
        what: what such a database is, for example "store of overread".
        durable: whether what is committed outlives a power cut too; it outlives the process in any case.
        caveat: what is to be known of one that was brought up to date from an earlier version.
    """

    version: int
    bring: Callable[[Connection], int | None]
    oldest: int = 1
    mark: str
    what: str
    durable: bool = False
    caveat: Callable[[int], str] = lambda _: ""


class Database(ABC):
    """An open database of a layout.

    Args:
        engine: whose connections are set up.
        layout: of the tables.
        name: for messages; no password is in it.
    """

    def __init__(self, engine: Engine, layout: Layout, *, name: str) -> None:
        self.engine: Final[Engine] = engine
        self.name: Final = name
        self._layout = layout
        self._joining = lock_for_forks()
        self._leave: Leave | None = None
        after_fork_in_child(self._forget)

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[Session]:
        """A session whose work is kept as a whole or not at all.

        Raises:
            StoreError: for a fault of the database. A value that is none of its kind is one where nothing is written.
        """
        try:
            with Session(self._engine_for(write=write)) as session, session.begin():
                yield session
        except DBAPIError as error:
            raise self.failure(error.orig) from None
        except SQLAlchemyError as error:
            raise self.failure(error) from None
        except UnicodeDecodeError:
            raise self.damaged("a text") from None
        except ValueError:
            if write:
                raise
            raise self.damaged("a value") from None

    def bring(self) -> None:
        """Make the tables or bring them up to date, unless another process has done so meanwhile."""
        with self.transaction(write=True) as session:
            earlier = self._layout.bring(session.connection())
        if earlier is not None and earlier < self._layout.version:
            get_logger("store").warning(
                "brought_up_to_date",
                file=self.name,
                from_schema=earlier,
                to_schema=self._layout.version,
                note=Vouched(self._layout.caveat(earlier)),
            )

    def is_current(self, versions: Sequence[object]) -> bool:
        """Return whether the rows of the version table are those of up-to-date tables; False if these need an upgrade.

        Raises:
            StoreError: if they are those of a newer overread, or cannot be read.
        """
        known = self._layout.version
        version = versions[0] if len(versions) == 1 else None
        if isinstance(version, int) and self._layout.oldest <= version <= known:
            return version == known
        if isinstance(version, int) and version > known:
            raise StoreError(
                f"{self.name}: was written by a newer overread (schema {version}, this one knows {known});"
                " upgrade overread or use another file"
            )
        problem = f"its schema version cannot be read; it is damaged or not a {self._layout.what}"
        raise StoreError(f"{self.name}: {problem} ({RESTORE})")

    def damaged(self, what: str) -> StoreError:
        """The error that something in the database cannot be read."""
        return StoreError(f"{self.name}: {what} cannot be read; the file is damaged ({RESTORE})")

    def join(self, alone: Callable[[], None]) -> None:
        """Work off what is queued in it from now on, until it is closed.

        Args:
            alone: is called first where nobody else does; whoever comes meanwhile waits.

        Raises:
            StoreError: for a fault of the database.
        """
        with self._joining:
            if self._leave is None:
                self._leave = self._join_store(alone)

    def close(self) -> None:
        """Let go of files and connections. They are taken up again on next use."""
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()
        self.engine.dispose()

    def has_room(self) -> bool:
        """Return whether it can grow for a while; True where that cannot be known, as for a server's disk."""
        return True

    @abstractmethod
    def _join_store(self, alone: Callable[[], None]) -> Leave:
        """Does as `join` says; the way to end it."""

    @abstractmethod
    def failure(self, error: BaseException | None) -> StoreError:
        """The error for a fault of the database: clear words, what to do, and nothing of what is stored."""

    @abstractmethod
    def erase_for_good(self) -> bool:
        """See to it that what was deleted and committed stands nowhere any more, as far as the database can.

        Whether it is done; else it is to be tried again.
        """

    def _engine_for(self, *, write: bool) -> Engine:
        """The engine for a transaction that writes, or only reads."""
        return self.engine.execution_options(write=write)

    def _forget(self) -> None:
        """A connection that came through a fork may be neither used nor closed."""
        self._leave = None
        self.engine.dispose(close=False)


class StoreInDatabase:
    """A store whose rows are in a `Database`; leaving a ``with`` lets go of it."""

    _database: Database

    def close(self) -> None:
        """Let go of files and connections. The store takes them up again when it is used again."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def chunks(items: Iterable[T]) -> Iterator[list[T]]:
    """The distinct items in order, in lists that one query can hold."""
    distinct = list(dict.fromkeys(items))
    for start in range(0, len(distinct), _CHUNK):
        yield distinct[start : start + _CHUNK]
