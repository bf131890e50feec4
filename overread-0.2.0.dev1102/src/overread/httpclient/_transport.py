"""A transport whose time is for a whole response, however it trickles in, and whose bodies have a greatest size."""

from __future__ import annotations

import socket as sockets
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from threading import Lock, Timer
from typing import Any, Final

import httpx2

from overread.httpclient._unpacking import UnpackingError, unpack

__all__ = ["PunctualTransport"]

_CONNECTED: Final = (".connect_tcp.complete", ".connect_unix_socket.complete", ".start_tls.complete")
_NONE_KEPT: Final = httpx2.Limits(max_keepalive_connections=0)
_ONE: Final = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=3.0)
"""Kept for less than the seconds after which servers commonly close a silent connection, uvicorn's 5 among them."""

_LONGEST_ERROR: Final = 1 << 16
"""Bytes of the body of anything but an answer; those of servers that explain an error have a few hundred."""


class PunctualTransport(httpx2.HTTPTransport):
    """Breaks a connection off when the response, headers and body, is not there as a whole in time.

    Timeouts of a client are for one read each, of which a slow server can make any number. Each request has a
    connection of its own, so that breaking it off meets no other; or there is a single connection, and one request at a
    time.

    A body is unpacked here, step by step, and ends where it is longer than it may be: the client reads a whole error
    into memory, and unpacks as it goes. That of an error that cannot be unpacked is empty.

    Args:
        timeout_s: from sending the request to the last byte.
        max_bytes: of an answer's body, unpacked; a longer one is cut behind them, and that of anything but an answer
            earlier.
        verify: the certificates that are trusted.
        proxy: URL of a proxy, None for none; those that the environment names are not used.
        socket: path of the Unix socket that is spoken to, None for the host of a URL.
        keep: whether one connection is kept for requests that come one after the other.

    Raises:
        httpx2.ReadTimeout: from requests and from reading their responses, when the time is over.
    """

    def __init__(
        self,
        timeout_s: float,
        max_bytes: int,
        *,
        verify: ssl.SSLContext,
        proxy: str | None = None,
        socket: str | None = None,
        keep: bool = False,
    ) -> None:
        super().__init__(limits=_ONE if keep else _NONE_KEPT, proxy=proxy, uds=socket, verify=verify)
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._keep = keep
        self._kept: sockets.socket | None = None
        """The one connection, of whose next request nothing tells that it is the same."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Handles a request, as any transport does."""
        alarm = _Alarm(self._timeout_s, self._kept)
        request.extensions = {**request.extensions, "trace": alarm.follow}
        with alarm.guarding():
            response = super().handle_request(request)
        if self._keep:
            self._kept = alarm.socket
        if isinstance(response.stream, httpx2.SyncByteStream):
            encoding = response.headers.pop("content-encoding", "")
            is_error = response.status_code >= HTTPStatus.MULTIPLE_CHOICES
            limit = min(self._max_bytes, _LONGEST_ERROR) if is_error else self._max_bytes + 1
            response.stream = _BoundedStream(response.stream, alarm, encoding, limit, is_error=is_error)
        return response


class _BoundedStream(httpx2.SyncByteStream):
    """The body of a response, unpacked, until the limit is reached or the alarm goes off."""

    def __init__(
        self, stream: httpx2.SyncByteStream, alarm: _Alarm, encoding: str, limit: int, *, is_error: bool
    ) -> None:
        self._stream = stream
        self._alarm = alarm
        self._encoding = encoding
        self._limit = limit
        self._is_error = is_error

    def __iter__(self) -> Iterator[bytes]:
        with self._alarm.guarding():
            try:
                yield from unpack(self._stream, self._encoding, self._limit)
            except UnpackingError as error:
                if not self._is_error:
                    raise httpx2.DecodingError(str(error)) from None

    def close(self) -> None:
        self._alarm.cancel()
        self._stream.close()


class _Alarm:
    """Shuts the latest connection of one request down when its time is over."""

    def __init__(self, seconds: float, kept: sockets.socket | None) -> None:
        self.socket = kept
        self._is_over = False
        self._lock = Lock()
        self._timer = Timer(seconds, self._go_off)
        self._timer.daemon = True
        self._timer.start()

    def follow(self, event: str, info: Mapping[str, Any]) -> None:
        """Takes note of connections; called by the client at each step of the request."""
        if event.endswith(_CONNECTED):
            with self._lock:
                self.socket = info["return_value"].get_extra_info("socket")
            if self._is_over:
                self._shut_down()

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Raises a timeout for whatever fails, or ends, after the alarm."""
        try:
            yield
        except Exception:
            self.cancel()
            if not self._is_over:
                raise
        if self._is_over:
            raise httpx2.ReadTimeout("the response did not arrive in time")

    def cancel(self) -> None:
        self._timer.cancel()

    def _go_off(self) -> None:
        self._is_over = True
        self._shut_down()

    def _shut_down(self) -> None:
        # The method of the plain socket: that of a TLS socket takes it apart under the hands of who is reading.
        with self._lock, suppress(OSError):
            if self.socket is not None:
                sockets.socket.shutdown(self.socket, sockets.SHUT_RDWR)
