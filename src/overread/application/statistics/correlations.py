"""Correlations on [-1, 1]; with a constant there is none, or where fits choose by them it is 0."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.statistics.estimating import Measure
from overread.application.statistics.weighted import Ordered, Vector, Weights, by_draw, divide
from overread.extras import require

__all__ = ["Kendall", "Pearson", "Spearman", "zero_where_undefined"]

_MOST_SQUARED: Final = 800
"""Distinct rows up to which all pairs of rows are compared at once; beyond it merging is quicker and smaller."""

_CONSTANT: Final = 1e-13
"""Share of the variance below which a draw's variance is rounding alone."""


@frozen
class Kendall:
    """Kendall's tau-b (Kendall, "The treatment of ties in ranking problems", 1945).

    Concordant less discordant pairs of rows, over the geometric mean of the pairs not tied in each.
    """

    name: str = "kendall"

    def value(self, scores: Vector, people: Vector) -> float:
        """See `Measure`."""
        require("a correlation", "statistics", "scipy")
        from scipy.stats import kendalltau  # noqa: PLC0415 - scipy.stats is slow to import

        return float(kendalltau(scores, people).statistic) if _vary(scores, people) else math.nan

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """See `Measure`."""
        if not scores.size:
            return np.full(len(weights), np.nan)
        scores, people, weights = _merge_rows(scores, people, weights)
        by_score, by_people = Ordered.of(scores), Ordered.of(people)

        def count_untied(taken: Vector) -> Vector:
            total = taken.sum(axis=1) ** 2
            return np.asarray((total - _squares(taken, by_score)) * (total - _squares(taken, by_people)))

        excess = _excess_squared if len(scores) <= _MOST_SQUARED else _excess_merging
        return divide(excess(by_score.group, by_people.group, weights), np.sqrt(by_draw(count_untied, weights)))


@frozen
class Spearman:
    """Spearman's rho: Pearson's correlation of midranks."""

    name: str = "spearman"

    def value(self, scores: Vector, people: Vector) -> float:
        """See `Measure`."""
        require("a correlation", "statistics", "scipy")
        from scipy.stats import spearmanr  # noqa: PLC0415 - scipy.stats is slow to import

        return float(spearmanr(scores, people).statistic) if _vary(scores, people) else math.nan

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """See `Measure`."""
        orders = (Ordered.of(scores), Ordered.of(people))

        def figure(taken: Vector) -> Vector:
            ranks, spreads = [], []
            for order in orders:
                upto = order.cumulate(taken)
                before = np.concatenate([np.zeros((len(taken), 1)), upto[:, :-1]], axis=1)
                middle = (before + upto - upto[:, -1:]) / 2
                ranks.append(middle[:, order.group])
                spreads.append(((upto - before) * middle * middle).sum(axis=1))
            return divide((taken * ranks[0] * ranks[1]).sum(axis=1), np.sqrt(spreads[0] * spreads[1]))

        return by_draw(figure, weights) if scores.size else np.full(len(weights), np.nan)


@frozen
class Pearson:
    """Pearson's r. A draw whose values are equal but for rounding has none."""

    name: str = "pearson"

    def value(self, scores: Vector, people: Vector) -> float:
        """See `Measure`."""
        require("a correlation", "statistics", "scipy")
        from scipy.stats import pearsonr  # noqa: PLC0415 - scipy.stats is slow to import

        return float(pearsonr(scores, people).statistic) if _vary(scores, people) else math.nan

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """See `Measure`."""
        if not _vary(scores, people):
            return np.full(len(weights), np.nan)
        x, y = ((values - values.mean()) / values.std() for values in (scores, people))
        powers = np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
        total, sum_x, sum_y, sum_xx, sum_yy, sum_xy = (weights @ powers).T
        spreads = []
        for linear, squared in ((sum_x, sum_xx), (sum_y, sum_yy)):
            spread = total * squared - linear**2
            spreads.append(np.where(spread > _CONSTANT * total * squared, spread, 0.0))
        drawn = divide(total * sum_xy - sum_x * sum_y, np.sqrt(spreads[0] * spreads[1]))
        return np.clip(drawn, -1, 1)


def zero_where_undefined(correlation: Measure, scores: Vector, people: Vector) -> float:
    """A correlation, 0 where it is not defined: for fits, whose choices need a number.

    What is constant tells nothing of an order, so that it is worth as much as chance. Tables show a dash there.

    >>> zero_where_undefined(Spearman(), np.ones(3), np.arange(3.0))
    0.0
    """
    value = correlation.value(scores, people)
    return value if math.isfinite(value) else 0.0


def _vary(scores: Vector, people: Vector) -> bool:
    return bool(scores.size and np.ptp(scores) > 0 and np.ptp(people) > 0)


def _merge_rows(scores: Vector, people: Vector, weights: Weights) -> tuple[Vector, Vector, Weights]:
    """Rows with the same two numbers made one."""
    distinct, place = np.unique(np.column_stack([scores, people]), axis=0, return_inverse=True)
    if len(distinct) == len(scores):
        return scores, people, weights
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(distinct)))
    return distinct[:, 0], distinct[:, 1], np.add.reduceat(weights[:, order], starts, axis=1)


def _squares(taken: Vector, order: Ordered) -> Vector:
    tied = np.diff(order.cumulate(taken), axis=1, prepend=0.0)
    return np.asarray((tied * tied).sum(axis=1))


def _excess_squared(x: npt.NDArray[np.intp], y: npt.NDArray[np.intp], weights: Weights) -> Vector:
    """Concordant less discordant ordered pairs, from the sign of every pair of rows: w' S w for each draw."""
    signs = (np.sign(x[:, None] - x) * np.sign(y[:, None] - y)).astype(np.float32)

    def excess(taken: Vector) -> Vector:
        return np.asarray(((taken.astype(np.float32) @ signs) * taken).sum(axis=1))

    return by_draw(excess, weights)


def _excess_merging(x: npt.NDArray[np.intp], y: npt.NDArray[np.intp], weights: Weights) -> Vector:
    """The same in n log n: what is discordant is counted as a merge sort meets it (Knight, 1966).

    With rows in order of x and, in ties, of y, a pair is discordant just where the later one has the lesser y. Runs of
    rows double in length; in each pair of neighbouring runs the rows of the right one meet the weight of greater y in
    the left one.
    """
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    place = np.arange(len(x))
    levels = []
    width = 1
    while width < len(x):
        run, right = place // (2 * width), place // width % 2 == 1
        met = np.lexsort((right, y, run))
        last = np.searchsorted(run[met], run[met], side="right") - 1
        levels.append((met, ~right[met], last, np.flatnonzero(right[met])))
        width *= 2
    tied = [Ordered.of(values) for values in (x.astype(float), y.astype(float), x * (y.max() + 1.0) + y)]

    def excess(taken: Vector) -> Vector:
        taken = taken[:, order]
        discordant = np.zeros(len(taken))
        for met, left, last, rights in levels:
            here = taken[:, met]
            before = np.cumsum(here * left, axis=1)
            discordant += (here[:, rights] * (before[:, last[rights]] - before[:, rights])).sum(axis=1)
        in_x, in_y, in_both = (_squares(taken, order_) for order_ in tied)
        return np.asarray(taken.sum(axis=1) ** 2 - in_x - in_y + in_both - 4 * discordant)

    return by_draw(excess, weights)
