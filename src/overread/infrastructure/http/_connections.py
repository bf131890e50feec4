"""Connections of HTTP: so many at once, of which none may keep the service waiting."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from overread.infrastructure.http.configuration import ServerOptions
from overread.infrastructure.logs import get_logger

__all__ = ["BoundedConfig", "BoundedConnection"]

_log: Final = get_logger("http")

_STUCK_S: Final = 30.0
"""Without a byte being read of an answer, after which nobody is waiting for it any more."""


class BoundedConfig(uvicorn.Config):
    """A configuration of uvicorn whose connections are bounded."""

    def __init__(self, app: Any, options: ServerOptions, **others: Any) -> None:
        super().__init__(app, http=BoundedConnection, **others)
        self.options = options


class BoundedConnection(H11Protocol):
    """A connection that is closed where a request's headers take too long, or its answer is not read.

    Uvicorn waits for both without end. What is too many at once, altogether or of one address, is closed unheard.
    """

    _late: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None
    _unread: int = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request."""
        super().connection_made(transport)
        if self._is_one_too_many():
            _log.warning("http_connection_refused", count=len(self.connections))
            transport.abort()
            return
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Takes what has arrived."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Waits for the next request."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """The client does not read as fast as it is answered."""
        super().pause_writing()
        self._unread = self.transport.get_write_buffer_size()
        self._stuck = self._stuck or self.loop.call_later(_STUCK_S, self._look)

    def resume_writing(self) -> None:
        """It does again."""
        super().resume_writing()
        self._stop_looking()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_waiting()
        self._stop_looking()
        super().connection_lost(exc)

    @property
    def _options(self) -> ServerOptions:
        assert isinstance(self.config, BoundedConfig)  # noqa: S101 - which alone names this class
        return self.config.options

    def _is_one_too_many(self) -> bool:
        options, host = self._options, _host(self)
        if len(self.connections) > options.most_connections:
            return True
        of_one = sum(_host(each) == host for each in self.connections)
        return host not in options.proxies and of_one > max(1, options.most_connections // 2)

    def _watch(self) -> None:
        """The time for a request runs while none is being answered, whatever arrives of it meanwhile."""
        waits = self.cycle is None or self.cycle.response_complete
        if not waits or self.transport.is_closing():
            self._stop_waiting()
        elif self._late is None:
            self._late = self.loop.call_later(self._options.header_seconds, self._close)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _stop_looking(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def _close(self) -> None:
        self._late = None
        self.transport.close()

    def _look(self) -> None:
        """Of an answer that is still being read, something has gone since the last look."""
        self._stuck, unread = None, self.transport.get_write_buffer_size()
        if unread >= self._unread:
            _log.info("http_connection_closed", reason="unread")
            self.transport.abort()
            return
        self._unread, self._stuck = unread, self.loop.call_later(_STUCK_S, self._look)


def _host(connection: Any) -> str:
    client = connection.client
    return str(client[0]) if client else ""
