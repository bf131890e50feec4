"""Agreement on categories beyond chance: kappas and Krippendorff's alpha, with intervals over what was rated.

A rating is the index of a category, from 0; NaN where a rater gave none. Every coefficient is 1 for perfect agreement,
0 for that of chance, and less for less. It has no value where all ratings are of one category.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from overread.application.statistics.estimating import Estimate, as_estimate
from overread.application.statistics.resampling import Resampling

__all__ = ["Level", "Weighting", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha"]

Matrix = npt.NDArray[np.float64]

_TWO = 2
_NEXT_TO_NOTHING = 1e-12


class Weighting(StrEnum):
    """Weights of a disagreement in Cohen's kappa, by how many steps apart two ratings are."""

    NONE = "none"
    """All weigh the same."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class Level(StrEnum):
    """Level of measurement in Krippendorff's alpha."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"


def cohen_kappa(
    one: Matrix, other: Matrix, resampling: Resampling, *, categories: int, weighting: Weighting = Weighting.NONE
) -> Estimate:
    """Cohen's kappa of two raters, over the rows that both rated.

    Educational and Psychological Measurement 20, 1960; weighted: Psychological Bulletin 70, 1968.

    Args:
        one: ratings, a number a row.
        other: the same.
        resampling: made for these rows.
        categories: that there are.
        weighting: of disagreements; ordered categories may have one.
    """
    rows = np.isfinite(one) & np.isfinite(other)
    both = (one[rows] * categories + other[rows]).astype(np.intp)
    features = np.eye(categories**2)[both]
    apart = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories))) / max(categories - 1, 1)
    weights = {Weighting.NONE: (apart > 0) * 1.0, Weighting.LINEAR: apart, Weighting.QUADRATIC: apart**2}[weighting]

    def value(sums: Matrix) -> Matrix:
        counts = sums.reshape(-1, categories, categories)
        total = counts.sum(axis=(1, 2))
        expected = np.einsum("di,dj,ij->d", counts.sum(axis=2), counts.sum(axis=1), weights)
        return 1 - _divided(np.einsum("dij,ij->d", counts, weights) * total, expected)

    return _estimate(features, value, rows, resampling)


def fleiss_kappa(ratings: Matrix, resampling: Resampling, *, categories: int) -> Estimate:
    """Fleiss' kappa of any number of raters (Psychological Bulletin 76, 1971).

    It asks for as many ratings of each row, by whomever: it is over the rows that have as many as most rows with two or
    more have.

    Args:
        ratings: rows x raters.
        resampling: made for these rows.
        categories: that there are.
    """
    tallies = _tallies(ratings, categories)
    given = tallies.sum(axis=1)
    frequent = Counter(int(count) for count in given if count >= _TWO).most_common(1)
    if not frequent:
        return Estimate(None)
    raters = frequent[0][0]
    rows = given == raters
    counts = tallies[rows]
    agreed = ((counts**2).sum(axis=1) - raters) / (raters * (raters - 1))
    features = np.column_stack([agreed, counts, np.ones(len(counts))])

    def value(sums: Matrix) -> Matrix:
        total = sums[:, -1]
        shares = _divided(sums[:, 1:-1], raters * total[:, None])
        chance = (shares**2).sum(axis=1)
        return _divided(_divided(sums[:, 0], total) - chance, 1 - chance)

    return _estimate(features, value, rows, resampling)


def krippendorff_alpha(
    ratings: Matrix, resampling: Resampling, *, categories: int, level: Level = Level.NOMINAL
) -> Estimate:
    """Krippendorff's alpha of any number of raters, over the rows that two or more rated.

    Computing Krippendorff's Alpha-Reliability, University of Pennsylvania, 2011.

    Args:
        ratings: rows x raters.
        resampling: made for these rows.
        categories: that there are, in their order.
        level: of measurement.
    """
    tallies = _tallies(ratings, categories)
    given = tallies.sum(axis=1)
    rows = given >= _TWO
    counts, raters = tallies[rows], given[rows]
    together = counts[:, :, None] * (counts[:, None, :] - np.eye(categories)) / (raters - 1)[:, None, None]
    features = together.reshape(len(counts), categories**2)

    def value(sums: Matrix) -> Matrix:
        coincidences = sums.reshape(-1, categories, categories)
        marginals = coincidences.sum(axis=2)
        total = marginals.sum(axis=1)
        apart = _distances(marginals, level)
        observed = (coincidences * apart).sum(axis=(1, 2))
        chance = marginals[:, :, None] * (marginals[:, None, :] - np.eye(categories))
        return 1 - _divided(observed * (total - 1), (chance * apart).sum(axis=(1, 2)))

    return _estimate(features, value, rows, resampling)


def _distances(marginals: Matrix, level: Level) -> Matrix:
    """Squared distances of each two categories, by draw."""
    categories = marginals.shape[1]
    if level is Level.NOMINAL:
        return np.broadcast_to(1 - np.eye(categories), (len(marginals), categories, categories))
    middles = marginals.cumsum(axis=1) - marginals / 2
    apart: Matrix = (middles[:, :, None] - middles[:, None, :]) ** 2
    return apart


def _tallies(ratings: Matrix, categories: int) -> Matrix:
    """Numbers of ratings, rows x categories."""
    tallies: Matrix = np.stack([(ratings == category).sum(axis=1) for category in range(categories)], axis=1).astype(
        np.float64
    )
    return tallies


def _estimate(
    features: Matrix, value: Callable[[Matrix], Matrix], rows: npt.NDArray[np.bool_], resampling: Resampling
) -> Estimate:
    """A figure of sums over rows, in all of them and in each draw."""
    if not rows.any():
        return Estimate(None)
    drawn = np.concatenate([value(weights @ features) for weights in resampling.weights(rows)])
    return as_estimate(float(value(features.sum(axis=0)[None])[0]), drawn, resampling.held(rows))


def _divided(above: Matrix, below: Matrix) -> Matrix:
    """Quotients, NaN where there is nothing to divide by."""
    above, below = np.broadcast_arrays(above, below)
    quotients: Matrix = np.divide(
        above, below, out=np.full(above.shape, np.nan), where=np.abs(below) > _NEXT_TO_NOTHING
    )
    return quotients
