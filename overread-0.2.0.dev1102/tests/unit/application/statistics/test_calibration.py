"""Mean of people's figure by fifth of predicted risk."""

from __future__ import annotations

import numpy as np
import pytest

from overread.application.statistics import Resampling, calibration


def alone(rows: int) -> Resampling:
    return Resampling.by_study([str(row) for row in range(rows)], draws=200)


def test_fifths_of_ten_rows_are_two_each() -> None:
    """An unscored row and an unrated one are in none."""
    risk = np.append(np.arange(10.0)[::-1], [np.nan, 3.0])
    people = np.append(np.arange(10.0)[::-1] * 2, [50.0, np.nan])
    told = calibration(risk, people, alone(12))
    assert [found.rows for found in told] == [2] * 5
    assert [found.people.value for found in told] == pytest.approx([1, 5, 9, 13, 17])
    assert (told[0].low, told[0].high, told[0].risk) == (0, 1, 0.5)


def test_rows_that_do_not_divide_are_spread_evenly() -> None:
    """Of seven rows the middles lie at 1/14, 3/14 and so on; the first fifth ends at 1/5."""
    assert [found.rows for found in calibration(np.arange(7.0), np.ones(7), alone(7))] == [1, 2, 1, 2, 1]


def test_equal_risks_are_never_parted() -> None:
    """Seven of ten rows have the same risk: their midrank is 4, which lies in the second fifth."""
    risk = np.array([1.0] * 7 + [2.0, 3.0, 4.0])
    told = calibration(risk, np.arange(10.0), alone(10))
    assert [(found.place, found.low, found.rows) for found in told] == [(1, 1, 7), (3, 2, 1), (4, 3, 2)]


def test_the_order_of_rows_does_not_matter() -> None:
    """Rows of equal risk stay in one bin, whichever comes first."""
    random = np.random.default_rng(0)
    risk, people = random.integers(0, 8, 30).astype(float), random.poisson(2, 30).astype(float)
    order = random.permutation(30)
    one, other = calibration(risk, people, alone(30)), calibration(risk[order], people[order], alone(30))
    assert [found.rows for found in one] == [found.rows for found in other]
    assert [found.people.value for found in one] == pytest.approx([found.people.value for found in other])


def test_nothing_scored_has_no_bins() -> None:
    """There is nothing to divide."""
    assert calibration(np.full(3, np.nan), np.ones(3), alone(3)) == ()
