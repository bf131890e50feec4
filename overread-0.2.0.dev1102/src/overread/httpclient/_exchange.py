"""One request and what comes back: an answer, or a code that quotes nothing of it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from datetime import timedelta
from http import HTTPStatus
from typing import Final

import httpx2
from attrs import field, frozen

from overread.httpclient._clients import Limits

__all__ = ["Answer", "NoAnswer", "exchange", "exchange_async"]

_LONGEST_NUMBER: Final = 6
_FAULTS: Final = (httpx2.HTTPError, httpx2.InvalidURL, ssl.SSLError, OSError)


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


def exchange(
    client: httpx2.Client, limits: Limits, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b""
) -> Answer | NoAnswer:
    """The answer to a request by a client of `open_client`; the body of an error is cut at 64 KiB."""
    content = bytearray()
    try:
        with client.stream(method, url, headers=dict(headers), content=body) as response:
            for piece in response.iter_raw() if limits.max_bytes else ():
                content += piece
                if len(content) > limits.max_bytes:
                    return NoAnswer("too-large")
    except _FAULTS as error:
        return NoAnswer(_reason(error))
    return Answer(status=response.status_code, headers=dict(response.headers), body=bytes(content))


async def exchange_async(
    client: httpx2.AsyncClient, limits: Limits, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b""
) -> Answer | NoAnswer:
    """The answer to a request by a client of `open_async_client`; a body that is read must not be compressed."""
    content = bytearray()
    try:
        async with (
            asyncio.timeout(limits.seconds),
            client.stream(method, url, headers=dict(headers), content=body) as response,
        ):
            if limits.max_bytes:
                if response.headers.get("content-encoding", "identity") != "identity":
                    return NoAnswer("packed")
                async for piece in response.aiter_raw():
                    content += piece
                    if len(content) > limits.max_bytes:
                        return NoAnswer("too-large")
    except _FAULTS as error:
        return NoAnswer(_reason(error))
    return Answer(status=response.status_code, headers=dict(response.headers), body=bytes(content))


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError | httpx2.TimeoutException):
        return "timeout"
    return "packed" if isinstance(error, httpx2.DecodingError) else "unreachable"
