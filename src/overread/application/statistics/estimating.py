"""A figure with its interval: of a measure, and of a plain mean."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from overread.application.ports import Measure
from overread.application.statistics.resampling import Resampling, interval
from overread.application.studies.tabulation import Estimate

__all__ = ["as_estimate", "estimate", "estimate_mean", "resampled", "resampled_mean"]

Vector = npt.NDArray[np.float64]


def estimate(measure: Measure, scores: Vector, people: Vector, resampling: Resampling) -> Estimate:
    """A measure over the rows that have both numbers, with its 95 % interval.

    Args:
        measure: what to tell.
        scores: one number a row, NaN where there is none.
        people: the same.
        resampling: made for these rows.

    Returns:
        The figure; its value is None where the measure is not defined, as the correlation with a constant.
    """
    rows = np.isfinite(scores) & np.isfinite(people)
    return as_estimate(measure.value(scores[rows], people[rows]), resampled(measure, scores, people, resampling))


def resampled(measure: Measure, scores: Vector, people: Vector, resampling: Resampling) -> Vector:
    """The measure in each draw, over the rows that have both numbers; NaN in a draw where it is not defined."""
    rows = np.isfinite(scores) & np.isfinite(people)
    blocks = [measure.resampled(scores[rows], people[rows], weights) for weights in resampling.weights(rows)]
    return np.concatenate(blocks)


def estimate_mean(values: Vector, resampling: Resampling) -> Estimate:
    """The mean of the numbers that are there, with its 95 % interval; a value of None where there is none."""
    rows = np.isfinite(values)
    value = float(values[rows].mean()) if rows.any() else math.nan
    return as_estimate(value, resampled_mean(values, resampling))


def resampled_mean(values: Vector, resampling: Resampling) -> Vector:
    """The mean in each draw of the numbers that are there, NaN in a draw that takes none of them."""
    rows = np.isfinite(values)
    clusters = resampling.clusters[rows]
    totals = np.stack(
        [
            np.bincount(clusters, weights=values[rows], minlength=resampling.count),
            np.bincount(clusters, minlength=resampling.count),
        ],
        axis=1,
    )
    drawn = np.concatenate([counts @ totals for counts in resampling.counts()])
    means = np.full(len(drawn), np.nan)
    np.divide(drawn[:, 0], drawn[:, 1], out=means, where=drawn[:, 1] > 0)
    return means


def as_estimate(value: float, drawn: Vector) -> Estimate:
    """A value and the interval of its draws; nothing at all where the value is not a finite number."""
    return Estimate(float(value), *interval(drawn)) if math.isfinite(value) else Estimate(None)
