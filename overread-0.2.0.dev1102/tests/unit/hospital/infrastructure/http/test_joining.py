"""Requests to score now are joined, answered each with its own, and bounded."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from overread.domain.reports.report import ReportPair
from overread.exceptions import InputError, PermissionDeniedError
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.infrastructure.http._joining import Joiner
from overread.hospital.infrastructure.http._problems import ProblemError

from ...application.hospital import Words, hospital

_ANNA, _BEN = (Actor(name=name, roles={Role.SUBMITTER}) for name in ("anna", "ben"))


def _pair(words: str) -> ReportPair:
    return ReportPair(id="same", reference=f"small {words}", candidate="small")


def _joiner(**more: Any) -> tuple[Joiner, list[int]]:
    joined: list[int] = []
    return Joiner(hospital(metrics=[Words("radot"), Words("notation")]), tell=joined.append, **more), joined


async def _asked(joiner: Joiner, count: int, by: Actor = _ANNA) -> list[Any]:
    asking = (joiner.evaluate([_pair(f"finding{number}")], by) for number in range(count))
    return await asyncio.gather(*asking, return_exceptions=True)


def _findings(answers: list[Any]) -> list[str]:
    return [answer[0]["notation"].outcome.discrepancies[0].finding for answer in answers]


def test_what_comes_at_once_is_scored_at_once() -> None:
    """In one batch, and everybody gets the results of its own pairs, whatever their ids."""
    joiner, joined = _joiner()
    answers = asyncio.run(_asked(joiner, 10))
    assert _findings(answers) == [f"finding{number}" for number in range(10)]
    assert joined == [10]


def test_each_actor_is_scored_in_its_own_name() -> None:
    """Those of several are joined all the same, and the audit trail says who asked for how many."""
    joiner, joined = _joiner()

    async def both() -> None:
        await asyncio.gather(_asked(joiner, 3), _asked(joiner, 2, _BEN))

    asyncio.run(both())
    assert joined == [5]
    with joiner.hospital.store.reading() as unit:
        assert sorted((event.actor, dict(event.details)["pairs"]) for event in unit.trail.events()) == [
            *[("anna", "1")] * 3,
            *[("ben", "1")] * 2,
        ]


def test_who_may_not_is_refused_and_keeps_nobody_waiting() -> None:
    """A request of somebody without the role is told so; its neighbour has its results, and alone is in the trail."""
    joiner, _ = _joiner()
    guest = Actor(name="guest", roles={Role.REVIEWER})

    async def neighbours() -> Any:
        return await asyncio.gather(_asked(joiner, 1, guest), _asked(joiner, 1))

    [refused], scored = asyncio.run(neighbours())
    assert isinstance(refused, PermissionDeniedError)
    assert _findings(scored) == ["finding0"]
    with joiner.hospital.store.reading() as unit:
        assert [event.actor for event in unit.trail.events()] == ["anna"]


def test_a_batch_has_its_bound() -> None:
    """What does not fit is scored next; a request that is larger is scored by itself."""
    joiner, joined = _joiner(most_joined=4)
    assert _findings(asyncio.run(_asked(joiner, 10))) == [f"finding{number}" for number in range(10)]
    assert joined == [4, 4, 2]

    async def large() -> Any:
        return await joiner.evaluate([_pair("a")] * 9, _ANNA)

    assert len(asyncio.run(large())) == 9


def test_a_request_that_cannot_be_answered_takes_no_other_along() -> None:
    """One with too many pairs is told so, and its neighbour has its results."""
    joiner, _ = _joiner(most_joined=5000, most_waiting=5000)

    async def neighbours() -> Any:
        return await asyncio.gather(
            joiner.evaluate([_pair("a")] * 2000, _ANNA), joiner.evaluate([_pair("b")], _ANNA), return_exceptions=True
        )

    refused, scored = asyncio.run(neighbours())
    assert isinstance(refused, InputError)
    assert _findings([scored]) == ["b"]


def test_too_much_is_to_come_again() -> None:
    """Beyond what may wait a request is refused at once; what waited is answered."""
    joiner, _ = _joiner(most_waiting=3)
    answers = asyncio.run(_asked(joiner, 5))
    refused = [answer for answer in answers if isinstance(answer, ProblemError)]
    assert [(problem.status_code, problem.headers) for problem in refused] == [(429, {"Retry-After": "1"})] * 2
    assert len(_findings([answer for answer in answers if not isinstance(answer, ProblemError)])) == 3


def test_who_goes_away_stops_nobody() -> None:
    """A request that is cancelled while it waits is left out of nothing but its own answer."""
    joiner, _ = _joiner()

    async def one_leaves() -> Any:
        leaving = asyncio.create_task(joiner.evaluate([_pair("a")], _ANNA))
        staying = asyncio.create_task(joiner.evaluate([_pair("b")], _ANNA))
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert _findings([asyncio.run(one_leaves())]) == ["b"]


def test_a_fault_is_told_to_everybody_it_met() -> None:
    """And what is asked afterwards is scored again."""
    metric = Words("notation")
    joiner = Joiner(hospital(metrics=[Words("radot"), metric]))

    async def broken_then_well() -> tuple[list[Any], list[Any]]:
        evaluate = joiner.hospital.evaluate_together
        joiner.hospital.evaluate_together = _broken  # type: ignore[method-assign]
        broken = await _asked(joiner, 2)
        joiner.hospital.evaluate_together = evaluate  # type: ignore[method-assign]
        well = await _asked(joiner, 1)
        await joiner.close()
        return broken, well

    broken, well = asyncio.run(broken_then_well())
    assert [type(each) for each in broken] == [RuntimeError, RuntimeError]
    assert _findings(well) == ["finding0"]


def _broken(*_: object, **__: object) -> Any:
    raise RuntimeError


@pytest.mark.parametrize("count", [0, 1])
def test_it_ends_when_nothing_is_asked(count: int) -> None:
    """Whether anything was ever asked or not."""
    joiner, _ = _joiner()

    async def ended() -> None:
        await _asked(joiner, count)
        await joiner.close()

    asyncio.run(ended())
