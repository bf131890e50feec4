"""Partial correlation and correlation within groups."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from overread.application.statistics import Estimate, Resampling, estimate, estimate_by_group, partial_correlation
from overread.application.statistics.measures import MEASURES

Vector = npt.NDArray[np.float64]


def alone(rows: int, *, draws: int = 200) -> Resampling:
    return Resampling.by_study([str(row) for row in range(rows)], draws=draws)


def _residual(values: Vector, on: Vector) -> Vector:
    design = np.column_stack([np.ones(len(on)), on])
    return np.asarray(values - design @ np.linalg.lstsq(design, values, rcond=None)[0])


def test_it_is_the_correlation_of_the_residuals_of_ranks() -> None:
    """Ranks by scipy, residuals by least squares; a row without the covariate is left out."""
    random = np.random.default_rng(0)
    units = random.poisson(6, 50).astype(float)
    people = random.poisson(1 + units / 3).astype(float)
    scores = people + units + random.normal(size=50)
    scores_, people_, units_ = (np.append(values, 3.0) for values in (scores, people, units))
    units_[-1] = np.nan
    ranks = [stats.rankdata(values) for values in (scores, people, units)]
    expected = stats.pearsonr(_residual(ranks[0], ranks[2]), _residual(ranks[1], ranks[2])).statistic
    told = partial_correlation(MEASURES["spearman"], scores_, people_, units_, alone(51))
    assert told.value == pytest.approx(expected)
    assert told.low is not None
    assert told.high is not None
    assert told.low < expected < told.high


def test_what_only_length_explains_is_gone() -> None:
    """Scores and people that have nothing in common but the covariate."""
    random = np.random.default_rng(1)
    units = random.normal(size=400)
    scores, people = units + random.normal(size=400), units + random.normal(size=400)
    resampling = alone(400)
    plain = estimate(MEASURES["spearman"], scores, people, resampling)
    partial = partial_correlation(MEASURES["spearman"], scores, people, units, resampling)
    assert plain.low is not None
    assert plain.low > 0.3
    assert partial.low is not None
    assert partial.high is not None
    assert partial.low < 0 < partial.high


def test_a_constant_takes_nothing_out_and_an_identical_covariate_everything() -> None:
    """Where nothing is left to correlate there is no value."""
    scores, people = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])
    assert partial_correlation(MEASURES["spearman"], scores, people, np.ones(4), alone(4)).value == pytest.approx(0.8)
    assert partial_correlation(MEASURES["spearman"], scores, people, 2.0 * scores, alone(4)) == Estimate(None)
    assert partial_correlation(MEASURES["spearman"], scores, np.ones(4), people, alone(4)) == Estimate(None)


def test_within_groups_the_groups_own_levels_do_not_count() -> None:
    """One system is worse all through, and the metric sees that alone: within systems it ranks the wrong way."""
    people = np.array([0.0, 1, 2, 10, 11, 12])
    scores = np.array([2.0, 1, 0, 12, 11, 10])
    groups = ["a"] * 3 + ["b"] * 3
    told = estimate_by_group(MEASURES["spearman"], scores, people, groups, alone(6))
    assert MEASURES["spearman"].value(scores, people) > 0.5
    assert told.mean.value == pytest.approx(-1)
    assert {name: group.value for name, group in told.groups.items()} == pytest.approx({"a": -1, "b": -1})


def test_the_mean_is_over_groups_in_which_the_measure_is_defined() -> None:
    """The group of constant ratings has no value; the unscored row of another is not counted."""
    people = np.array([0.0, 1, 2, 3, 4, 5, 7, 7])
    scores = np.array([0.0, 1, 2, 5, 4, np.nan, 1, 2])
    told = estimate_by_group(MEASURES["kendall"], scores, people, list("aaabbbcc"), alone(8))
    assert told.mean.value == pytest.approx((1 - 1) / 2)
    assert told.groups["c"] == Estimate(None)
    assert dict(told.rows) == {"a": 3, "b": 2, "c": 2}


def test_the_interval_of_the_mean_is_narrower_than_those_of_its_groups() -> None:
    """The mean rests on the rows of all groups."""
    random = np.random.default_rng(2)
    people = random.normal(size=120)
    groups = [f"{row % 4}" for row in range(120)]
    told = estimate_by_group(MEASURES["pearson"], people + random.normal(size=120), people, groups, alone(120))

    def width(of: Estimate) -> float:
        assert of.low is not None
        assert of.high is not None
        return of.high - of.low

    assert width(told.mean) < min(width(group) for group in told.groups.values())


def test_without_any_group_there_is_no_mean() -> None:
    """Groups of one row have no correlation."""
    told = estimate_by_group(MEASURES["kendall"], np.ones(2), np.ones(2), ["a", "b"], alone(2))
    assert told.mean == Estimate(None)
