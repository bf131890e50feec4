"""Requests to score now, joined for the metrics: a batch takes little longer than a pair."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from attrs import define, field, frozen
from starlette.concurrency import run_in_threadpool

from overread.application.hospital.service import HospitalService
from overread.application.scoring.evaluate import PairResults
from overread.domain.hospital.audit_trail import Actor
from overread.domain.report import ReportPair
from overread.exceptions import OverreadError
from overread.infrastructure.http._problems import ProblemError, too_many

__all__ = ["Joiner"]


@frozen(eq=False)
class _Asked:
    """One request."""

    pairs: Sequence[ReportPair]
    by: Actor
    answer: asyncio.Future[list[PairResults]]


@define(eq=False)
class Joiner:
    """Scores together what is asked for within a few milliseconds, or while others are scored.

    Of one event loop. What belongs to one actor is scored together, so that the audit trail says on whose behalf.

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
        waiting = sum(len(asked.pairs) for asked in self._waiting)
        if waiting and waiting + len(pairs) > self.most_waiting:
            raise too_many("too many pairs wait to be scored", 1)
        asked = _Asked(pairs, by, asyncio.get_running_loop().create_future())
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
            _fail(asked, ProblemError(503, "stopping", "the service is about to end", remedy="try again"))
        self._waiting.clear()

    async def _work(self) -> None:
        """Scores until nothing waits."""
        await asyncio.sleep(self.linger_s)
        while self._waiting:
            group = self._next()
            pairs = [pair for asked in group for pair in asked.pairs]
            self.tell(len(pairs))
            try:
                results = await run_in_threadpool(self.hospital.evaluate, pairs, by=group[0].by)
            except Exception as error:  # noqa: BLE001 - it belongs to who asked
                await self._alone(group, error)
                continue
            for asked in group:
                _answer(asked, results[: len(asked.pairs)])
                results = results[len(asked.pairs) :]

    async def _alone(self, group: Sequence[_Asked], error: Exception) -> None:
        """Answers each request by itself where one that cannot be answered was among several."""
        if len(group) == 1 or not isinstance(error, OverreadError):
            for asked in group:
                _fail(asked, error)
            return
        for asked in group:
            try:
                _answer(asked, await run_in_threadpool(self.hospital.evaluate, asked.pairs, by=asked.by))
            except Exception as own:  # noqa: BLE001 - as above
                _fail(asked, own)

    def _next(self) -> list[_Asked]:
        """The oldest requests of one actor that fit together; they wait no more."""
        first, size = self._waiting[0], 0
        group: list[_Asked] = []
        for asked in self._waiting:
            if asked.by == first.by and (not group or size + len(asked.pairs) <= self.most_joined):
                group.append(asked)
                size += len(asked.pairs)
        self._waiting = [asked for asked in self._waiting if asked not in group]
        return group


def _answer(asked: _Asked, results: list[PairResults]) -> None:
    if not asked.answer.done():  # who asked may have gone
        asked.answer.set_result(results)


def _fail(asked: _Asked, error: Exception) -> None:
    if not asked.answer.done():
        asked.answer.set_exception(error)
