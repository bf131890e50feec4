"""Looks at whether the store can be used, for anybody who asks: one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from attrs import define, field
from starlette.concurrency import run_in_threadpool

from overread.exceptions import StoreError
from overread.hospital.application.service import HospitalService

__all__ = ["StoreLook"]


@define(eq=False)
class StoreLook:
    """Looks whether the store can be read and written, and whether it can grow. Of one event loop.

    Anybody may ask, and a look may wait for the store: a caller who asks while one is under way gets its answer, so
    that only one thread is busy with it, however many ask.

    Attributes:
        hospital: whose store it is.
    """

    hospital: HospitalService
    _look: asyncio.Task[Mapping[str, bool]] | None = field(default=None, init=False, repr=False)

    async def parts(self) -> Mapping[str, bool]:
        """Returns whether the store can be read and written now, and whether it has room."""
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(run_in_threadpool(self._check_store))
        return await asyncio.shield(self._look)

    def _check_store(self) -> Mapping[str, bool]:
        store = self.hospital.store
        try:
            store.check()
        except StoreError:
            return {"store": False, "room": store.has_room()}
        return {"store": True, "room": store.has_room()}
