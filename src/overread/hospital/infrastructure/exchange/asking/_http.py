"""One request to another system: bounded in time and size, to one place, without redirects."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx2
from attrs import field, frozen

__all__ = ["Answer", "Asked", "Limits", "NoAnswer", "answers", "ask"]

_LONGEST_NUMBER: Final = 6
_PLAIN_BODY: Final = {"Accept-Encoding": "identity"}


@frozen(kw_only=True)
class Limits:
    """Limits of one request.

    Attributes:
        seconds: from the connection to the last byte, however slowly it arrives.
        max_bytes: of an answer's body, which must not be compressed; 0 if the body is not read.
        at_once: number of requests with the same limits that run side by side.
        authorities: file of the certificates by which servers are trusted; the system's if None.
    """

    seconds: float = 10.0
    max_bytes: int = 0
    at_once: int = 4
    authorities: Path | None = None


@frozen(kw_only=True)
class Asked:
    """A request."""

    limits: Limits
    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


@frozen(kw_only=True)
class Answer:
    """The response to a request."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(default=b"", repr=False)

    @property
    def is_success(self) -> bool:
        """True if the status is one of 200 to 299."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def asked_wait(self) -> timedelta | None:
        """Wait that Retry-After asks for in seconds; None without it, or if it names a date."""
        header = self.headers.get("retry-after", "")
        is_number = header.isascii() and header.isdigit() and len(header) <= _LONGEST_NUMBER
        return timedelta(seconds=int(header)) if is_number else None


@frozen
class NoAnswer:
    """Nothing came back that can be used; ``reason`` is a short stable code."""

    reason: str


_Way = tuple[httpx2.AsyncClient, asyncio.Semaphore]
"""A client, and how many requests it has at once."""


def ask(requests: Sequence[Asked]) -> list[Answer | NoAnswer]:
    """The answer to each request, in order. To be called from a thread without an event loop."""
    return asyncio.run(answers(requests))


async def answers(requests: Sequence[Asked]) -> list[Answer | NoAnswer]:
    """The answer to each request, in order."""
    async with AsyncExitStack() as open_clients:
        ways = {limits: await _way(limits, open_clients) for limits in {request.limits for request in requests}}
        return await asyncio.gather(*(_answer(request, ways[request.limits]) for request in requests))


async def _way(limits: Limits, open_clients: AsyncExitStack) -> _Way | None:
    """None where the file of authorities cannot be read any more: nobody is trusted then."""
    try:
        trusted = ssl.create_default_context(cafile=limits.authorities)
    except OSError:
        return None
    client = await open_clients.enter_async_context(_client(limits, trusted))
    return client, asyncio.Semaphore(limits.at_once)


def _client(limits: Limits, trusted: ssl.SSLContext) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        verify=trusted,
        timeout=limits.seconds,
        follow_redirects=False,
        trust_env=False,
        headers=_PLAIN_BODY,
    )


async def _answer(request: Asked, way: _Way | None) -> Answer | NoAnswer:
    if way is None:
        return NoAnswer("no-authorities")
    client, gate = way
    async with gate:
        try:
            async with asyncio.timeout(request.limits.seconds):
                return await _whole(request, client)
        except (TimeoutError, httpx2.TimeoutException):
            return NoAnswer("timeout")
        except (httpx2.HTTPError, httpx2.InvalidURL, ssl.SSLError, OSError):
            return NoAnswer("unreachable")


async def _whole(request: Asked, client: httpx2.AsyncClient) -> Answer | NoAnswer:
    async with client.stream(
        request.method, request.url, headers=dict(request.headers), content=request.body
    ) as response:
        body = bytearray()
        if request.limits.max_bytes:
            if response.headers.get("content-encoding", "identity") != "identity":
                return NoAnswer("packed")
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > request.limits.max_bytes:
                    return NoAnswer("too-large")
        return Answer(status=response.status_code, headers=dict(response.headers), body=bytes(body))
