"""Results: scored or unscored, and what each lets be read."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from overread.domain.results.result import EvaluationResult, Outcome, Scale, Scored, Unscored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Severity
from overread.exceptions import OverreadError, UnscoredPairError

from ..clinical import read, unit

SHARE = Scale(0.0, 1.0, higher_is_better=True)


def result(outcome: Outcome) -> EvaluationResult:
    return EvaluationResult(
        pair_id="case-1", metric="notation", scale=SHARE, signature=Signature("notation"), outcome=outcome
    )


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (SHARE, "0 to 1, higher is better"),
        (Scale(0.0, math.inf, higher_is_better=False), "0 to infinity, lower is better"),
        (Scale(-0.5, 100.0, higher_is_better=True), "-0.5 to 100, higher is better"),
    ],
)
def test_a_scale_says_its_range_and_direction(scale: Scale, words: str) -> None:
    """A reader learns which end is good."""
    assert scale.describe() == words


def test_a_scored_result_shows_its_score_and_evidence() -> None:
    """Score, subscores and discrepancies are the outcome's, unrounded."""
    discrepancies = read([unit("effusion")], []).discrepancies
    scored = result(Scored(score=1 / 3, subscores={"B": 1.0}, discrepancies=discrepancies))
    assert scored.is_scored
    assert (scored.score, scored.subscores) == (1 / 3, {"B": 1.0})
    assert [d.severity for d in scored.discrepancies] == [Severity.SIGNIFICANT]


@pytest.mark.parametrize(
    "look",
    [lambda r: r.scored, lambda r: r.score, lambda r: r.subscores, lambda r: r.discrepancies],
    ids=["scored", "score", "subscores", "discrepancies"],
)
def test_an_unscored_result_has_no_number_to_give(look: Callable[[EvaluationResult], object]) -> None:
    """Asking for a score that is not there raises, naming pair, metric and reason."""
    unscored = result(Unscored("empty", "both reports are empty"))
    assert not unscored.is_scored
    with pytest.raises(UnscoredPairError, match=r"case-1.*empty|empty.*case-1") as caught:
        look(unscored)
    assert isinstance(caught.value, OverreadError)
    assert "notation" in str(caught.value)


def test_a_score_of_zero_is_a_score() -> None:
    """Zero is falsy and still scored."""
    assert result(Scored(score=0.0)).score == 0.0
