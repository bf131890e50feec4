"""Parts of a process go on where they can, and tell where they do not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from threading import Event
from typing import cast

import pytest
from attrs import define

from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scale, Scored
from overread.exceptions import StoreError
from overread.hospital.application.service import HospitalService
from overread.hospital.bootstrap.serving_parts import Drain, Part, Scoring, Tidying, task_part, thread_part
from overread.hospital.domain.audit_trail import Actor, Role

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


@define(eq=False)
class FlakyMetric:
    """Scores everything, but where it is broken, or a reference is odd."""

    broken: bool = False
    asked: int = 0
    signature_parts = (("flaky", "1"),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        self.asked += 1
        if self.broken or any("odd" in pair.reference.text for pair in pairs):
            raise RuntimeError("could not create a primitive")
        return [Scored(score=0.5) for _ in pairs]


def _scoring(metric: FlakyMetric) -> Scoring:
    named = NamedMetric("flaky", "1", Scale(0.0, 1.0, higher_is_better=True), metric)
    return Scoring(EvaluationService([named]), every=_AT_ONCE, again=_AT_ONCE)


class _Looks(Event):
    """An event that is set once it was waited for so often."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - as an event has it
        self.left -= 1
        return self.left < 0


def test_scoring_works_if_a_known_pair_is_scored() -> None:
    """Once at the beginning; while nothing speaks against it, it is not scored again."""
    metric = FlakyMetric()
    scoring = _scoring(metric)
    scoring.check()
    scoring.run(_Looks(5))
    assert (scoring.problem, metric.asked) == ("", 1)


def test_scoring_that_fails_is_tried_again_until_it_works() -> None:
    """What waits for it begins then, and once."""
    metric, begun = FlakyMetric(broken=True), list[str]()
    scoring = _scoring(metric)
    scoring.check()
    scoring.once_it_works(lambda: begun.append("workers"))
    scoring.run(_Looks(3))
    assert (scoring.problem, begun) == ("flaky", [])
    metric.broken = False
    scoring.run(_Looks(3))
    assert (scoring.problem, begun) == ("", ["workers"])
    scoring.once_it_works(lambda: begun.append("at once"))
    assert begun == ["workers", "at once"]


@pytest.mark.parametrize(("broken", "problem"), [(False, ""), (True, "flaky")])
def test_a_batch_that_was_lost_has_the_known_pair_scored_again(*, broken: bool, problem: str) -> None:
    """The batch may be at fault, or the model: the known pair tells."""
    metric = FlakyMetric()
    scoring = _scoring(metric)
    scoring.check()
    metric.broken = broken
    scoring.scorer.evaluate_batch([ReportPair(id="1", reference="odd", candidate="")])
    assert scoring.scorer.failing == {"flaky"}
    scoring.run(_Looks(1))
    assert scoring.problem == problem
    assert bool(scoring.scorer.failing) is broken


def test_a_batch_of_which_some_was_scored_speaks_for_the_metric() -> None:
    """A pair that a metric breaks on is that pair's matter."""
    metric = FlakyMetric()
    scoring = _scoring(metric)
    scoring.scorer.evaluate_batch(
        [ReportPair(id="1", reference="odd", candidate=""), ReportPair(id="2", reference="even", candidate="")]
    )
    assert scoring.scorer.failing == frozenset()


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
