"""P values from draws, Wilcoxon's test, and Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest

from overread.application.statistics import bootstrap_p, holm, randomisation_p, wilcoxon


def test_a_bootstrap_p_value_is_twice_the_lesser_tail() -> None:
    """Two of 99 draws are below 0."""
    assert bootstrap_p(np.array([-1.0] * 2 + [1.0] * 97)) == pytest.approx(2 * 3 / 100)
    assert bootstrap_p(np.array([1.0] * 2 + [-1.0] * 97 + [np.nan])) == pytest.approx(2 * 3 / 100)


def test_equal_systems_have_p_one() -> None:
    """Differences of nought are as extreme as what was seen."""
    assert bootstrap_p(np.zeros(50)) == 1
    assert randomisation_p(0.0, np.zeros(50)) == 1


def test_a_randomisation_p_value_counts_draws_as_large_on_either_side() -> None:
    """Rounding in a draw that is as large does not hide it."""
    drawn = np.array([0.3, -0.3 * (1 - 1e-15), 0.1, 0.0, -0.4, np.nan])
    assert randomisation_p(0.3, drawn) == pytest.approx(4 / 6)
    assert randomisation_p(-0.3, drawn, complete=True) == pytest.approx(3 / 5)


def test_nothing_defined_has_no_p_value() -> None:
    """No value is made up where no draw is defined."""
    assert bootstrap_p(np.array([np.nan])) is None
    assert randomisation_p(np.nan, np.ones(3)) is None
    assert randomisation_p(1.0, np.array([np.nan])) is None


@pytest.mark.parametrize(
    ("p_values", "corrected"),
    [
        # 5 x 0.01, 4 x 0.02, 3 x 0.03, then 2 x 0.04 and 0.05, which may not fall below: R's p.adjust gives the same.
        ([0.01, 0.02, 0.03, 0.04, 0.05], [0.05, 0.08, 0.09, 0.09, 0.09]),
        ([0.05, 0.01, 0.03, 0.02, 0.04], [0.09, 0.05, 0.09, 0.08, 0.09]),
        ([0.4, 0.9, 0.6], [1.0, 1.0, 1.0]),
        ([None, 0.02, None, 0.5], [None, 0.04, None, 0.5]),
        ([], []),
    ],
)
def test_holm(p_values: list[float | None], corrected: list[float | None]) -> None:
    """Steps down from the least p value; what was not tested is not counted."""
    assert holm(p_values) == pytest.approx(tuple(corrected))


def test_wilcoxon_leaves_out_rows_without_a_difference_or_a_number() -> None:
    """Five differences all one way: of 32 patterns of signs two are as far out."""
    first = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 7.0, np.nan])
    second = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 7.0, 1.0])
    assert wilcoxon(first, second) == pytest.approx(2 / 32)


def test_wilcoxon_without_differences_has_no_p_value() -> None:
    """Equal pairs have no ranks."""
    assert wilcoxon(np.ones(4), np.ones(4)) is None
