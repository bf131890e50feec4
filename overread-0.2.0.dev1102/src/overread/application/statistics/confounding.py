"""Correlation with people that something else could explain: length of reports, or who wrote them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import frozen

from overread.application.statistics.estimating import Estimate, Measure, as_estimate, resample_measure
from overread.application.statistics.raters import mean_rating
from overread.application.statistics.resampling import Resampling
from overread.application.statistics.weighted import Vector

__all__ = ["GroupedEstimate", "estimate_by_group", "partial_correlation"]

_NOTHING_LEFT = 1e-12


@frozen(kw_only=True)
class GroupedEstimate:
    """A measure within groups.

    Attributes:
        mean: unweighted, over the groups in which the measure is defined, draw by draw.
        groups: the measure in each group, in order of their names.
        rows: how many rows with both numbers each group has.
    """

    mean: Estimate
    groups: Mapping[str, Estimate]
    rows: Mapping[str, int]


def partial_correlation(
    measure: Measure, scores: Vector, people: Vector, covariate: Vector, resampling: Resampling
) -> Estimate:
    """Correlation of scores with people after taking out what a covariate explains of both.

    With Spearman's correlation it is that of the residuals of ranks on ranks (RadOT-Eval Table VII, where the covariate
    is the reference's number of units), which equals (r_sp - r_sc r_pc) / sqrt((1 - r_sc^2)(1 - r_pc^2)).

    Args:
        measure: a correlation: Spearman's, Pearson's, or Kendall's tau-b for Kendall's partial tau.
        scores: one number a row, NaN where there is none.
        people: the same.
        covariate: the same.
        resampling: made for these rows.

    Returns:
        The correlation on [-1, 1] over the rows that have all three. Where the covariate is constant there is nothing
        to take out, and it is the plain correlation; where it explains either wholly there is no value.
    """
    rows = np.isfinite(scores) & np.isfinite(people) & np.isfinite(covariate)
    score, rating, taken = (np.where(rows, values, np.nan) for values in (scores, people, covariate))
    pairs = ((score, rating), (score, taken), (rating, taken))
    values = [np.array([measure.value(one[rows], other[rows])]) for one, other in pairs]
    drawn = [resample_measure(measure, one, other, resampling) for one, other in pairs]
    return as_estimate(float(_partial(*values)[0]), _partial(*drawn), resampling.held(rows))


def estimate_by_group(
    measure: Measure, scores: Vector, people: Vector, groups: Sequence[str], resampling: Resampling
) -> GroupedEstimate:
    """A measure within each group, and its mean over groups.

    With generators as groups it tells whether a metric ranks the candidates of one system as people do, apart from
    ranking the systems: the mean over systems of the correlation within each, called group by system by Deutsch, Foster
    and Freitag ("Ties matter", 2023). Strata of a benchmark are groups as well.

    Args:
        measure: what to tell.
        scores: one number a row, NaN where there is none.
        people: the same.
        groups: of each row.
        resampling: made for these rows.
    """
    named = np.asarray(groups, dtype=np.str_)
    complete = np.isfinite(scores) & np.isfinite(people)
    values, drawn, estimates, counts = [], [], {}, {}
    for group in np.unique(named).tolist():
        rows = complete & (named == group)
        value = measure.value(scores[rows], people[rows])
        draws = resample_measure(measure, np.where(rows, scores, np.nan), people, resampling)
        estimates[group], counts[group] = as_estimate(value, draws, resampling.held(rows)), int(rows.sum())
        if np.isfinite(value):
            values.append(value)
            drawn.append(draws)
    if not values:
        return GroupedEstimate(mean=Estimate(None), groups=estimates, rows=counts)
    mean = as_estimate(float(np.mean(values)), mean_rating(np.stack(drawn, axis=1)), resampling.held(complete))
    return GroupedEstimate(mean=mean, groups=estimates, rows=counts)


def _partial(plain: Vector, scores_taken: Vector, people_taken: Vector) -> Vector:
    explained, other = (np.nan_to_num(taken, nan=0.0) for taken in (scores_taken, people_taken))
    left = (1 - explained**2) * (1 - other**2)
    partial = np.full(len(plain), np.nan)
    np.divide(plain - explained * other, np.sqrt(np.maximum(left, 0)), out=partial, where=left > _NOTHING_LEFT)
    return np.clip(partial, -1, 1)
