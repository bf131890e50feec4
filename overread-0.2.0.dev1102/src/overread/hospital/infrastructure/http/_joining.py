"""Requests to score now, joined for the metrics: a batch takes little longer than a pair."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import accumulate

from attrs import define, field, frozen
from starlette.concurrency import run_in_threadpool

from overread.application.scoring.evaluate import PairResults
from overread.domain.reports.report import ReportPair
from overread.hospital.application.requests import EvaluationRequest
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.infrastructure.http._problems import ProblemError, too_many

__all__ = ["Joiner"]


@frozen(eq=False)
class _Asked:
    """One request, and who waits for it."""

    request: EvaluationRequest
    answer: asyncio.Future[list[PairResults]]


@define(eq=False)
class Joiner:
    """Scores together what is asked for within a few milliseconds, or while others are scored.

    Of one event loop. Whoever asks is joined with whoever else does; the service refuses and notes down each by itself.

    Attributes:
        hospital: scores.
        linger_s: for which the first request waits for others.
        most_joined: pairs at once; a request with more is scored by itself.
        most_waiting: pairs that may wait; more are told to come again.
        tell: called with the number of pairs of each batch.
    """

    hospital: HospitalService
    linger_s: float = 0.004
    most_joined: int = 128
    most_waiting: int = 2048
    tell: Callable[[int], None] = field(default=lambda _: None, repr=False)
    _waiting: list[_Asked] = field(factory=list, init=False, repr=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False, repr=False)

    async def evaluate(self, pairs: Sequence[ReportPair], by: Actor) -> list[PairResults]:
        """Results of a request's pairs, in order.

        Raises:
            ProblemError: 429 if too many pairs wait.
        """
        waiting = sum(len(asked.request.pairs) for asked in self._waiting)
        if waiting and waiting + len(pairs) > self.most_waiting:
            raise too_many("too many pairs are waiting to be scored", 1)
        asked = _Asked(EvaluationRequest(pairs=pairs, by=by), asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())
        return await asked.answer

    async def close(self) -> None:
        """Answers what waits, and ends."""
        if self._task is not None:
            with suppress(asyncio.CancelledError):
                await self._task
        for asked in self._waiting:
            _answer(asked, ProblemError(503, "stopping", "the service is shutting down", remedy="try again"))
        self._waiting.clear()

    async def _work(self) -> None:
        """Scores until nothing waits."""
        await asyncio.sleep(self.linger_s)
        while self._waiting:
            group = self._next()
            self.tell(sum(len(asked.request.pairs) for asked in group))
            requests = [asked.request for asked in group]
            answers: Sequence[list[PairResults] | Exception]
            try:
                answers = await run_in_threadpool(self.hospital.evaluate_together, requests)
            except Exception as error:  # noqa: BLE001 - it belongs to those who asked
                answers = [error] * len(group)
            for asked, answer in zip(group, answers, strict=True):
                _answer(asked, answer)

    def _next(self) -> list[_Asked]:
        """The oldest requests that fit together; they wait no more."""
        sizes = list(accumulate(len(asked.request.pairs) for asked in self._waiting))
        count = max(1, bisect_right(sizes, self.most_joined))
        group, self._waiting = self._waiting[:count], self._waiting[count:]
        return group


def _answer(asked: _Asked, answer: list[PairResults] | Exception) -> None:
    if asked.answer.done():  # who asked may have gone
        return
    if isinstance(answer, Exception):
        asked.answer.set_exception(answer)
    else:
        asked.answer.set_result(answer)
