"""Clients: no redirect is followed, and no proxy used but the one that is given."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Final

import httpx2
from attrs import frozen

from overread.httpclient._transport import PunctualTransport

__all__ = ["Limits", "open_async_client", "open_client"]

_PLAIN_BODY: Final = {"Accept-Encoding": "identity"}


@frozen(kw_only=True)
class Limits:
    """Limits of one request.

    Attributes:
        seconds: from the connection to the last byte, however slowly it arrives.
        max_bytes: of an answer's body; 0 if the body is not read.
        authorities: file of the certificates by which servers are trusted; the system's if None.
    """

    seconds: float = 10.0
    max_bytes: int = 0
    authorities: Path | None = None


def open_client(
    limits: Limits,
    *,
    connect_seconds: float | None = None,
    proxy: str | None = None,
    socket: str | None = None,
    verify: ssl.SSLContext | None = None,
    keep: bool = False,
) -> httpx2.Client:
    """A client of servers, for threads; each request has a connection of its own, unless one is kept.

    Args:
        limits: of each of its requests; it keeps the time itself, and cuts a body behind the most bytes.
        connect_seconds: until there is a connection, where they are fewer than all.
        proxy: URL of a proxy, None for none.
        socket: path of the Unix socket that is spoken to, whatever the host of a URL.
        verify: the certificates that are trusted, in place of those of the limits.
        keep: whether requests, which come one after the other, share one connection while the server keeps it.

    Raises:
        OSError: if the file of authorities cannot be read.
    """
    transport = PunctualTransport(
        limits.seconds,
        limits.max_bytes,
        verify=verify or _make_ssl_context(limits),
        proxy=proxy,
        socket=socket,
        keep=keep,
    )
    connect = limits.seconds if connect_seconds is None else min(limits.seconds, connect_seconds)
    timeout = httpx2.Timeout(limits.seconds, connect=connect)
    return httpx2.Client(
        transport=transport, timeout=timeout, follow_redirects=False, trust_env=False, headers=_PLAIN_BODY
    )


def open_async_client(limits: Limits) -> httpx2.AsyncClient:
    """A client of servers, for an event loop; the time of a whole request is kept by `exchange_async`.

    Raises:
        OSError: if the file of authorities cannot be read.
    """
    return httpx2.AsyncClient(
        verify=_make_ssl_context(limits),
        timeout=limits.seconds,
        follow_redirects=False,
        trust_env=False,
        headers=_PLAIN_BODY,
    )


def _make_ssl_context(limits: Limits) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=limits.authorities)
