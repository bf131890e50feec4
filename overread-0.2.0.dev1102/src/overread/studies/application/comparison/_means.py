"""Means of columns over the same pairs, and whether each differs from 0; all of them over the same draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from overread.application.statistics import Estimate, PairedDifference, Resampling, paired_difference, resampled_ratios
from overread.domain.results.scores import Floats

__all__ = ["deviation", "mean_differences", "scale_estimate"]


def mean_differences(columns: Sequence[Floats], resampling: Resampling) -> list[PairedDifference]:
    """Compares as `compare_means` does for each column of differences, in one pass over the draws.

    A column may hold anything whose mean is of interest; its p values then test whether that mean is 0.

    Args:
        columns: one number per row, NaN where there is none.
        resampling: made for these rows.
    """
    if not columns or not len(resampling.clusters):
        nothing = PairedDifference(difference=Estimate(None), bootstrap_p=None, randomisation_p=None, rows=0)
        return [nothing for _ in columns]
    there = [~np.isnan(column) for column in columns]
    rows = [int(np.count_nonzero(mask)) for mask in there]
    means = [
        float(np.nanmean(column, dtype=np.float64)) if n else np.nan for column, n in zip(columns, rows, strict=True)
    ]
    # What is left after the mean is summed, so that rounding takes little of a small difference between large numbers.
    apart = (np.nan_to_num(column.astype(np.float64) - mean) for column, mean in zip(columns, means, strict=True))
    drawn = resampled_ratios(apart, there, resampling) + means
    sums = np.stack(
        [np.bincount(resampling.clusters, np.nan_to_num(column), resampling.count) for column in columns], axis=1
    )
    swapped = np.concatenate([(1.0 - 2.0 * swaps) @ sums for swaps in resampling.swaps()]) / np.maximum(rows, 1)
    return [
        paired_difference(
            mean,
            drawn[:, index],
            swapped[:, index],
            resampling,
            rows=there[index],
            largest=float(np.nanmax(np.abs(column))) if n else 0.0,
        )
        for index, (column, mean, n) in enumerate(zip(columns, means, rows, strict=True))
    ]


def scale_estimate(estimate: Estimate, factor: float) -> Estimate:
    """An estimate in other units; a negative factor turns the direction."""
    if estimate.value is None or not np.isfinite(factor):
        return Estimate(None)
    if estimate.low is None or estimate.high is None:
        return Estimate(estimate.value * factor)
    low, high = sorted((estimate.low * factor, estimate.high * factor))
    return Estimate(estimate.value * factor, low, high)


def deviation(values: Floats) -> float:
    """The standard deviation of the numbers that are there, NaN of fewer than two."""
    there = values[~np.isnan(values)]
    return float(np.std(there, ddof=1, dtype=np.float64)) if len(there) > 1 else np.nan
