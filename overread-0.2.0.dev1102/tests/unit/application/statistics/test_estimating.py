"""Figures with intervals: who is left out, what is undefined, and how often an interval holds the truth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from overread.application.statistics import (
    Estimate,
    Resampling,
    estimate,
    estimate_mean,
    estimate_ratios,
    resample_measure,
    resampled_mean,
)
from overread.application.statistics.measures import MEASURES


def alone(rows: int, *, draws: int = 500) -> Resampling:
    return Resampling.by_study([f"{row:04}" for row in range(rows)], draws=draws)


def test_rows_without_either_number_are_left_out() -> None:
    """What is there gives the figure, and an outlier beside a missing rating does not."""
    scores = np.array([1.0, 2.0, 3.0, np.nan, 99.0])
    people = np.array([1.0, 2.0, 3.0, 0.0, np.nan])
    assert estimate(MEASURES["pearson"], scores, people, alone(5)).value == pytest.approx(1)


def test_an_undefined_measure_has_no_value() -> None:
    """An undefined figure is missing, never nought."""
    assert estimate(MEASURES["kendall"], np.ones(4), np.arange(4.0), alone(4)) == Estimate(None)
    assert estimate_mean(np.full(4, np.nan), alone(4)) == Estimate(None)


def test_no_rows_tell_nothing() -> None:
    """A set of which nothing was scored comes through without an error."""
    none, drawn = np.array([]), Resampling.by_study([])
    assert estimate(MEASURES["spearman"], none, none, drawn) == estimate_mean(none, drawn) == Estimate(None)


def test_draws_without_a_figure_do_not_count() -> None:
    """Two of three rows are alike, so that some draws are constant; the interval is of the others."""
    drawn = resample_measure(MEASURES["pearson"], np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]), alone(3))
    assert np.isnan(drawn).any()
    told = estimate(MEASURES["pearson"], np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]), alone(3))
    assert told.low == pytest.approx(1)
    assert told.high == pytest.approx(1)


def test_a_mean_of_draws_is_the_weighted_mean() -> None:
    """By study sums it is what the weights give by row."""
    values = np.array([1.0, 2.0, np.nan, 4.0, 8.0])
    drawn = Resampling.by_study(["a", "a", "b", "b", "c"], draws=300)
    rows = np.isfinite(values)
    weights = np.concatenate(list(drawn.weights(rows)))
    expected = (weights @ values[rows]) / weights.sum(axis=1)
    np.testing.assert_allclose(resampled_mean(values, drawn), expected)


def test_a_draw_without_any_of_the_values_has_no_mean() -> None:
    """One value in two studies: it is drawn or it is not."""
    drawn = resampled_mean(np.array([3.0, np.nan]), alone(2))
    assert set(drawn[np.isfinite(drawn)]) == {3}
    assert np.isnan(drawn).mean() == pytest.approx(0.25, abs=0.08)


def test_the_interval_of_a_mean_is_that_of_theory() -> None:
    """Of 400 draws from a normal distribution: mean and 1.96 standard errors, within the error of the draws."""
    values = np.random.default_rng(0).normal(size=400)
    told = estimate_mean(values, alone(400, draws=10_000))
    assert told.low is not None
    assert told.high is not None
    width = 1.96 * values.std() / 20
    assert told.low == pytest.approx(values.mean() - width, abs=0.006)
    assert told.high == pytest.approx(values.mean() + width, abs=0.006)


def covered(name: str, truth: float, *, by_study: bool) -> float:
    """How often the interval holds the truth: 75 studies of two rows that share most of what they are."""
    random = np.random.default_rng(12)
    root = np.linalg.cholesky([[1, 0.6], [0.6, 1]])
    held = 0
    for simulation in range(300):
        shared, own = random.normal(size=(75, 2)), random.normal(size=(150, 2))
        rows = (np.sqrt(0.7) * shared.repeat(2, axis=0) + np.sqrt(0.3) * own) @ root.T
        studies = [f"{row // 2 if by_study else row:03}" for row in range(150)]
        told = estimate(
            MEASURES[name], rows[:, 0], rows[:, 1], Resampling.by_study(studies, draws=600, seed=simulation)
        )
        assert told.low is not None
        assert told.high is not None
        held += told.low <= truth <= told.high
    return held / 300


@pytest.mark.parametrize(("name", "truth"), [("pearson", 0.6), ("spearman", 6 / np.pi * np.arcsin(0.3))])
def test_a_95_per_cent_interval_holds_the_truth_about_95_times_of_100(name: str, truth: float) -> None:
    """Spearman's rho of a bivariate normal is 6/pi arcsin(r/2) (Pearson, 1907)."""
    assert 0.92 <= covered(name, truth, by_study=True) <= 0.97


def test_taking_pairs_of_a_study_as_independent_promises_too_much() -> None:
    """The same data resampled by row: the reason why everything is resampled by study."""
    assert covered("pearson", 0.6, by_study=False) < 0.92


def shares(right: npt.ArrayLike, counted: npt.ArrayLike, draws: int = 1000, seed: int = 0) -> Estimate:
    """A share of rows that are a study each."""
    above, below = (np.asarray(values, dtype=np.float64) for values in (right, counted))
    return estimate_ratios([above], [below], Resampling.by_row(len(above), draws=draws, seed=seed))[0]


def test_a_share_lies_in_an_interval_of_the_binomial_width() -> None:
    """Of 400 rows 300 are right: the interval is that of a proportion, give or take resampling noise."""
    figure = shares([1.0] * 300 + [0.0] * 100, np.ones(400))
    half = 1.96 * (0.75 * 0.25 / 400) ** 0.5
    assert figure.value == 0.75
    assert figure.low == pytest.approx(0.75 - half, abs=0.01)
    assert figure.high == pytest.approx(0.75 + half, abs=0.01)


def test_rows_are_drawn_whole() -> None:
    """Items of one report rise and fall together, so few large rows give a wider interval than many small ones."""
    many = shares(np.tile([1.0, 0.0], 200), np.ones(400))
    few = shares(np.tile([100.0, 0.0], 2), np.full(4, 100.0))
    assert many.value == few.value == 0.5
    assert many.low is not None
    assert few.low is not None
    assert few.low < many.low


def test_the_same_rows_give_the_same_interval_and_another_seed_another() -> None:
    """Whatever stands in the other columns."""
    right = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
    assert shares(right, np.ones(7)) == shares(right, np.ones(7))
    two = estimate_ratios([1.0 - right, right], [np.ones(7)] * 2, Resampling.by_row(7, draws=1000))
    assert two[1] == shares(right, np.ones(7))
    many = np.tile(right, 20)
    assert shares(many, np.ones(140), draws=50, seed=1) != shares(many, np.ones(140), draws=50, seed=2)


def test_nothing_to_count_has_no_share() -> None:
    """Neither an empty denominator nor an empty file is a zero."""
    assert shares(np.zeros(3), np.zeros(3)) == shares([], []) == Estimate(None)
