"""The asyncio face says what the other says, and a cancelled call is done or not done."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from threading import Event
from types import GenericAlias
from typing import Any, assert_type, get_args, get_origin, get_type_hints

import pytest

from overread.exceptions import PermissionDeniedError
from overread.hospital.application.aio import AsyncHospitalService
from overread.hospital.application.requests import BatchState, Receipt, Search, WorklistPage
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.report_version import ReportStatus

from .hospital import ADMIN, REVIEWER, SUBMITTER, hospital, pair, version

METHODS = sorted(
    name for name, _ in inspect.getmembers(HospitalService, inspect.isfunction) if not name.startswith("_")
)


@pytest.mark.parametrize("name", METHODS)
def test_both_faces_have_the_same_methods(name: str) -> None:
    """Same parameters, defaults, types and results: what is an iterator there is an asynchronous one here."""
    sync, other = getattr(HospitalService, name), getattr(AsyncHospitalService, name)
    assert other.__name__ == name
    assert inspect.signature(sync).parameters == inspect.signature(other).parameters
    expected, given = get_type_hints(sync), get_type_hints(other)
    if get_origin(expected["return"]) is Iterator:
        expected["return"] = GenericAlias(AsyncIterator, get_args(expected["return"]))
        assert inspect.isasyncgenfunction(other)
    else:
        assert inspect.iscoroutinefunction(other)
    assert given == expected


def test_methods_that_are_awaited_have_their_types() -> None:
    """The type checker holds this test: it knows arguments and results of a method made of the service's."""

    async def run() -> None:
        async with AsyncHospitalService(hospital()) as service:
            receipts = await service.ingest([version(ReportStatus.FINAL, "clear")], by=SUBMITTER)
            assert_type(receipts, list[Receipt])
            assert_type(await service.search(Search(), by=REVIEWER), WorklistPage)
            with pytest.raises(TypeError, match="by"):
                await service.search(Search())  # type: ignore[call-arg]
            with pytest.raises(TypeError, match="with"):
                await service.search(Search(), by=REVIEWER, with_text=True)  # type: ignore[call-arg]

    asyncio.run(run())


def test_a_batch_is_submitted_followed_and_exported() -> None:
    """The states of a batch come as they change, and end when nothing waits."""

    async def run() -> tuple[list[BatchState], int]:
        service = AsyncHospitalService(hospital())
        batch = await service.submit([pair("1", "a b", "a"), pair("2", "a", "a")], by=SUBMITTER)
        states = []
        async for state in service.follow(batch.number, by=SUBMITTER, every=0.001):
            states.append(state)
            await service.work(worker="one", limit=1)
        rows = [row async for row in service.export(Search(), by=ADMIN)]
        await service.close()
        return states, len(rows)

    states, rows = asyncio.run(run())
    assert [(state.scored, state.waiting) for state in states] == [(0, 2), (1, 1), (2, 0)]
    assert rows == 2


def test_refusals_reach_whoever_awaits() -> None:
    """Errors come through a thread as they are raised."""

    async def run() -> None:
        service = AsyncHospitalService(hospital())
        with pytest.raises(PermissionDeniedError):
            await service.search(Search(), by=SUBMITTER)
        with pytest.raises(PermissionDeniedError):
            [row async for row in service.export(Search(), by=REVIEWER)]
        await service.close()

    asyncio.run(run())


class _Held(HospitalService):
    """Ingests when it is let."""

    begun: Event
    let: Event

    def ingest(self, *given: Any, **more: Any) -> Any:
        self.begun.set()
        assert self.let.wait(30)
        return super().ingest(*given, **more)


def test_a_call_that_is_cancelled_is_done_in_full_or_not_at_all() -> None:
    """What had begun is stored, what had not is not; and both may be handed in again."""
    plain = hospital()
    service = _Held(plain.store, plain.scorer)
    service.begun, service.let = Event(), Event()
    first, second = (version(ReportStatus.FINAL, "clear", accession=number) for number in ("A1", "A2"))

    async def run() -> None:
        face = AsyncHospitalService(service, threads=1)
        begun = asyncio.create_task(face.ingest([first], by=SUBMITTER))
        waiting = asyncio.create_task(face.ingest([second], by=SUBMITTER))
        await asyncio.to_thread(service.begun.wait, 30)
        begun.cancel()
        waiting.cancel()
        assert all(
            isinstance(each, asyncio.CancelledError)
            for each in await asyncio.gather(begun, waiting, return_exceptions=True)
        )
        service.let.set()
        await face.close()

    asyncio.run(run())
    with service.store.reading() as unit:
        kept = [each.version.keys[0].accession for each in unit.versions.related([*first.keys, *second.keys])]
    assert kept == ["A1"]


def test_a_service_is_closed_at_the_end_of_an_asynchronous_with_statement() -> None:
    """It takes no call after that."""

    async def run() -> None:
        async with AsyncHospitalService(hospital()) as service:
            assert (await service.search(Search(), by=REVIEWER)).rows == ()
        with pytest.raises(RuntimeError):
            await service.search(Search(), by=REVIEWER)

    asyncio.run(run())
