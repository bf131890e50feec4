"""Wilcoxon's signed-rank test over rows that both have."""

from __future__ import annotations

import numpy as np
import pytest

from overread.application.statistics.wilcoxon import wilcoxon


def test_rows_without_a_difference_or_a_number_are_left_out() -> None:
    """Five differences all one way: of 32 patterns of signs two are as far out."""
    first = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 7.0, np.nan])
    second = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 7.0, 1.0])
    assert wilcoxon(first, second) == pytest.approx(2 / 32)


def test_without_differences_there_is_no_p_value() -> None:
    assert wilcoxon(np.ones(4), np.ones(4)) is None
