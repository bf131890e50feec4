"""How many requests and streams may be under way, and bodies whose end two parties could see at two places."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import pytest
from attrs import define, field
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from overread.hospital.infrastructure.http import HttpConfiguration
from overread.hospital.infrastructure.http._guards import Bounds
from overread.hospital.infrastructure.http._places import Places
from overread.hospital.infrastructure.http._problems import ProblemError
from overread.hospital.infrastructure.http._streams import Streams

_LIMITS = HttpConfiguration(most_in_flight=3, most_of_one_address=2)


@define
class _Slow:
    """An application that answers when it is let."""

    let: asyncio.Event = field(factory=asyncio.Event)

    async def __call__(self, _: Scope, __: Receive, send: Send) -> None:
        await self.let.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})


@define(eq=False)
class _Patience:
    """A stranger who keeps the service waiting, until told to leave."""

    waits: bool = True

    def leave(self) -> bool:
        waited, self.waits = self.waits, False
        return waited


async def _asked(app: ASGIApp, address: str, path: str = "/login", **headers: str) -> int:
    """The status that a request of an address is answered with."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": path, "headers": named, "client": (address, 1), "state": {"request_id": "r"}}
    await app(scope, _nothing, send)
    return statuses[0]


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


@asynccontextmanager
async def _under_way(app: ASGIApp, slow: _Slow, *addresses: str) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(_asked(app, address)) for address in addresses]
    await asyncio.sleep(0)
    yield
    slow.let.set()
    assert await asyncio.gather(*tasks) == [200] * len(tasks)


def _run(tried: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        await tried()

    asyncio.run(whole())


def test_one_address_leaves_room_for_others() -> None:
    """It is told to come again where another is answered; probes are answered in any case."""

    async def tried() -> None:
        slow = _Slow()
        app = Bounds(slow, _LIMITS, lambda _: True)
        async with _under_way(app, slow, "10.0.0.1", "10.0.0.1"):
            assert await _asked(app, "10.0.0.1") == 429
            other, probe = (
                asyncio.create_task(_asked(app, *what)) for what in (("10.0.0.2",), ("10.0.0.1", "/readyz"))
            )
            await asyncio.sleep(0)
            assert await _asked(app, "10.0.0.3") == 429
        assert [await probe, await other] == [200, 200]
        assert await _asked(app, "10.0.0.1") == 200

    _run(tried)


def test_strangers_have_half_of_the_places() -> None:
    """Where none of them keeps the service waiting they are told to come again, and who is known is answered."""

    async def tried() -> None:
        slow = _Slow()
        app = Bounds(slow, HttpConfiguration(most_in_flight=4), lambda scope: scope["client"][0] == "10.0.0.9")
        async with _under_way(app, slow, "10.0.0.1", "10.0.0.2"):
            assert await _asked(app, "10.0.0.3") == 429
            known = asyncio.create_task(_asked(app, "10.0.0.9"))
            await asyncio.sleep(0)
        assert await known == 200

    _run(tried)


def test_who_has_made_way_takes_no_place_any_more() -> None:
    """However many strangers have gone whose answers are still to be written, who is known has room."""
    places = Places(most=4, most_of_one=4)
    with ExitStack() as gone:
        for _ in range(20):
            gone.enter_context(places.taken("10.0.0.1", _Patience().leave))
        for _ in range(2):
            gone.enter_context(places.taken("10.0.0.9", None))
        with pytest.raises(ProblemError, match="busy"):
            gone.enter_context(places.taken("10.0.0.9", None))
    with ExitStack() as others:
        for _ in range(4):
            others.enter_context(places.taken("10.0.0.9", None))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"transfer_encoding": "chunked"}, 200),
        ({"content_length": "3"}, 200),
        ({"transfer_encoding": "chunked", "content_length": "3"}, 400),
        ({"content_encoding": "identity"}, 200),
        ({"content_encoding": "gzip"}, 415),
        ({"content_length": "\u00b2"}, 400),
    ],
)
def test_a_body_has_one_end(headers: dict[str, str], status: int) -> None:
    """What a proxy before the service could read otherwise than the service is refused."""

    async def tried() -> None:
        slow = _Slow()
        slow.let.set()
        assert await _asked(Bounds(slow, _LIMITS, lambda _: True), "10.0.0.1", **headers) == status

    _run(tried)


def test_streams_are_bounded_and_counted_until_they_end() -> None:
    """Of one person at a quarter; also where a stream breaks, another may follow."""
    streams, sent = Streams(8), []

    async def events(*, breaks: bool) -> AsyncIterator[str]:
        yield "data: 1\n\n"
        if breaks:
            raise RuntimeError("broken")

    async def send(message: Message) -> None:
        sent.append(message)

    async def forever() -> Message:
        await asyncio.Event().wait()
        return {}

    async def tried() -> None:
        scope: dict[str, Any] = {"type": "http", "asgi": {"spec_version": "2.4"}}
        whole, broken = streams.begin("a", events(breaks=False)), streams.begin("a", events(breaks=True))
        with pytest.raises(ProblemError, match="too many streams") as caught:
            streams.begin("a", events(breaks=False))
        assert caught.value.status_code == 429
        for name in "bbccdd":
            streams.begin(name, events(breaks=False))
        with pytest.raises(ProblemError):
            streams.begin("e", events(breaks=False))
        await whole(scope, forever, send)
        with pytest.raises(RuntimeError):
            await broken(scope, forever, send)
        for _ in range(2):
            streams.begin("a", events(breaks=False))

    _run(tried)
    assert sent
