"""The hospital service for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Final, Self, TypeVar

from overread.application.scoring.evaluate import PairResults
from overread.domain.reports.report import ReportPair
from overread.exceptions import OverreadError
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.rates import Rates
from overread.hospital.application.requests import (
    BatchState,
    Erased,
    EvaluationRequest,
    ExaminationRecord,
    PairRecord,
    Receipt,
    Refusal,
    Search,
    WorklistPage,
    WorklistRow,
)
from overread.hospital.application.sampling import DrawnSample, SamplePlan
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, AuditEvent
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_version import ReportVersion
from overread.hospital.domain.review import Radpeer, Review, Verdict

__all__ = ["AsyncHospitalService"]

T = TypeVar("T")

_ROWS: Final = 500


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

    async def evaluate(self, pairs: Sequence[ReportPair], *, by: Actor) -> list[PairResults]:
        """See `HospitalService.evaluate`."""
        return await self._run_in_thread(partial(self.service.evaluate, pairs, by=by))

    async def evaluate_together(self, requests: Sequence[EvaluationRequest]) -> list[list[PairResults] | OverreadError]:
        """See `HospitalService.evaluate_together`."""
        return await self._run_in_thread(partial(self.service.evaluate_together, requests))

    async def submit(self, pairs: Sequence[ReportPair], *, by: Actor, name: str = "", key: str = "") -> BatchState:
        """See `HospitalService.submit`."""
        return await self._run_in_thread(partial(self.service.submit, pairs, by=by, name=name, key=key))

    async def batch(self, number: int, *, by: Actor) -> BatchState:
        """See `HospitalService.batch`."""
        return await self._run_in_thread(partial(self.service.batch, number, by=by))

    async def batch_results(self, number: int, *, by: Actor, after: int = 0, limit: int = 500) -> Sequence[PairRecord]:
        """See `HospitalService.batch_results`."""
        return await self._run_in_thread(partial(self.service.batch_results, number, by=by, after=after, limit=limit))

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

    async def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        """See `HospitalService.ingest`."""
        return await self._run_in_thread(partial(self.service.ingest, versions, by=by))

    async def merge_patients(self, merges: Sequence[PatientMerge], *, by: Actor) -> int:
        """See `HospitalService.merge_patients`."""
        return await self._run_in_thread(partial(self.service.merge_patients, merges, by=by))

    async def refuse(self, refusal: Refusal) -> None:
        """See `HospitalService.refuse`."""
        await self._run_in_thread(partial(self.service.refuse, refusal))

    async def refusals(self, *, by: Actor, limit: int = 100) -> Sequence[Refusal]:
        """See `HospitalService.refusals`."""
        return await self._run_in_thread(partial(self.service.refusals, by=by, limit=limit))

    async def search(self, search: Search, *, by: Actor) -> WorklistPage:
        """See `HospitalService.search`."""
        return await self._run_in_thread(partial(self.service.search, search, by=by))

    async def pair(self, number: int, *, by: Actor, explain: bool = False) -> PairRecord:
        """See `HospitalService.pair`."""
        return await self._run_in_thread(partial(self.service.pair, number, by=by, explain=explain))

    async def examination(self, key: ExaminationKey, *, by: Actor) -> ExaminationRecord:
        """See `HospitalService.examination`."""
        return await self._run_in_thread(partial(self.service.examination, key, by=by))

    async def draw_sample(self, search: Search, plan: SamplePlan, *, by: Actor) -> DrawnSample:
        """See `HospitalService.draw_sample`."""
        return await self._run_in_thread(partial(self.service.draw_sample, search, plan, by=by))

    async def rates(self, search: Search, *, by: Actor, groupings: Sequence[Grouping] = ()) -> Rates:
        """See `HospitalService.rates`."""
        return await self._run_in_thread(partial(self.service.rates, search, by=by, groupings=groupings))

    async def review(
        self,
        number: int,
        *,
        by: Actor,
        signature: str,
        verdicts: Sequence[Verdict] = (),
        radpeer: Radpeer | None = None,
        comment: str = "",
    ) -> Review:
        """See `HospitalService.review`."""
        review = partial(self.service.review, number, by=by, signature=signature)
        return await self._run_in_thread(partial(review, verdicts=verdicts, radpeer=radpeer, comment=comment))

    async def rescore(self, search: Search, *, by: Actor) -> int:
        """See `HospitalService.rescore`."""
        return await self._run_in_thread(partial(self.service.rescore, search, by=by))

    async def export(self, search: Search, *, by: Actor) -> AsyncIterator[WorklistRow]:
        """See `HospitalService.export`; a caller who may not export is refused at the first row."""
        rows = await self._run_in_thread(partial(self.service.export, search, by=by))
        while some := await self._run_in_thread(lambda: list(islice(rows, _ROWS))):
            for row in some:
                yield row

    async def erase_patient(self, patient: str, *, by: Actor, site: str | None = None) -> Erased:
        """See `HospitalService.erase_patient`."""
        return await self._run_in_thread(partial(self.service.erase_patient, patient, by=by, site=site))

    async def retain(self, *, by: Actor, now: datetime | None = None) -> Erased:
        """See `HospitalService.retain`."""
        return await self._run_in_thread(partial(self.service.retain, by=by, now=now))

    async def audit_trail(self, *, by: Actor, after: int = 0, limit: int = 1000) -> Sequence[AuditEvent]:
        """See `HospitalService.audit_trail`."""
        return await self._run_in_thread(partial(self.service.audit_trail, by=by, after=after, limit=limit))

    async def work(self, *, worker: str, limit: int = 64) -> int:
        """See `HospitalService.work`."""
        return await self._run_in_thread(partial(self.service.work, worker=worker, limit=limit))

    async def _run_in_thread(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)
