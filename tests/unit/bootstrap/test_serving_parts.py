"""Parts of a process go on where they can, and tell where they do not."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from threading import Event
from typing import cast

from attrs import define

from overread.application.hospital.service import HospitalService
from overread.bootstrap.serving_parts import Drain, Part, Tidying, task_part, thread_part
from overread.domain.hospital.audit_trail import Actor, Role
from overread.exceptions import StoreError

_AT_ONCE = timedelta(0)
_NEVER = timedelta(days=1)
_LONG = timedelta(minutes=5)


def test_a_thread_that_fails_is_run_again() -> None:
    """What nobody foresaw ends one run and not the part."""
    runs: list[int] = []
    runs_again = Event()

    def run(stop: Event) -> None:
        runs.append(1)
        if len(runs) < 3:
            raise RuntimeError
        runs_again.set()
        stop.wait()

    part = thread_part("fhir", run, again=_AT_ONCE)
    assert asyncio.run(_works_after(part, runs_again))
    assert (len(runs), part.works) == (3, False)


def test_a_task_that_fails_is_run_again() -> None:
    """The same in the event loop."""
    runs: list[int] = []
    runs_again = Event()

    async def run(stop: asyncio.Event) -> None:
        runs.append(1)
        if len(runs) < 3:
            raise RuntimeError
        runs_again.set()
        await stop.wait()

    async def told() -> bool:
        return await _works_after(task_part("folder", run, again=_AT_ONCE), runs_again)

    assert asyncio.run(told())
    assert len(runs) == 3


def test_a_part_does_not_work_until_it_runs_again() -> None:
    """Readiness tells of it; to stop does not wait for the next run."""

    def run(_: Event) -> None:
        raise RuntimeError

    part = thread_part("fhir", run, again=_NEVER)

    async def told() -> bool:
        await part.start()
        while part.works:  # noqa: ASYNC110 - a part has no event to wait for
            await asyncio.sleep(0)
        works = part.works
        await part.stop(_LONG)
        return works

    assert asyncio.run(told()) is False


def test_retention_that_failed_is_tried_again_soon() -> None:
    """A store that was away for a moment keeps the process from being ready for no longer than that."""
    told: list[str] = []
    stop = Event()

    class FakeHospital:
        def retain(self, *, by: Actor) -> None:
            told.append(f"{by.name}: {tidying.problem}")
            if len(told) == 1:
                raise StoreError("away")
            stop.set()

    hospital = cast("HospitalService", FakeHospital())
    tidying = Tidying(hospital, Actor(name="itself", roles=[Role.ADMIN]), _NEVER, again=_AT_ONCE)
    tidying.run(stop)
    assert told == ["itself: ", "itself: retention"]
    assert tidying.problem == ""


def test_all_parts_end_in_one_time() -> None:
    """The time that one takes is not there for the next, nor does the whole take longer than is set."""
    now, given = [100.0], list[float]()

    @define
    class SlowPart:
        name: str = "slow"
        works: bool = True

        async def start(self) -> None: ...

        async def stop(self, within: timedelta) -> None:
            given.append(within.total_seconds())
            now[0] += 20.0

    async def told() -> None:
        drain = Drain(timedelta(seconds=30), lambda: now[0])
        for _ in range(3):
            await drain.end(SlowPart())

    asyncio.run(told())
    assert given == [30.0, 10.0, 0.0]


async def _works_after(part: Part, moment: Event) -> bool:
    await part.start()
    await asyncio.to_thread(moment.wait)
    works = part.works
    await part.stop(_LONG)
    return works
