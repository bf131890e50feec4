"""The hospital service for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from itertools import islice
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar

from overread.hospital.application.requests import BatchState, Search, WorklistRow
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor

__all__ = ["AsyncHospitalService"]

P = ParamSpec("P")
T = TypeVar("T")

_ROWS: Final = 500


def _in_thread(
    method: Callable[Concatenate[HospitalService, P], T],
) -> Callable[Concatenate[AsyncHospitalService, P], Coroutine[Any, Any, T]]:
    """Make a method of the service one that can be awaited."""
    name = method.__name__

    @wraps(method)
    async def run_in_thread(self: AsyncHospitalService, /, *args: P.args, **kwargs: P.kwargs) -> T:
        call: Callable[P, T] = getattr(self.service, name)
        return await self._run_in_thread(partial(call, *args, **kwargs))

    return run_in_thread


class AsyncHospitalService:
    """`HospitalService` with methods that can be awaited: each runs in a thread, and the event loop goes on meanwhile.

    A call that is cancelled before its thread begins does nothing; one that is cancelled later is done in full, and
    only its result is lost. What was handed in may be handed in again: resends and keys are known.

    Args:
        service: that is called; it may be used beside this one.
        threads: calls at a time; more wait.
    """

    def __init__(self, service: HospitalService, *, threads: int = 8) -> None:
        self.service = service
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="hospital")

    async def close(self) -> None:
        """Let calls end that have begun, drop those that have not, and let go of the store."""
        ending = partial(self._threads.shutdown, cancel_futures=True)
        await asyncio.get_running_loop().run_in_executor(None, ending)
        self.service.close()

    async def __aenter__(self) -> Self:
        """Enter an ``async with`` block, which closes the service at its end."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the service."""
        await self.close()

    evaluate = _in_thread(HospitalService.evaluate)
    evaluate_together = _in_thread(HospitalService.evaluate_together)
    submit = _in_thread(HospitalService.submit)
    batch = _in_thread(HospitalService.batch)
    batch_results = _in_thread(HospitalService.batch_results)
    ingest = _in_thread(HospitalService.ingest)
    merge_patients = _in_thread(HospitalService.merge_patients)
    record_merges = _in_thread(HospitalService.record_merges)
    refuse = _in_thread(HospitalService.refuse)
    refusals = _in_thread(HospitalService.refusals)
    search = _in_thread(HospitalService.search)
    pair = _in_thread(HospitalService.pair)
    examination = _in_thread(HospitalService.examination)
    review = _in_thread(HospitalService.review)
    create_protocol = _in_thread(HospitalService.create_protocol)
    protocols = _in_thread(HospitalService.protocols)
    protocol = _in_thread(HospitalService.protocol)
    close_protocol = _in_thread(HospitalService.close_protocol)
    agreement = _in_thread(HospitalService.agreement)
    assignments = _in_thread(HospitalService.assignments)
    assignment = _in_thread(HospitalService.assignment)
    claim_assignment = _in_thread(HospitalService.claim_assignment)
    release_assignment = _in_thread(HospitalService.release_assignment)
    review_assignment = _in_thread(HospitalService.review_assignment)
    reassign = _in_thread(HospitalService.reassign)
    add_learning_point = _in_thread(HospitalService.add_learning_point)
    learning_points = _in_thread(HospitalService.learning_points)
    nominate = _in_thread(HospitalService.nominate)
    conference = _in_thread(HospitalService.conference)
    mark_presented = _in_thread(HospitalService.mark_presented)
    add_action = _in_thread(HospitalService.add_action)
    change_action = _in_thread(HospitalService.change_action)
    open_actions = _in_thread(HospitalService.open_actions)
    own_pairs = _in_thread(HospitalService.own_pairs)
    own_pair = _in_thread(HospitalService.own_pair)
    acknowledge = _in_thread(HospitalService.acknowledge)
    answer = _in_thread(HospitalService.answer)
    draw_sample = _in_thread(HospitalService.draw_sample)
    rates = _in_thread(HospitalService.rates)
    charts = _in_thread(HospitalService.charts)
    alarms = _in_thread(HospitalService.alarms)
    cases = _in_thread(HospitalService.cases)
    close_case = _in_thread(HospitalService.close_case)
    flag_worth = _in_thread(HospitalService.flag_worth)
    monthly_report = _in_thread(HospitalService.monthly_report)
    radpeer_counts = _in_thread(HospitalService.radpeer_counts)
    coverage = _in_thread(HospitalService.coverage)
    rescore = _in_thread(HospitalService.rescore)
    erase_patient = _in_thread(HospitalService.erase_patient)
    retain = _in_thread(HospitalService.retain)
    audit_trail = _in_thread(HospitalService.audit_trail)
    work = _in_thread(HospitalService.work)

    # Streams are written out: a thread that waited for their next item could serve no other call.

    async def follow(self, number: int, *, by: Actor, every: float = 1.0) -> AsyncIterator[BatchState]:
        """See `HospitalService.follow`; no thread is held between looks."""
        last = None
        while last is None or not last.is_done:
            state = await self.batch(number, by=by)
            if state != last:
                yield state
            else:
                await asyncio.sleep(every)
            last = state

    async def export(self, search: Search, *, by: Actor) -> AsyncIterator[WorklistRow]:
        """See `HospitalService.export`; a caller who may not export is refused at the first row."""
        rows = await self._run_in_thread(partial(self.service.export, search, by=by))
        while some := await self._run_in_thread(lambda: list(islice(rows, _ROWS))):
            for row in some:
                yield row

    async def _run_in_thread(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)
