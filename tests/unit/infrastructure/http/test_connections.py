"""Connections of a server that really listens: how long a request's headers may take, and how many may be open."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from typing import Any, Final

import pytest
from attrs import define

from overread.exceptions import ConfigurationError
from overread.infrastructure.http import ServerOptions, create_server
from overread.infrastructure.http._server import HttpServer

from .quick import Doors

_REQUEST: Final = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
_OK: Final = b"HTTP/1.1 200 OK"


@asynccontextmanager
async def _server(**options: Any) -> AsyncIterator[HttpServer]:
    server = create_server(Doors().app, ServerOptions(port=0, **options))
    await server.start()
    try:
        yield server
    finally:
        await server.stop(timedelta(seconds=1))


@define
class _Client:
    """A connection, to be closed at the end."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self) -> bytes:
        """The status line of an answer; b"" where the connection is closed instead."""
        try:
            self.writer.write(_REQUEST)
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: *(\d+)", head)
            assert length is not None
            await self.reader.readexactly(int(length[1]))
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""
        return head.splitlines()[0]

    async def end(self) -> None:
        """Waits until the server closes."""
        with suppress(ConnectionError):
            await self.reader.read()

    async def close(self) -> None:
        """Closes."""
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


@asynccontextmanager
async def _client(server: HttpServer) -> AsyncIterator[_Client]:
    client = _Client(*await asyncio.open_connection("127.0.0.1", server.port))
    try:
        yield client
    finally:
        await client.close()


@pytest.mark.parametrize("begun", [b"", b"GET /healthz HTTP/1.1\r\nHost: local", b"POST /login HTTP/1.1\r\nX: "])
def test_who_takes_too_long_to_ask_is_closed(begun: bytes) -> None:
    """Whether nothing comes or a beginning, and for the second request of a connection as for its first."""

    async def tried() -> None:
        async with _server(header_seconds=0.2) as server:
            for asks_first in (False, True):
                async with _client(server) as client:
                    assert not asks_first or await client.ask() == _OK
                    client.writer.write(begun)
                    await client.end()

    asyncio.run(tried())


def test_bytes_one_by_one_gain_no_time() -> None:
    """The time is for all headers, not from one byte to the next."""

    async def tried() -> None:
        async with _server(header_seconds=0.3) as server, _client(server) as client:

            async def drip() -> None:
                while True:
                    client.writer.write(b"X")
                    await asyncio.sleep(0.05)

            dripping = asyncio.create_task(drip())
            await client.end()
            dripping.cancel()

    asyncio.run(tried())


def test_further_connections_are_closed_and_those_there_go_on() -> None:
    """Of one address at half of all that may be open; once one has gone another may come."""

    async def tried() -> None:
        async with _server(most_connections=4) as server, _client(server) as first, _client(server) as second:
            assert await first.ask() == await second.ask() == _OK
            async with _client(server) as third:
                assert await third.ask() == b""
            assert await first.ask() == _OK
            second.writer.write(b"no request\r\n\r\n")
            await second.end()
            async with _client(server) as third:
                assert await third.ask() == _OK

    asyncio.run(tried())


def test_a_proxy_may_have_all_connections() -> None:
    """Everybody comes by its address."""

    async def tried() -> None:
        async with _server(most_connections=3, proxies=["127.0.0.1"]) as server, AsyncExitStack() as clients:
            many = [await clients.enter_async_context(_client(server)) for _ in range(4)]
            assert [await each.ask() for each in many] == [_OK] * 3 + [b""]

    asyncio.run(tried())


def test_bounds_are_above_nothing() -> None:
    """Both problems are told."""
    with pytest.raises(ConfigurationError) as caught:
        ServerOptions(most_connections=0, header_seconds=0)
    assert len(caught.value.problems) == 2
