"""Parts of a process of the service: what begins, ends, and says whether it works."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import timedelta
from threading import Event, Thread
from time import monotonic
from typing import Any, Final, Protocol

from attrs import define, field

from overread.application.scoring.evaluate import EvaluationService
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Unscored
from overread.exceptions import OverreadError
from overread.hospital.application.service import HospitalService
from overread.hospital.application.workers import Workers
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.infrastructure.exchange.hl7.listener import MllpListener
from overread.infrastructure.logs import get_logger

__all__ = ["Drain", "Part", "Scoring", "Tidying", "mllp_part", "task_part", "thread_part", "workers_part"]

_log = get_logger("serve")

_AGAIN: Final = timedelta(seconds=5)
_LOOK: Final = timedelta(seconds=5)
_KNOWN: Final = ReportPair(
    id="known",
    reference="FINDINGS: Small left apical pneumothorax. No pleural effusion. The heart is of normal size.",
    candidate="FINDINGS: No pneumothorax. Small right pleural effusion. The heart is of normal size.",
)
"""An invented pair with discrepancies, which every metric can score, and a second reader is asked about."""


class Part(Protocol):
    """A part of the process.

    Attributes:
        name: a code word, as readiness and metrics tell it.
    """

    name: str

    @property
    def works(self) -> bool:
        """True if the part does what it is there for."""
        ...

    async def start(self) -> None:
        """Begin. Raises `ConfigurationError` if it cannot."""
        ...

    async def stop(self, within: timedelta) -> None:
        """Begin nothing new, finish what was begun as far as time allows, and end."""
        ...


@define(eq=False)
class Drain:
    """The time in which all parts end, one after the other; it runs from when the first is to end.

    Attributes:
        lasting: for all of them together.
        clock: in seconds.
    """

    lasting: timedelta
    clock: Callable[[], float] = monotonic
    _until: float | None = field(default=None, init=False)

    async def end(self, part: Part) -> None:
        """End a part in what is left of the time, which may be none."""
        now = self.clock()
        if self._until is None:
            self._until = now + self.lasting.total_seconds()
        await part.stop(timedelta(seconds=max(0.0, self._until - now)))


@define(eq=False)
class Scoring:
    """Tells whether pairs can be scored, by scoring one that is known.

    It is scored at the beginning, then only where something speaks against it: a batch of which a metric lost every
    pair to a fault, or that the known pair could not be scored before.

    Attributes:
        scorer: of the service.
        every: between two looks whether something speaks against it.
        again: between two times that the known pair is scored while it cannot be.
    """

    scorer: EvaluationService
    every: timedelta = _LOOK
    again: timedelta = timedelta(seconds=30)
    problem: str = field(default="", init=False)
    _waiting: list[Callable[[], None]] = field(factory=list, init=False)

    def check(self) -> None:
        """Score the known pair.

        Raises:
            OverreadError: if nothing at all can be scored as it is configured.
        """
        [results] = self.scorer.evaluate_batch([_KNOWN])
        lost = {name: result.outcome for name, result in results.items() if isinstance(result.outcome, Unscored)}
        for name, outcome in lost.items():
            _log.error("not_scoring", metric=name, reason=outcome.reason, detail=outcome.detail)
        self.problem = ", ".join(lost)
        while not self.problem and self._waiting:
            self._waiting.pop()()

    def run(self, stop: Event) -> None:
        """Watch scoring until the event is set. To be called in a thread of its own."""
        while not stop.wait((self.again if self.problem else self.every).total_seconds()):
            if self.problem or self.scorer.failing:
                try:
                    self.check()
                except OverreadError as error:
                    _log.error("not_scoring", error=error)
                    self.problem = type(error).__name__

    def once_it_works(self, begin: Callable[[], None]) -> None:
        """Begin something now, or as soon as the known pair can be scored."""
        if self.problem:
            self._waiting.append(begin)
        else:
            begin()


@define(eq=False)
class _WorkersPart:
    workers: Workers
    scoring: Scoring
    name: str = "workers"
    _ended: bool = field(default=False, init=False)

    @property
    def works(self) -> bool:
        return not self.workers.problem

    async def start(self) -> None:
        self.scoring.once_it_works(self._begin)

    def _begin(self) -> None:
        if not self._ended:
            self.workers.start()

    async def stop(self, within: timedelta) -> None:
        self._ended = True
        await asyncio.to_thread(self.workers.stop, within.total_seconds())


@define(eq=False)
class _MllpPart:
    listener: MllpListener
    name: str = "hl7"
    works: bool = False

    async def start(self) -> None:
        await self.listener.start()
        self.works = True

    async def stop(self, within: timedelta) -> None:
        self.works = False
        await self.listener.stop(within=within.total_seconds())


@define(eq=False)
class _ThreadPart:
    """A part that runs in a thread of its own until an event is set."""

    name: str
    run: Callable[[Event], None]
    problem: Callable[[], str]
    again: timedelta
    _failed: bool = field(default=False, init=False)
    _stop: Event = field(factory=Event, init=False)
    _thread: Thread | None = field(default=None, init=False)

    @property
    def works(self) -> bool:
        return self._thread is not None and self._thread.is_alive() and not self._failed and not self.problem()

    async def start(self) -> None:
        self._thread = Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._failed = False
            try:
                self.run(self._stop)
            except Exception as error:  # noqa: BLE001 - nobody foresaw it, and reports go on coming
                self._failed = True
                _log.error("part_failed", part=self.name, error=error)
                self._stop.wait(self.again.total_seconds())

    async def stop(self, within: timedelta) -> None:
        self._stop.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, within.total_seconds())


@define(eq=False)
class _TaskPart:
    """A part that runs in the event loop until an event is set."""

    name: str
    run: Callable[[asyncio.Event], Coroutine[Any, Any, None]]
    again: timedelta
    _failed: bool = field(default=False, init=False)
    _stop: asyncio.Event = field(factory=asyncio.Event, init=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False)

    @property
    def works(self) -> bool:
        return self._task is not None and not self._task.done() and not self._failed

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while not self._stop.is_set():
            self._failed = False
            try:
                await self.run(self._stop)
            except Exception as error:  # noqa: BLE001 - as above
                self._failed = True
                _log.error("part_failed", part=self.name, error=error)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), self.again.total_seconds())

    async def stop(self, within: timedelta) -> None:
        self._stop.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=within.total_seconds())
            self._task.cancel()


@define(eq=False)
class Tidying:
    """Deletes, again and again, what is older than the retention.

    Attributes:
        hospital: the service.
        by: on whose behalf.
        every: between two times.
        again: how long after it failed.
    """

    hospital: HospitalService
    by: Actor
    every: timedelta
    again: timedelta = _AGAIN
    problem: str = field(default="", init=False)

    def run(self, stop: Event) -> None:
        """Delete again and again until the event is set. To be called in a thread of its own."""
        while not stop.is_set():
            try:
                self.hospital.retain(by=self.by)
                self.problem = ""
            except OverreadError as error:
                self.problem = "retention"
                _log.error("retention_failed", error=error)
            stop.wait((self.again if self.problem else self.every).total_seconds())


def workers_part(workers: Workers, scoring: Scoring) -> Part:
    """Threads that score, from when pairs can be scored: those that wait would be left unscored otherwise."""
    return _WorkersPart(workers, scoring)


def mllp_part(listener: MllpListener) -> Part:
    """A listener for HL7."""
    return _MllpPart(listener)


def thread_part(
    name: str, run: Callable[[Event], None], problem: Callable[[], str] = str, *, again: timedelta = _AGAIN
) -> Part:
    """Make a part that runs in a thread until an event is set.

    Args:
        name: of the part.
        run: returns once the event is set; it is run again if it raises.
        problem: why it does not work, "" while it does.
        again: how long after it raised; the part does not work meanwhile.
    """
    return _ThreadPart(name, run, problem, again)


def task_part(
    name: str, run: Callable[[asyncio.Event], Coroutine[Any, Any, None]], *, again: timedelta = _AGAIN
) -> Part:
    """Make a part that runs in the event loop until an event is set, again if it raises; see `thread_part`."""
    return _TaskPart(name, run, again)
