"""Connections of HTTP: so many at once, of which none may keep the service waiting."""

from __future__ import annotations

import asyncio
import math
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
        crowd = self._crowd()
        if not crowd:
            self._watch()
            return
        longest = min(crowd, key=lambda each: each.waits_until)
        gone = longest if longest.waits_until < math.inf else self
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

    @property
    def waits_until(self) -> float:
        """When a stranger's time to ask is over; never while it is being answered, nor for whoever is known."""
        return math.inf if self._late is None or self._is_known else self._late.when()

    def drop(self) -> None:
        """Closes at once."""
        self._stop_waiting()
        self.connections.discard(self)
        self.transport.abort()

    def _crowd(self) -> list[BoundedConnection]:
        """The connections of its address where those are too many, else all where they are, else none."""
        options, host = self._options, _host(self)
        everybody = [each for each in self.connections if isinstance(each, BoundedConnection)]
        of_one = [each for each in everybody if _host(each) == host]
        if host not in options.proxies and len(of_one) > max(1, options.most_connections // 2):
            return of_one
        return everybody if len(everybody) > options.most_connections else []

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
