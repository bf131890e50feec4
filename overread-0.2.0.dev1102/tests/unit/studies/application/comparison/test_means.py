"""Means over the same draws."""

from __future__ import annotations

import numpy as np
import pytest

from overread.application.statistics import Estimate, Resampling, compare_means
from overread.studies.application.comparison._means import mean_differences, scale_estimate


@pytest.mark.parametrize("studies", [7, 40, 120])
def test_each_is_what_it_is_alone(studies: int) -> None:
    """Columns with other gaps, told at once, against one comparison each; 7 studies go through every swap."""
    random = np.random.default_rng(studies)
    resampling = Resampling.by_study([f"s{row % studies}" for row in range(120)], draws=2000, seed=3)
    columns = [random.normal(loc=shift, size=120) for shift in (0.0, 0.1, 1000.0)]
    columns[1][random.random(120) < 0.3] = np.nan
    for column, found in zip(columns, mean_differences(columns, resampling), strict=True):
        alone = compare_means(column, np.zeros(120), resampling)
        assert found.rows == alone.rows
        assert (found.bootstrap_p, found.randomisation_p) == (alone.bootstrap_p, alone.randomisation_p)
        assert found.difference.value == pytest.approx(alone.difference.value)
        assert found.difference.low == pytest.approx(alone.difference.low)
        assert found.difference.high == pytest.approx(alone.difference.high)


def test_a_column_without_a_number_tells_nothing() -> None:
    """It does not take the other columns along."""
    empty, full = mean_differences([np.full(3, np.nan), np.ones(3)], Resampling.by_study(["a", "b", "c"], draws=100))
    assert (empty.difference, empty.bootstrap_p, empty.randomisation_p, empty.rows) == (Estimate(None), None, None, 0)
    assert full.difference == Estimate(1.0, 1.0, 1.0)


def test_a_draw_without_a_difference_has_none_of_rounding() -> None:
    """Three of 110 pairs differ: the chance of a draw of none of them is (1 - 3/110)^110, and p is twice that."""
    column = np.zeros(110)
    column[:3] = 0.3, 0.2, 0.1
    resampling = Resampling.by_study([str(row) for row in range(110)], draws=10_000)
    [found] = mean_differences([column], resampling)
    assert found.bootstrap_p == pytest.approx(2 * (1 - 3 / 110) ** 110, abs=0.01)
    assert found.difference.low == 0.0


def test_counts_in_single_precision_are_as_exact() -> None:
    """Discrepancies are counted as float32."""
    column = np.zeros(70, dtype=np.float32)
    column[:2] = 1
    resampling = Resampling.by_study([str(row) for row in range(70)], draws=2_000)
    [found] = mean_differences([column], resampling)
    assert found.difference.low == 0.0
    assert found.bootstrap_p == pytest.approx(2 * (1 - 2 / 70) ** 70, abs=0.04)


def test_means_come_in_the_order_of_the_columns() -> None:
    """Tables rely on it."""
    columns = [np.full(2, float(number)) for number in (4, 5)]
    means = mean_differences(columns, Resampling.by_study(["a", "b"], draws=10))
    assert [mean.difference.value for mean in means] == [4.0, 5.0]


def test_a_negative_factor_turns_an_interval() -> None:
    """Where less is better the lower bound becomes the upper one."""
    assert scale_estimate(Estimate(1.0, 0.5, 3.0), -2.0) == Estimate(-2.0, -6.0, -1.0)
    assert scale_estimate(Estimate(None), 2.0) == Estimate(None)
