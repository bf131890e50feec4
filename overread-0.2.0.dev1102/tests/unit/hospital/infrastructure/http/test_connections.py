"""Connections of a server that really listens: how long a request's headers may take, and how many may be open."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest
from attrs import define

from overread.exceptions import ConfigurationError
from overread.hospital.domain.audit_trail import Role
from overread.hospital.infrastructure.http import HttpConfiguration, ServerOptions, create_server
from overread.hospital.infrastructure.http._server import HttpServer

from ..exchange.certificates import signs_itself
from .quick import Doors, FakeHasher

_REQUEST: Final = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
_OK: Final = b"HTTP/1.1 200 OK"
_BODY_TO_COME: Final = (
    b"POST /login HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\n"
)
_NO_KEY: Final = b"HTTP/1.1 401 Unauthorized"
_TOO_OFTEN: Final = b"HTTP/1.1 429 Too Many Requests"
_SLOW_BODY: Final = b"HTTP/1.1 408 Request Timeout"


@asynccontextmanager
async def _server(doors: Doors | None = None, **options: Any) -> AsyncIterator[HttpServer]:
    server = create_server((doors or Doors()).app, ServerOptions(port=0, **options))
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

    async def ask(self, request: bytes = _REQUEST) -> bytes:
        """The status line of an answer; b"" where the connection is closed instead."""
        try:
            self.writer.write(request)
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


def test_who_begins_no_handshake_is_closed(tmp_path: Path) -> None:
    """With TLS a connection counts once it is sealed; until then it has the time that headers have."""
    certificate, key = signs_itself(tmp_path, "localhost")

    async def tried() -> None:
        async with _server(header_seconds=0.2, certificate=certificate, key=key) as server, _client(server) as client:
            async with asyncio.timeout(30):  # of the 60 that it would have otherwise
                await client.end()
            trusted = ssl.create_default_context(cafile=certificate)
            sealed = _Client(*await asyncio.open_connection("localhost", server.port, ssl=trusted))
            assert await sealed.ask() == _OK
            await sealed.close()

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


def test_who_waits_longest_makes_way_for_another() -> None:
    """Of one address at half of all that may be open; those there go on."""

    async def tried() -> None:
        async with (
            _server(most_connections=4) as server,
            _client(server) as first,
            _client(server) as second,
        ):
            assert await second.ask() == await first.ask() == _OK
            async with _client(server) as third:
                assert await third.ask() == _OK
                await second.end()
                assert await first.ask() == _OK

    asyncio.run(tried())


def test_who_has_a_key_makes_way_for_nobody() -> None:
    """Their connection stays; where there are no others a further one is closed."""
    doors = Doors()

    async def tried() -> None:
        async with (
            _server(doors, most_connections=4) as server,
            _client(server) as first,
            _client(server) as second,
        ):
            assert await first.ask(_with_key(doors)) == await second.ask(_with_key(doors)) == _OK
            async with _client(server) as third:
                assert await third.ask() == b""
            assert await first.ask() == await second.ask() == _OK

    asyncio.run(tried())


def test_a_rush_closes_nobody_whose_request_has_arrived() -> None:
    """More connections than may be open wait to be accepted at once: the first has asked already, and is answered."""

    async def tried() -> None:
        async with _server(most_connections=200, proxies=["127.0.0.1"]) as server, AsyncExitStack() as clients:
            first = socket.create_connection(("127.0.0.1", server.port))
            first.sendall(_REQUEST)
            for _ in range(600):
                clients.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            client = _Client(*await asyncio.open_connection(sock=first))
            assert (await client.reader.readuntil(b"\r\n")).strip() == _OK
            await client.close()

    asyncio.run(tried())


def test_a_proxy_may_have_all_connections() -> None:
    """Everybody comes by its address."""

    async def tried() -> None:
        async with _server(most_connections=3, proxies=["127.0.0.1"]) as server, AsyncExitStack() as clients:
            many = [await clients.enter_async_context(_client(server)) for _ in range(3)]
            assert [await each.ask() for each in many] == [_OK] * 3

    asyncio.run(tried())


@pytest.mark.parametrize("strangers", [60, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "held",
    [b"", b"GET /login HTTP/1.1\r\nHost: local", _BODY_TO_COME],
    ids=["nothing", "headers", "body"],
)
def test_strangers_who_hold_connections_keep_nobody_out(held: bytes, strangers: int) -> None:
    """Who has a key goes on, on the connection of before and on a new one; so does who had none yet."""
    limits = HttpConfiguration(most_in_flight=16, most_of_one_address=16, session_secret=b"s" * 32)
    doors = Doors(limits)

    async def tried() -> None:
        async with (
            # As from many addresses: those of a proxy are not counted.
            _server(doors, most_connections=20, proxies=["127.0.0.1"]) as server,
            _client(server) as before,
            AsyncExitStack() as clients,
        ):
            assert await before.ask(_with_key(doors)) == _OK
            for number in range(strangers):
                stranger = await clients.enter_async_context(_client(server))
                stranger.writer.write(held)
                if number % 100 == 0:  # a connection of which nothing is asked for long is closed in any case
                    assert await before.ask(_with_key(doors)) == _OK
            for role in (Role.REVIEWER, Role.ADMIN):
                async with _client(server) as new:
                    assert await new.ask(_with_key(doors, role)) == _OK
            assert await before.ask(_with_key(doors)) == _OK

    asyncio.run(tried())


def test_who_is_slowest_with_a_body_makes_way_for_another() -> None:
    """Of strangers: there are as many as may be, and each that comes has the place of the first."""
    limits = HttpConfiguration(most_in_flight=4, session_secret=b"s" * 32)

    async def tried() -> None:
        async with _server(Doors(limits)) as server, _client(server) as probe, AsyncExitStack() as clients:
            asked = []
            for _ in range(6):
                stranger = await clients.enter_async_context(_client(server))
                asked.append(asyncio.create_task(stranger.ask(_BODY_TO_COME)))
                await asyncio.sleep(0)
                assert await probe.ask() == _OK  # what was asked before is waited for by now
            assert await asyncio.gather(*asked[:4]) == [_SLOW_BODY] * 4
            assert not any(each.done() for each in asked[4:])
            for each in asked:
                each.cancel()

    asyncio.run(tried())


class _StuckHasher(FakeHasher):
    """Takes as long as it is told for what it has not seen before."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = Event()

    def holds(self, digest: str, secret: str) -> bool:
        self.go_on.wait()
        return super().holds(digest, secret)


def test_strangers_keys_leave_threads_for_who_is_known() -> None:
    """More wrong keys than there are threads are looked at, slowly; a key that was right before opens meanwhile."""
    doors, hasher = Doors(), _StuckHasher()
    doors.access.hasher = hasher
    wrong = _with_key(doors).replace(doors.secrets[Role.REVIEWER].encode(), b"orv_" + b"a" * 12 + b"_" + b"b" * 43)

    async def tried() -> None:
        async with _server(doors) as server, _client(server) as known, AsyncExitStack() as clients:
            hasher.go_on.set()
            assert await known.ask(_with_key(doors)) == _OK
            hasher.go_on.clear()
            strangers = [await clients.enter_async_context(_client(server)) for _ in range(50)]
            asked = [asyncio.create_task(each.ask(wrong)) for each in strangers]
            await asyncio.sleep(0)
            try:
                assert await known.ask(_with_key(doors)) == _OK
                assert await known.ask(_with_key(doors)) == _OK
            finally:
                hasher.go_on.set()
            assert set(await asyncio.gather(*asked)) <= {_NO_KEY, _TOO_OFTEN}

    asyncio.run(tried())


def _with_key(doors: Doors, role: Role = Role.REVIEWER) -> bytes:
    key = doors.secrets[role].encode()
    return b"GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key + b"\r\n\r\n"


def test_bounds_are_above_nothing() -> None:
    """Both problems are told."""
    with pytest.raises(ConfigurationError) as caught:
        ServerOptions(most_connections=0, header_seconds=0)
    assert len(caught.value.problems) == 2
