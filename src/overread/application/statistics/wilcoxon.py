"""Wilcoxon's signed-rank test."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats

__all__ = ["wilcoxon"]


def wilcoxon(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> float | None:
    """Two-sided p value of Wilcoxon's signed-rank test over the rows that both have (GREEN Tables 10 and 11).

    Rows without a difference are left out (Wilcoxon's own treatment), as scipy's default has it. Rows are taken as
    independent: with several pairs a study prefer the randomisation test.

    Args:
        first: one number a row, NaN where there is none.
        second: the same.

    Returns:
        The p value, None where no row differs.
    """
    differences = first - second
    differences = differences[np.isfinite(differences) & (differences != 0)]
    return float(stats.wilcoxon(differences).pvalue) if differences.size else None
