"""Connections of HTTP: so many at once, of which none may keep the service waiting."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from overread.hospital.infrastructure.http.configuration import ServerOptions
from overread.infrastructure.logs import get_logger

__all__ = ["BoundedConfig", "BoundedConnection"]

_log: Final = get_logger("http")

_STUCK_S: Final = 30.0
"""Without a byte being read of an answer, after which nobody is waiting for it any more."""


class BoundedConfig(uvicorn.Config):
    """A configuration of uvicorn whose connections are bounded.

    Attributes:
        options: the bounds.
        strangers: connections that wait for a request and have shown no valid key or session, the longest first.
        of_host: number of open connections by their address.
    """

    def __init__(self, app: Any, options: ServerOptions, **others: Any) -> None:
        super().__init__(app, http=BoundedConnection, **others)
        self.options = options
        self.strangers: dict[BoundedConnection, None] = {}
        self.of_host = Counter[str]()


class BoundedConnection(H11Protocol):
    """A connection that is closed where a request's headers take too long, or its answer is not read.

    Uvicorn waits for both without end. Where there are too many, altogether or of one address, the one that has kept
    the service waiting longest makes way: nobody is kept out by those who hold connections and ask for nothing. One
    that has brought a valid key or session keeps its place.
    """

    _late: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None
    _unread: int = 0
    _is_known: bool = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._bounds.of_host[self._host] += 1
        gone = self._one_too_many()
        if gone is not None:
            _log.info("http_connection_closed", reason="crowded")
            gone.drop()
        if gone is not self:
            self._watch()

    def data_received(self, data: bytes) -> None:
        """Takes what has arrived."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Waits for the next request."""
        self._is_known = self._is_known or self.cycle.scope["state"].get("is_known", False)
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """The client does not read as fast as it is answered."""
        super().pause_writing()
        self._unread = self.transport.get_write_buffer_size()
        self._stuck = self._stuck or self.loop.call_later(_STUCK_S, self._look)

    def resume_writing(self) -> None:
        """The client reads fast enough again."""
        super().resume_writing()
        self._stop_looking()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_waiting()
        self._stop_looking()
        self._leave()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Closes at once."""
        self._stop_waiting()
        self._leave()
        self.transport.abort()

    @property
    def _bounds(self) -> BoundedConfig:
        assert isinstance(self.config, BoundedConfig)  # noqa: S101 - which alone names this class
        return self.config

    @property
    def _host(self) -> str:
        return str(self.client[0]) if self.client else ""

    def _leave(self) -> None:
        """Stops counting this connection."""
        if self in self.connections:
            self.connections.discard(self)
            of_host, host = self._bounds.of_host, self._host
            of_host[host] -= 1
            if not of_host[host]:
                del of_host[host]

    def _one_too_many(self) -> BoundedConnection | None:
        """Returns which has to go, of its address if that has too many, else of all: this one if no other waits."""
        bounds, host = self._bounds, self._host
        options = bounds.options
        if host not in options.proxies and bounds.of_host[host] > max(1, options.most_connections // 2):
            return next((stranger for stranger in bounds.strangers if stranger.is_of(host)), self)
        if len(self.connections) > options.most_connections:
            return next(iter(bounds.strangers), self)
        return None

    def is_of(self, host: str) -> bool:
        """Returns whether the connection comes from an address."""
        return self._host == host

    def _watch(self) -> None:
        """The time for a request runs while none is being answered, whatever arrives of it meanwhile."""
        waits = self.cycle is None or self.cycle.response_complete
        if not waits or self.transport.is_closing():
            self._stop_waiting()
        elif self._late is None:
            self._late = self.loop.call_later(self._bounds.options.header_seconds, self._close)
            if not self._is_known:
                self._bounds.strangers[self] = None

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
        self._bounds.strangers.pop(self, None)

    def _stop_looking(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def _close(self) -> None:
        self._late = None
        self.transport.close()

    def _look(self) -> None:
        """Closes the connection if nothing of its answer was read since the last look."""
        self._stuck, unread = None, self.transport.get_write_buffer_size()
        if unread >= self._unread:
            _log.info("http_connection_closed", reason="unread")
            self.transport.abort()
            return
        self._unread, self._stuck = unread, self.loop.call_later(_STUCK_S, self._look)
