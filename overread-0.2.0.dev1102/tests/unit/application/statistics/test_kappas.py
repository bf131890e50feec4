"""Kappas and Krippendorff's alpha, held against the tables of their authors and an independent implementation."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from overread.application.statistics.kappas import (
    Level,
    Weighting,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
)
from overread.application.statistics.resampling import Resampling

NAN = np.nan
KRIPPENDORFF: np.typing.NDArray[np.float64] = np.array(
    [
        [1.0, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
"""Four observers of twelve units, "Computing Krippendorff's Alpha-Reliability" (2011), section D; from 1 to 5."""

FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
"""Fourteen raters of ten subjects in five categories, the table that textbooks work out to 0.210."""


def draws(rows: int, count: int = 200) -> Resampling:
    """Draws of rows that are a study each."""
    return Resampling.by_row(rows, draws=count)


def test_cohens_kappa_is_that_of_a_hand_worked_table() -> None:
    """Twenty and fifteen agreed, five and ten not: observed 0.7, by chance 0.5."""
    one = np.repeat([0.0, 0.0, 1.0, 1.0], [20, 5, 10, 15])
    other = np.repeat([0.0, 1.0, 0.0, 1.0], [20, 5, 10, 15])
    assert cohen_kappa(one, other, draws(50), categories=2).value == pytest.approx(0.4)


@pytest.mark.parametrize("weighting", Weighting)
def test_weighted_kappas_are_scikit_learns(weighting: Weighting) -> None:
    """Over the rows that both rated."""
    random = np.random.default_rng(3)
    one = random.integers(0, 4, 60).astype(float)
    other = np.clip(one + random.integers(-1, 2, 60), 0, 3)
    one[:5] = NAN
    expected = cohen_kappa_score(
        one[5:], other[5:], labels=range(4), weights=None if weighting is Weighting.NONE else weighting.value
    )
    assert cohen_kappa(one, other, draws(60), categories=4, weighting=weighting).value == pytest.approx(expected)


def test_fleiss_kappa_is_that_of_a_published_table() -> None:
    """And a row with another number of ratings is left out."""
    ratings = np.array([np.repeat(np.arange(5.0), row) for row in FLEISS])
    assert fleiss_kappa(ratings, draws(10), categories=5).value == pytest.approx(0.210, abs=5e-4)
    short = np.vstack([ratings, [0.0, 1.0, *[NAN] * 12]])
    assert fleiss_kappa(short, draws(11), categories=5).value == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize(("level", "expected"), [(Level.NOMINAL, 0.743), (Level.ORDINAL, 0.815)])
def test_krippendorffs_alpha_is_his_own(level: Level, expected: float) -> None:
    """With the ratings that are missing."""
    alpha = krippendorff_alpha(KRIPPENDORFF - 1, draws(12), categories=5, level=level)
    assert alpha.value == pytest.approx(expected, abs=5e-4)


def test_one_category_alone_has_no_value() -> None:
    """Agreement beyond chance cannot be told where chance agrees on all; nor without two ratings."""
    same: np.typing.NDArray[np.float64] = np.zeros((6, 2))
    alone = np.column_stack([np.arange(6.0) % 2, np.full(6, NAN)])
    for ratings in (same, alone):
        assert cohen_kappa(ratings[:, 0], ratings[:, 1], draws(6), categories=2).value is None
        assert fleiss_kappa(ratings, draws(6), categories=2).value is None
        assert krippendorff_alpha(ratings, draws(6), categories=2).value is None


def test_an_interval_is_over_rows_drawn_again() -> None:
    """It is that of the coefficient worked out anew in each draw."""
    random = np.random.default_rng(5)
    one = random.integers(0, 2, 40).astype(float)
    other = np.where(random.random(40) < 0.2, 1 - one, one)
    resampling = draws(40, 400)
    told = cohen_kappa(one, other, resampling, categories=2)
    again = []
    for weights in resampling.weights():
        for draw in weights:
            rows = np.repeat(np.arange(40), draw.astype(int))
            again.append(cohen_kappa_score(one[rows], other[rows]))
    low, high = np.percentile(again, (2.0, 98.0))
    assert told.low == pytest.approx(low, abs=0.03)
    assert told.high == pytest.approx(high, abs=0.03)
    assert np.isfinite([told.low, told.value, told.high]).all()  # type: ignore[arg-type]
