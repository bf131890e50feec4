"""Comparison of a fitted model with the present one: by site, with intervals, in plain words."""

from __future__ import annotations

import math

import pytest

from overread.hospital.application.model_comparison import (
    ALL_SITES,
    Claims,
    ComparedMeasure,
    Outcome,
    compare_models,
)
from overread.hospital.application.standing_pairs import Least

from .standing import MINOR, WRONG, standing

LEAST = Least(of_a_site=4)
PAIRS = [
    standing(number, *(([], [MINOR], [WRONG])[number % 3]), site="coast" if number < 12 else "north")
    for number in range(24)
] + [standing(24, WRONG, site="west")]
RIGHT = [float(number % 3) for number in range(24)] + [2.0]
BACKWARDS = [-risk for risk in RIGHT]


@pytest.mark.parametrize(
    ("present", "fitted", "outcome", "words"),
    [
        (BACKWARDS, RIGHT, Outcome.BETTER, "The fitted model is better"),
        (RIGHT, BACKWARDS, Outcome.WORSE, "is WORSE: it orders the later pairs less as reviewers do. At coast and"),
        (RIGHT, RIGHT, Outcome.NOT_SHOWN, "NOT shown to be better"),
    ],
)
def test_the_outcome_is_that_of_the_interval(
    present: list[float], fitted: list[float], outcome: Outcome, words: str
) -> None:
    """Better only where the whole interval of the difference is above 0; and it says so in a sentence."""
    comparison = compare_models(PAIRS, present, fitted, least=LEAST, draws=200)
    assert comparison.outcome is outcome
    assert words in comparison.words
    assert comparison.words in comparison.tabulation().notes


def test_figures_of_a_site_are_of_its_pairs_alone() -> None:
    """A site with too few pairs is listed with its support and without a figure."""
    comparison = compare_models(PAIRS, [*BACKWARDS[:12], *RIGHT[12:]], RIGHT, least=LEAST, draws=50)
    values = {
        site: comparison.of(ComparedMeasure.ORDER, site).present.value for site in (ALL_SITES, "coast", "north", "west")
    }
    assert values["coast"] == pytest.approx(-1)
    assert values["north"] == pytest.approx(1)
    assert values["west"] is None
    west = comparison.of(ComparedMeasure.ORDER, "west")
    assert (west.pairs, west.wrong, west.significant) == (1, 1, 1)
    everywhere = comparison.of(ComparedMeasure.SIGNIFICANT)
    assert (everywhere.pairs, everywhere.wrong, everywhere.significant) == (25, 17, 9)
    assert everywhere.fitted.value == 1.0


def test_a_pair_that_one_of_them_cannot_score_is_in_neither_figure() -> None:
    """And it is counted."""
    comparison = compare_models(PAIRS, [math.nan, *RIGHT[1:]], RIGHT, least=LEAST, draws=50)
    assert comparison.unscored == 1
    assert comparison.of(ComparedMeasure.ORDER).support == 24
    assert any("cannot score them: 1." in note for note in comparison.tabulation().notes)


def test_chances_of_discrepancies_are_compared_by_their_squared_error() -> None:
    """(0.2 - 1)^2 and (0.4 - 0)^2 against (0.9 - 1)^2 and (0.1 - 0)^2, by hand."""
    claims = [Claims(holds=[True, False], present=[0.2, 0.4], fitted=[0.9, 0.1]), None]
    comparison = compare_models(PAIRS[:2], [0.0, 1.0], [0.0, 1.0], claims, least=LEAST, draws=50)
    row = comparison.of(ComparedMeasure.CLAIMS)
    assert row.present.value == pytest.approx(0.4)
    assert row.fitted.value == pytest.approx(0.01)
    assert row.difference.value == pytest.approx(-0.39)
    assert (row.support, row.measure.higher_is_better) == (2, False)
