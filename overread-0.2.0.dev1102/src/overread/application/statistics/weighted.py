"""Sums over rows that each draw takes so many times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

__all__ = ["Ordered", "Vector", "Weights", "by_draw", "divide"]

Vector = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float32]

_CACHED: Final = 2**16
"""Numbers worked on at a time, so that they stay in a core's cache."""


@frozen(eq=False)
class Ordered:
    """Rows in order of a value, equal values in one group.

    Attributes:
        rows: indices of rows, values rising.
        ends: of each group, the position of its last row in that order.
        group: by row, the group it is in.
    """

    rows: npt.NDArray[np.intp]
    ends: npt.NDArray[np.intp]
    group: npt.NDArray[np.intp]

    @classmethod
    def of(cls, values: Vector) -> Ordered:
        """Rows in order of their values."""
        _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
        return cls(rows=np.argsort(group, kind="stable"), ends=np.cumsum(counts) - 1, group=group)

    def cumulate(self, weights: Vector) -> Vector:
        """Weight of all rows up to and with each group, draws x groups."""
        return np.asarray(np.cumsum(weights[:, self.rows], axis=1)[:, self.ends])


def by_draw(figure: Callable[[Vector], Vector], weights: Weights) -> Vector:
    """A figure of each draw, computed for some draws at a time.

    Args:
        figure: from draws x rows to one number a draw.
        weights: draws x rows.
    """
    size = max(1, _CACHED // max(1, weights.shape[1]))
    figures = np.empty(len(weights))
    for start in range(0, len(weights), size):
        block = weights[start : start + size]
        figures[start : start + size] = figure(block.astype(np.float64))
    return figures


def divide(above: Vector, below: Vector, *, least: float = 0.0) -> Vector:
    """A quotient, NaN where what is below the line is not more than ``least``."""
    quotient = np.full(len(above), np.nan)
    np.divide(above, below, out=quotient, where=below > least)
    return quotient
