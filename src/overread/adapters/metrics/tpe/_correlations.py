"""Correlations by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau, pearsonr, spearmanr

__all__ = ["CORRELATIONS"]

Array = npt.NDArray[np.float64]


def _zero_where_constant(measure: Callable[[Array, Array], Any]) -> Callable[[Array, Array], float]:
    def correlation(one: Array, other: Array) -> float:
        if np.ptp(one) == 0 or np.ptp(other) == 0:
            return 0.0
        statistic = float(measure(one, other).statistic)
        return statistic if np.isfinite(statistic) else 0.0

    return correlation


CORRELATIONS: Final[Mapping[str, Callable[[Array, Array], float]]] = {
    "kendall": _zero_where_constant(kendalltau),
    "pearson": _zero_where_constant(pearsonr),
    "spearman": _zero_where_constant(spearmanr),
}
"""Kendall's tau-b, Pearson's r and Spearman's rho, on [-1, 1]; 0 where either side is constant or
too large to tell."""
