"""Agreement of raters with one another: the ceiling for what can be asked of a metric."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.statistics.estimating import Estimate, Measure, as_estimate, resample_measure
from overread.application.statistics.resampling import Resampling

__all__ = ["RaterAgreement", "mean_rating", "rater_agreement"]

Matrix = npt.NDArray[np.float64]


@frozen(kw_only=True)
class RaterAgreement:
    """A measure between raters.

    Attributes:
        pairs: raters x raters, the measure between two over the rows that both rated; the diagonal has no value.
        against_others: each rater against the mean of the others, over the rows that he or she and another rated.
        mean_of_pairs: the mean over pairs of raters, each pair once; pairs without a value are left out, draw by draw.
        mean_against_others: the mean of ``against_others``.
    """

    pairs: tuple[tuple[Estimate, ...], ...]
    against_others: tuple[Estimate, ...]
    mean_of_pairs: Estimate
    mean_against_others: Estimate


def rater_agreement(measure: Measure, ratings: Matrix, resampling: Resampling) -> RaterAgreement:
    """A measure for every pair of raters, and for each against the mean of the others.

    GREEN appendix Fig. 6 has it for Kendall's tau-b, its Table 1 for the mean absolute error.

    Args:
        measure: the same whichever rater comes first.
        ratings: rows x raters, NaN where a rater gave none.
        resampling: made for these rows.
    """
    raters = ratings.shape[1]
    pairs = [[Estimate(None)] * raters for _ in range(raters)]
    between, against = [], []
    for one in range(raters):
        others = mean_rating(np.delete(ratings, one, axis=1))
        against.append(_figure(measure, ratings[:, one], others, resampling))
        for other in range(one + 1, raters):
            figure = _figure(measure, ratings[:, one], ratings[:, other], resampling)
            pairs[one][other] = pairs[other][one] = as_estimate(*figure)
            between.append(figure)
    return RaterAgreement(
        pairs=tuple(tuple(row) for row in pairs),
        against_others=tuple(as_estimate(*figure) for figure in against),
        mean_of_pairs=_mean(between),
        mean_against_others=_mean(against),
    )


def mean_rating(ratings: Matrix) -> Matrix:
    """Mean of each row's ratings that are there, NaN where there is none.

    >>> mean_rating(np.array([[1.0, np.nan, 2.0], [np.nan, np.nan, np.nan]]))
    array([1.5, nan])
    """
    given = np.isfinite(ratings)
    counts = given.sum(axis=1)
    means = np.full(len(ratings), np.nan)
    np.divide(np.where(given, ratings, 0.0).sum(axis=1), counts, out=means, where=counts > 0)
    return means


def _figure(measure: Measure, one: Matrix, other: Matrix, resampling: Resampling) -> tuple[float, Matrix, int]:
    rows = np.isfinite(one) & np.isfinite(other)
    drawn = resample_measure(measure, one, other, resampling)
    return measure.value(one[rows], other[rows]), drawn, resampling.held(rows)


def _mean(figures: list[tuple[float, Matrix, int]]) -> Estimate:
    defined = [figure for figure in figures if np.isfinite(figure[0])]
    if not defined:
        return Estimate(None)
    values, drawn, clusters = zip(*defined, strict=True)
    return as_estimate(float(np.mean(values)), mean_rating(np.stack(drawn, axis=1)), max(clusters))
