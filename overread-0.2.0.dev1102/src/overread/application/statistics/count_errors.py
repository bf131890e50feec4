"""Distance of predicted counts from those of people."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from overread.application.statistics.weighted import Vector, Weights, divide

__all__ = ["Accuracy", "MeanAbsoluteError", "RootMeanSquaredError"]


@frozen
class MeanAbsoluteError:
    """Mean absolute difference, 0 or more, lower is better; in the unit of the figures."""

    name: str = "mae"

    def value(self, scores: Vector, people: Vector) -> float:
        """See `Measure`."""
        return float(np.abs(scores - people).mean()) if scores.size else math.nan

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """See `Measure`."""
        return _means(np.abs(scores - people), weights)


@frozen
class RootMeanSquaredError:
    """Root of the mean squared difference, 0 or more, lower is better; in the unit of the figures."""

    name: str = "rmse"

    def value(self, scores: Vector, people: Vector) -> float:
        """See `Measure`."""
        return float(np.sqrt(((scores - people) ** 2).mean())) if scores.size else math.nan

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """See `Measure`."""
        return np.sqrt(_means((scores - people) ** 2, weights))


@frozen
class Accuracy:
    """Share of rows in which both figures are equal, on [0, 1]; counts that are not whole are for the caller to round.

    GREEN Table 4 has it of each error category.
    """

    name: str = "accuracy"

    def value(self, scores: Vector, people: Vector) -> float:
        """See `Measure`."""
        return float(np.mean(scores == people)) if scores.size else math.nan

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """See `Measure`."""
        return _means((scores == people).astype(np.float64), weights)


def _means(values: Vector, weights: Weights) -> Vector:
    totals = weights @ np.column_stack([values, np.ones(len(values))])
    return divide(totals[:, 0], totals[:, 1])
