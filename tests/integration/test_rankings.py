"""How often metrics order two candidates of one reference as two people did, on the half the rules were made with."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from overread.studies.application.cards.ranked import RankedCase
from overread.studies.infrastructure.datasets.ranked import read_rankings

BENCHMARKS: Final = Path(__file__).parents[2] / "benchmarks"
RIVALS: Final = ("rouge", "bleu", "radot:paper")


@pytest.fixture(scope="module")
def rankings() -> Iterator[ModuleType]:
    """The benchmark that counts; its scripts are no package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module("rankings")


@pytest.fixture(scope="module")
def odd() -> list[RankedCase]:
    """The odd cases, each with its patient."""
    return read_rankings("odd")


@pytest.fixture(scope="module")
def by_default(rankings: ModuleType, odd: Any) -> Any:
    """How often the default radot is right, wrong or tied."""
    return rankings.verdicts(odd, "radot", ())


def test_the_odd_cases_are_half_of_all(odd: Any) -> None:
    """A hundred references, and two orders of each."""
    assert len(odd) == 100
    assert all(len(case.orders) == 2 for case in odd)


def test_the_default_orders_candidates_as_people_do(rankings: ModuleType, by_default: Any) -> None:
    """Right in 85 of 100 pairs on which both people agree, tied in fewer than 3; little boilerplate is unscored."""
    assert rankings.share(by_default, "right") >= 0.85 * (1 - rankings.share(by_default, "unscored"))
    assert rankings.share(by_default, "tie") < 0.03
    assert rankings.share(by_default, "unscored") < 0.05


@pytest.mark.parametrize("rival", RIVALS)
def test_the_default_beats_overlap_of_words_and_the_papers_setting(
    rankings: ModuleType, odd: Any, by_default: Any, rival: str
) -> None:
    """More pairs are right than of metrics that compare words, or that weigh every finding alike."""
    assert rankings.share(by_default, "right") > rankings.share(rankings.verdicts(odd, rival, ()), "right")
