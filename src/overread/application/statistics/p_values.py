"""P values from draws, and their correction where there are several."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from overread.application.statistics.weighted import Vector
from overread.extras import require

__all__ = ["bootstrap_p", "holm", "randomisation_p", "wilcoxon"]

_ROUNDING = 1e-9


def bootstrap_p(differences: Vector) -> float | None:
    """Two-sided p value of a difference from its bootstrap draws: twice the smaller share of draws beyond 0.

    That is Koehn's paired bootstrap ("Statistical significance tests for machine translation evaluation", 2004) taken
    on both sides, with one added to both counts (Davison and Hinkley, Bootstrap Methods and their Application, 1997,
    section 4.2). It is below 0.05 just where percentiles 2.5 and 97.5 leave out 0, but for the last draw; where
    clusters are few, `interval` is a little wider.

    For a clear difference it is about twice what sacrebleu's paired bootstrap prints, which counts one tail alone.

    Args:
        differences: one a draw; draws that are not finite are left out. None where no draw is left.
    """
    drawn = differences[np.isfinite(differences)]
    if not drawn.size:
        return None
    beyond = min(int(np.count_nonzero(drawn <= 0)), int(np.count_nonzero(drawn >= 0)))
    return min(1.0, 2 * (beyond + 1) / (len(drawn) + 1))


def randomisation_p(difference: float, differences: Vector, *, complete: bool = False) -> float | None:
    """Two-sided p value of a difference from draws in which the two systems changed places at random.

    The share of draws whose difference is at least as large, whatever its sign (Noreen, Computer Intensive Methods for
    Testing Hypotheses, 1989), with one added to both counts (Phipson and Smyth, 2010) unless the draws are all there
    are. Equal differences count, so that two equal systems have p = 1.

    Args:
        difference: as observed.
        differences: one a draw; draws that are not finite are left out.
        complete: whether the draws go through every way to change places.

    Returns:
        The p value, None where the difference or every draw is undefined.
    """
    drawn = np.abs(differences[np.isfinite(differences)])
    if not drawn.size or not math.isfinite(difference):
        return None
    least = abs(difference) * (1 - _ROUNDING) - _ROUNDING * drawn.max()
    beyond = np.count_nonzero(drawn >= least)
    return float(beyond / drawn.size if complete else (beyond + 1) / (drawn.size + 1))


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """P values corrected by Holm's step-down procedure (1979), in the order given.

    The chance of any false finding among those below 0.05 is at most 5 %, however the tests depend on one another. A
    None, where there was nothing to test, stays None and is not counted.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    tested = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(tested):
        highest = max(highest, min(1.0, (len(tested) - rank) * p))
        corrected[index] = highest
    return tuple(corrected)


def wilcoxon(first: Vector, second: Vector) -> float | None:
    """Two-sided p value of Wilcoxon's signed-rank test over the rows that both have (GREEN Tables 10 and 11).

    Rows without a difference are left out (Wilcoxon's own treatment), as scipy's default has it. Rows are taken as
    independent: with several pairs a study prefer the randomisation test.

    Args:
        first: one number a row, NaN where there is none.
        second: the same.

    Returns:
        The p value, None where no row differs.
    """
    require("a p value", "statistics", "scipy")
    from scipy import stats  # noqa: PLC0415 - scipy.stats is slow to import

    differences = first - second
    differences = differences[np.isfinite(differences) & (differences != 0)]
    return float(stats.wilcoxon(differences).pvalue) if differences.size else None
