"""Stores in PostgreSQL: connections that heal, and one maker of tables at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import tenacity
from sqlalchemy import URL, Engine, event, inspect, text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlmodel import Session, create_engine

from overread.exceptions import StoreBusyError, StoreError
from overread.infrastructure.store._joining import Leave, join_by_server
from overread.infrastructure.store._tls import PLAIN, TLS_REMEDY, is_elsewhere, over_tls
from overread.infrastructure.store.database import LOGGED_AS, RESTORE, VERSION_TABLE, Database, Layout

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["PostgresDatabase"]

_CONNECT_S: Final = 5
_AGAIN_S: Final = 5.0
"""How long a transaction waits for a server that restarts, before it says that there is none."""

_RETRY_S: Final = 0.1
_OPTIONS: Final = "-c timezone=utc -c lock_timeout=30s -c idle_in_transaction_session_timeout=300s"
_POOL: Final = 8
_OVERFLOW: Final = 24
_RESTARTING: Final = ("57P01", "57P02", "57P03")
"""The server shuts down, has crashed, or is not up yet."""


class PostgresDatabase(Database):
    """A PostgreSQL database of a layout, whose tables are made or brought up to date by one process at a time.

    A connection is tried before it is used, so that those of before a restart of the server do no harm. One that leads
    beyond this machine is TLS, unless plain ones are allowed.

    Raises:
        ConfigurationError: if the address asks for less.
        StoreError: if the server cannot be reached, or the database is of another layout or a newer overread.
    """

    def __init__(self, url: URL, layout: Layout, *, allow_plain: bool = False) -> None:
        url = url if allow_plain else over_tls(url, os.environ)
        given = url.query.get("options", "")
        options = f"{_OPTIONS} {given if isinstance(given, str) else ' '.join(given)}".strip()
        # Parameters of a statement may be report text: SQLAlchemy must not put them into its messages.
        engine = create_engine(
            url.set(drivername="postgresql+psycopg").difference_update_query(["options"]),
            hide_parameters=True,
            logging_name=LOGGED_AS,
            pool_pre_ping=True,
            pool_size=_POOL,
            max_overflow=_OVERFLOW,
            connect_args={"connect_timeout": _CONNECT_S, "application_name": "overread", "options": options},
        )
        super().__init__(engine, layout, name=_name(url))
        if not allow_plain:
            event.listen(engine, "connect", self._check_way)
        try:
            if not self._is_up_to_date():
                self.bring()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[Session]:
        """A session whose work is kept as a whole or not at all; it begins when the server answers.

        Raises:
            StoreBusyError: where others were at the same; nothing was kept, and doing it again may succeed.
            StoreError: for a fault of the server.
        """
        self._await_server()
        with super().transaction(write=write) as session:
            yield session

    def failure(self, error: BaseException | None) -> StoreError:
        """The error for a fault: clear words by the server's own code for it, and nothing of its message."""
        state, message = getattr(error, "sqlstate", None) or "", str(error)
        if state in _BUSY:
            return StoreBusyError(f"{self.name}: {_BUSY[state]}")
        clearer = next((words for sign, words in _BY_STATE.items() if state.startswith(sign)), None)
        if clearer is None and not state:
            clearer = next((words for sign, words in _BY_WORDS.items() if sign in message), None)
        what = self._layout.what
        words = clearer.format(what=what) if clearer else f"cannot be used: {type(error).__name__} {state}".rstrip()
        return StoreError(f"{self.name}: {words}")

    def erase_for_good(self) -> bool:
        """The server's own cleaning takes what was deleted; until it has, bytes may stand in its files."""
        return True

    def _join_store(self, alone: Callable[[], None]) -> Leave:
        import psycopg  # noqa: PLC0415 - an extra

        try:
            return join_by_server(self.engine, alone)
        except DBAPIError as error:
            raise self.failure(error.orig) from None
        except psycopg.Error as error:
            raise self.failure(error) from None

    def _check_way(self, connection: Connection[Any], _: object) -> None:
        """Raises `StoreError` if a connection leads beyond this machine without TLS, as a service file may have it."""
        info = connection.info
        if not info.pgconn.ssl_in_use and is_elsewhere(info.hostaddr or info.host):
            connection.close()
            raise StoreError(f"{self.name}: {PLAIN} ({TLS_REMEDY})")

    def _engine_for(self, *, write: bool) -> Engine:
        if write:
            return self.engine
        return self.engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    def _await_server(self) -> None:
        """Returns once a connection can be had."""
        attempts = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_is_passing),
            stop=tenacity.stop_after_delay(_AGAIN_S),
            wait=tenacity.wait_fixed(_RETRY_S),
            reraise=True,
        )
        try:
            attempts(self._connect)
        except (OperationalError, InterfaceError) as error:
            raise self.failure(error.orig) from None
        except SQLAlchemyError as error:
            raise self.failure(error) from None

    def _connect(self) -> None:
        with self.engine.connect():
            pass

    def _is_up_to_date(self) -> bool:
        """Return whether the tables are there and up to date; raises if they are foreign or of a newer version."""
        with self.transaction() as session:
            tables = set(inspect(session.connection()).get_table_names())
            if not tables:
                return False
            if not {VERSION_TABLE, self._layout.mark} <= tables:
                problem = f"is a database of something else, not a {self._layout.what}"
                raise StoreError(f"{self.name}: {problem} (name another database or schema, an empty one)")
            versions = session.connection().execute(text("SELECT version FROM schema_version"))
            return self.is_current([version for (version,) in versions])


def _name(url: URL) -> str:
    """Address of the database, without user and password."""
    host = url.host or url.query.get("host") or "localhost"
    return f"postgresql://{host}{f':{url.port}' if url.port else ''}/{url.database or ''}"


def _is_passing(error: BaseException) -> bool:
    """Return whether a server that could not be reached may be there in a moment."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    state, message = getattr(error.orig, "sqlstate", None) or "", str(error.orig)
    return state in _RESTARTING or (not state and any(sign in message for sign in _PASSING))


_PASSING: Final = (
    "Connection refused",
    "No such file or directory",
    "starting up",
    "shutting down",
    "in recovery",
    "closed the connection",
    "connection is closed",
    "connection is bad",
    "connection is lost",
    "consuming input failed",
)
_BUSY: Final[Mapping[str, str]] = {
    "40001": "others changed the same at the same time; nothing was kept (do the same again)",
    "40P01": "others waited for the same in another order; nothing was kept (do the same again)",
    "55P03": "is in use by another process; nothing was kept (wait until that is done, and do the same again)",
}
_BY_STATE: Final[Mapping[str, str]] = {
    "28": "refuses the user or the password (see the address, and the server's pg_hba.conf)",
    "3D000": "there is no such database (create it first, for example with createdb)",
    "42501": "this user lacks the rights (grant it the database, or make it the owner of the tables)",
    "42P01": f"lacks a table: it is damaged or not a {{what}} ({RESTORE})",
    "42703": f"lacks a column: it is damaged or not a {{what}} ({RESTORE})",
    "53100": "cannot be written: the server's disk is full (make room, then do the same again)",
    "53300": "has no connection left (raise max_connections, or run fewer processes)",
    "25006": "is a read-only copy (name the primary server)",
    "57": "the server ended the connection; nothing was kept (see that it runs, then do the same again)",
    "08": "the connection was lost (see that the server runs, then do the same again)",
    "XX00": f"is damaged ({RESTORE})",
}
"""By the beginning of PostgreSQL's code of the error (appendix A of its manual)."""

_BY_WORDS: Final[Mapping[str, str]] = {
    "password authentication failed": _BY_STATE["28"],
    "no password supplied": _BY_STATE["28"],
    "no pg_hba.conf entry": _BY_STATE["28"],
    "does not exist": _BY_STATE["3D000"],
    "too many clients": _BY_STATE["53300"],
    "does not support SSL": f"does not speak TLS (switch it on there: {PLAIN} otherwise; {TLS_REMEDY})",
    "certificate verify failed": "shows a certificate that is not trusted (see sslrootcert in the address)",
    "root certificate file": "cannot be known: the authorities are not there (see sslrootcert in the address)",
    "does not match host name": "shows a certificate of another host (see the address, and sslmode)",
    "timeout expired": "does not answer (see that the server runs and that the address is right)",
    "Connection refused": "cannot be reached (see that the server runs and that the address is right)",
    "No such file or directory": "cannot be reached (see that the server runs and that the address is right)",
    "resolve": "cannot be reached: no such host (see the address)",
    "server closed": _BY_STATE["08"],
    "connection": _BY_STATE["08"],
    "QueuePool": "has no connection left for this process (run fewer workers, or more processes)",
}
"""By words of libpq where no server gave a code: nothing that is stored is in them."""
