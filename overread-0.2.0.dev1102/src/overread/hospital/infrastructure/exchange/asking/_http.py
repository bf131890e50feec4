"""Requests to other systems, so many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack

import httpx2
from attrs import field, frozen

from overread import httpclient
from overread.httpclient import Answer, NoAnswer, exchange_async, open_async_client

__all__ = ["Answer", "Asked", "Limits", "NoAnswer", "answers", "ask"]


@frozen(kw_only=True)
class Limits(httpclient.Limits):
    """Limits of one request.

    Attributes:
        at_once: number of requests with the same limits that run side by side.
    """

    at_once: int = 4


@frozen(kw_only=True)
class Asked:
    """A request."""

    limits: Limits
    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


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
        client = open_async_client(limits)
    except OSError:
        return None
    return await open_clients.enter_async_context(client), asyncio.Semaphore(limits.at_once)


async def _answer(request: Asked, way: _Way | None) -> Answer | NoAnswer:
    if way is None:
        return NoAnswer("no-authorities")
    client, gate = way
    async with gate:
        return await exchange_async(
            client, request.limits, request.method, request.url, headers=request.headers, body=request.body
        )
