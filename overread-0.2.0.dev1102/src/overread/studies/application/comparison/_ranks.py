"""Rank correlations over any number of pairs, and ranks as shares."""

from __future__ import annotations

from typing import Final

import numpy as np
from attrs import evolve

from overread.application.statistics import Estimate, Measure, Resampling, estimate, midranks
from overread.domain.results.scores import Floats

__all__ = ["is_wide", "percentiles", "rank_draws", "rank_estimate"]

_WORK: Final = 20_000_000
_FEWEST: Final = 200
_WIDE: Final = 20_000


def is_wide(rows: int) -> bool:
    """Returns whether there are too many rows for an interval of Kendall's tau, which takes half a second a draw."""
    return rows > _WIDE


def rank_draws(rows: int, draws: int) -> int:
    """Draws that an interval of a rank correlation is made from: fewer over very many rows, where it is narrow."""
    return min(draws, max(_FEWEST, _WORK // max(1, rows)))


def rank_estimate(measure: Measure, first: Floats, second: Floats, resampling: Resampling) -> Estimate:
    """A measure of ranks between two columns, over the rows that have both, with its interval by study."""
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if measure.name == "kendall" and is_wide(len(one)):
        both = ~np.isnan(one) & ~np.isnan(other)
        return Estimate(measure.value(one[both], other[both]))
    return estimate(measure, one, other, evolve(resampling, draws=rank_draws(len(one), resampling.draws)))


def percentiles(values: Floats) -> Floats:
    """The share of the numbers that are smaller, equal ones counted half: 0 to 1. NaN stays NaN."""
    there = ~np.isnan(values)
    shares = np.full(len(values), np.nan)
    if there.any():
        shares[there] = (midranks(np.asarray(values[there], dtype=np.float64)) - 0.5) / there.sum()
    return shares
