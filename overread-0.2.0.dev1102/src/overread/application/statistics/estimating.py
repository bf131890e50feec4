"""A figure with its interval: of a measure, and of a plain mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.statistics.resampling import Resampling, interval
from overread.application.statistics.weighted import Vector, Weights

__all__ = [
    "Estimate",
    "Measure",
    "as_estimate",
    "estimate",
    "estimate_mean",
    "estimate_ratios",
    "resample_measure",
    "resampled_mean",
    "resampled_ratios",
]


@frozen
class Estimate:
    """A figure and its 95 % interval; None where there is nothing to tell, or no interval was asked for."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Measure(Protocol):
    """Tells how far scores agree with what people said, over rows that have both.

    ``resample_measure`` gives, for each draw, what ``value`` would give for the rows taken as often as the draw says.
    """

    @property
    def name(self) -> str:
        """Name in tables, for example "kendall"."""
        ...

    def value(self, scores: Vector, people: Vector) -> float:
        """The measure; NaN where it is not defined, as a correlation with a constant."""
        ...

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """The measure of each draw.

        Args:
            scores: one finite number a row.
            people: the same.
            weights: draws x rows; how often a draw takes a row, 0 or more.
        """
        ...


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
    drawn = resample_measure(measure, scores, people, resampling)
    return as_estimate(measure.value(scores[rows], people[rows]), drawn, resampling.held(rows))


def resample_measure(measure: Measure, scores: Vector, people: Vector, resampling: Resampling) -> Vector:
    """The measure in each draw, over the rows that have both numbers; NaN in a draw where it is not defined."""
    rows = np.isfinite(scores) & np.isfinite(people)
    blocks = [measure.resample(scores[rows], people[rows], weights) for weights in resampling.weights(rows)]
    return np.concatenate(blocks)


def estimate_mean(values: Vector, resampling: Resampling) -> Estimate:
    """The mean of the numbers that are there, with its 95 % interval; a value of None where there is none."""
    rows = np.isfinite(values)
    value = float(values[rows].mean()) if rows.any() else math.nan
    return as_estimate(value, resampled_mean(values, resampling), resampling.held(rows))


def resampled_mean(values: Vector, resampling: Resampling) -> Vector:
    """The mean in each draw of the numbers that are there, NaN in a draw that takes none of them."""
    rows = np.isfinite(values)
    return resampled_ratios([np.where(rows, values, 0.0)], [rows], resampling)[:, 0]


def estimate_ratios(above: Sequence[Vector], below: Sequence[Vector], resampling: Resampling) -> list[Estimate]:
    """Sums of columns over sums of others, such as precision and recall, with their 95 % intervals.

    Args:
        above: columns, for example what was rightly called.
        below: as many, for example what was called; where the sum is 0 the quotient has no value.
        resampling: made for the rows of all.
    """
    sums = (np.array([column.sum() for column in columns]) for columns in (above, below))
    held = (resampling.held(np.asarray(column) > 0) for column in below)
    return list(map(as_estimate, _quotient(*sums), resampled_ratios(above, below, resampling).T, held))


def resampled_ratios(
    above: Iterable[npt.NDArray[Any]], below: Iterable[npt.NDArray[Any]], resampling: Resampling
) -> Vector:
    """The sum of each column of ``above`` over that of ``below`` in each draw, draws x columns; NaN where that is 0."""
    columns = [np.bincount(resampling.clusters, column, resampling.count) for column in chain(above, below)]
    totals = np.stack(columns, axis=1) if columns else np.empty((resampling.count, 0))
    drawn = np.concatenate([counts @ totals for counts in resampling.counts()])
    return _quotient(*np.split(drawn, 2, axis=1))


def as_estimate(value: float, drawn: Vector, clusters: int) -> Estimate:
    """A value and the interval of its draws; nothing at all where the value is not a finite number.

    Args:
        value: the figure.
        drawn: the figure in each draw, NaN where it is not defined.
        clusters: that it rests on, as `Resampling.held` tells of the rows that count.
    """
    return Estimate(float(value), *interval(drawn, clusters)) if math.isfinite(value) else Estimate(None)


def _quotient(above: Vector, below: Vector) -> Vector:
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
