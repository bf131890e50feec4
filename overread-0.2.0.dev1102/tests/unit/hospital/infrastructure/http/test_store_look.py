"""Whether the store can be used is asked by anybody, however often."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

from attrs import define, field

from overread.exceptions import StoreError
from overread.hospital.infrastructure.http._store_look import StoreLook

_WELL = {"store": True, "room": True}


@define
class _SlowStore:
    """Answers once it is let go on."""

    looks: int = 0
    fault: StoreError | None = None
    go_on: Event = field(factory=Event)

    def check(self) -> None:
        self.looks += 1
        self.go_on.wait()
        if self.fault is not None:
            raise self.fault

    def has_room(self) -> bool:
        return self.fault is None


def test_who_asks_meanwhile_has_the_same_answer() -> None:
    """A flood keeps one thread busy; who asks afterwards has a look of their own."""
    store = _SlowStore()
    look = StoreLook(cast("Any", SimpleNamespace(store=store)))

    async def asked() -> list[Mapping[str, bool]]:
        flood = [asyncio.create_task(look.parts()) for _ in range(50)]
        await asyncio.sleep(0)
        store.go_on.set()
        return await asyncio.gather(*flood)

    async def told() -> None:
        assert await asked() == [_WELL] * 50
        assert store.looks == 1
        store.fault = StoreError("disk full")
        assert await look.parts() == {"store": False, "room": False}

    asyncio.run(told())
    assert store.looks == 2


def test_who_goes_away_takes_no_answer_from_others() -> None:
    """A request that is cancelled ends its own waiting alone."""
    store = _SlowStore()
    look = StoreLook(cast("Any", SimpleNamespace(store=store)))

    async def told() -> Mapping[str, bool]:
        gone, stays = (asyncio.create_task(look.parts()) for _ in range(2))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.wait([gone])
        store.go_on.set()
        return await stays

    assert asyncio.run(told()) == _WELL
