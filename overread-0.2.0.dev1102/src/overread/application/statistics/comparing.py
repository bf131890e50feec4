"""Comparing two metrics, or two systems, over the same rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.statistics.estimating import Estimate, Measure, as_estimate, resampled_mean
from overread.application.statistics.p_values import bootstrap_p, randomisation_p
from overread.application.statistics.resampling import Resampling
from overread.application.statistics.weighted import Vector

__all__ = [
    "PairedDifference",
    "Standard",
    "compare_means",
    "compare_measures",
    "midranks",
    "paired_difference",
]

Standard = Literal["ranks", "z", "raw"]
"""How two metrics' scores are made comparable before they change places: midranks, mean 0 and variance 1, or not."""

_ROUNDING = 1e-9


@frozen(kw_only=True)
class PairedDifference:
    """The first's figure less the second's, over the rows that both have.

    Attributes:
        difference: with its 95 % interval from the paired bootstrap by study.
        bootstrap_p: two-sided, as `significance.bootstrap_p` tells; None where nothing can be told.
        randomisation_p: two-sided, as `significance.randomisation_p` tells; None where nothing can be told.
        rows: how many rows both have.
    """

    difference: Estimate
    bootstrap_p: float | None
    randomisation_p: float | None
    rows: int


def compare_means(first: Vector, second: Vector, resampling: Resampling) -> PairedDifference:
    """The mean of ``first`` less that of ``second``.

    The randomisation test lets the two change places study by study, values as they are (approximate randomisation as
    in sacrebleu, there sentence by sentence). Memory does not grow with the rows, so that millions will do.

    Args:
        first: one number a row, NaN where there is none.
        second: the same.
        resampling: made for these rows.
    """
    differences = first - second
    rows = np.isfinite(differences)
    total = int(rows.sum())
    observed = float(differences[rows].mean()) if total else np.nan
    drawn = resampled_mean(differences, resampling)
    sums = np.bincount(resampling.clusters[rows], weights=differences[rows], minlength=resampling.count)
    swapped = [(1.0 - 2.0 * swaps) @ sums / max(1, total) for swaps in resampling.swaps()]
    largest = _largest(first[rows], second[rows])
    return paired_difference(observed, drawn, np.concatenate(swapped), resampling, rows=rows, largest=largest)


def compare_measures(
    measure: Measure,
    first: Vector,
    second: Vector,
    people: Vector,
    resampling: Resampling,
    *,
    standard: Standard = "ranks",
) -> PairedDifference:
    """Agreement of ``first`` with people minus that of ``second``, over the rows that have all three.

    The randomisation test swaps the two metrics' scores study by study. They are made comparable first (Deutsch, Dror
    and Roth, "A statistical analysis of summarization evaluation metrics using resampling methods", 2021): swapped are
    midranks for measures that depend only on ranks, z scores for Pearson's correlation, and raw numbers for errors of
    counts. Its null hypothesis is that either metric might have given either score.

    Args:
        measure: measure of agreement; the difference has the sign of the measure's own direction.
        first: one number a row, NaN where there is none.
        second: the same.
        people: the same.
        resampling: made for these rows.
        standard: what is swapped: "ranks" where the measure depends on ranks alone, "z" for Pearson's correlation,
            "raw" for errors of counts.

    Raises:
        ValueError: if the measure of standardised scores is not that of the scores.
    """
    rows = np.isfinite(first) & np.isfinite(second) & np.isfinite(people)
    one, other, ratings = _standardise(first[rows], standard), _standardise(second[rows], standard), people[rows]
    value, other_value = measure.value(one, ratings), measure.value(other, ratings)
    if not np.allclose(
        (value, other_value),
        (measure.value(first[rows], ratings), measure.value(second[rows], ratings)),
        rtol=0,
        atol=_ROUNDING,
        equal_nan=True,
    ):
        raise ValueError(f"the measure {measure.name} of scores differs from that of their {standard}")
    blocks = [
        (measure.resample(one, ratings, weights), measure.resample(other, ratings, weights))
        for weights in resampling.weights(rows)
    ]
    drawn, other_drawn = np.concatenate(blocks, axis=1)
    return paired_difference(
        value - other_value,
        drawn - other_drawn,
        _swapped_differences(measure, one, other, ratings, resampling.row_swaps(rows)),
        resampling,
        rows=rows,
        largest=_largest(drawn, other_drawn),
    )


def _swapped_differences(
    measure: Measure, first: Vector, second: Vector, people: Vector, swaps: Iterable[npt.NDArray[np.bool_]]
) -> Vector:
    """The difference in each draw in which the two changed places in some rows."""
    stacked, twice = np.concatenate([first, second]), np.concatenate([people, people])
    differences = []
    for taken in swaps:
        there, back = np.hstack([~taken, taken]), np.hstack([taken, ~taken])
        differences.append(
            measure.resample(stacked, twice, there.astype(np.float32))
            - measure.resample(stacked, twice, back.astype(np.float32))
        )
    return np.concatenate(differences)


def paired_difference(
    observed: float,
    drawn: Vector,
    swapped: Vector,
    resampling: Resampling,
    *,
    rows: npt.NDArray[np.bool_],
    largest: float,
) -> PairedDifference:
    """Interval and test of a difference from draws.

    A draw in which both figures are equal must count as such on both sides of 0: a rounding residue, below a
    billionth of the largest number that went into the difference, is taken as 0.

    Args:
        observed: the difference itself, NaN where it is not defined.
        drawn: the difference in each bootstrap draw.
        swapped: the difference in each draw in which the two changed places.
        resampling: that the draws are of.
        rows: which rows both have.
        largest: magnitude of the largest number of which a difference was taken.
    """
    observed, drawn = float(_without_rounding(np.asarray(observed), largest)), _without_rounding(drawn, largest)
    clusters = resampling.held(rows)
    return PairedDifference(
        difference=as_estimate(observed, drawn, clusters),
        bootstrap_p=bootstrap_p(drawn) if clusters > 1 else None,
        randomisation_p=randomisation_p(observed, swapped, complete=resampling.swaps_are_complete),
        rows=int(rows.sum()),
    )


def midranks(values: Vector) -> Vector:
    """Ranks from 1, of equal values the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse], dtype=np.float64)


def _standardise(values: Vector, standard: Standard) -> Vector:
    if standard == "ranks":
        return midranks(values)
    if standard == "z" and values.size and np.ptp(values) > 0:
        return np.asarray((values - values.mean()) / values.std(), dtype=np.float64)
    return values


def _without_rounding(differences: Vector, largest: float) -> Vector:
    return np.where(np.abs(differences) < _ROUNDING * largest, 0.0, differences)


def _largest(*several: Vector) -> float:
    """The greatest magnitude of the finite numbers, 0 where there are none."""
    return float(max(np.max(np.abs(values), where=np.isfinite(values), initial=0.0) for values in several))
