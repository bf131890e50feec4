"""Discrimination and robustness: does a metric tell significant errors from harmless variation?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.statistics.comparing import PairedDifference, compare_means
from overread.application.statistics.estimating import Estimate, as_estimate, resampled_mean
from overread.application.statistics.resampling import Resampling
from overread.application.statistics.weighted import Vector

__all__ = [
    "Discrimination",
    "TradeOff",
    "compare_discrimination",
    "discriminate",
    "discriminate_verdicts",
    "trade_off",
]
Marks = npt.NDArray[np.bool_]


@frozen(kw_only=True, eq=False)
class TradeOff:
    """D and R at every threshold that makes a difference, thresholds rising: D falls from 1 and R rises from 0.

    Attributes:
        thresholds: a pair is called significant where its badness is at least this; the last is infinite.
        discrimination: share of pairs with a significant error that are called significant.
        robustness: share of pairs with harmless variation alone that are not.
        maximin: index of the threshold at which the lesser of the two is greatest.
    """

    thresholds: Vector
    discrimination: Vector
    robustness: Vector
    maximin: int


@frozen(kw_only=True, eq=False)
class Discrimination:
    """D and R at one threshold, or of verdicts (Beyond Scalar Scores sections 3.1 and 3.2). All lie on [0, 1].

    The intervals keep the threshold of the whole set, as those of appendix B.3 do: they tell nothing of the doubt that
    lies in its choice.

    Attributes:
        threshold: of the badness; None for verdicts.
        discrimination: D, the share of significant pairs that are called so.
        robustness: R, the share of the others that are not.
        average: (D + R) / 2.
        gap: the absolute difference of D and R, lower is better.
        right: by row, 1 where the pair was called rightly, else 0; NaN where it was not scored.
        curve: what the threshold was chosen from; None for verdicts.
    """

    threshold: float | None
    discrimination: Estimate
    robustness: Estimate
    average: Estimate
    gap: Estimate
    right: Vector = field(repr=False)
    curve: TradeOff | None = field(default=None, repr=False)


def trade_off(badness: Vector, significant: Marks) -> TradeOff:
    """D and R at every threshold, and the maximin point (Beyond Scalar Scores section 3.2 and appendix G).

    Among equals the maximin threshold is the one with the greater average of D and R, and among those the lowest.

    Args:
        badness: one finite number a pair, higher is worse.
        significant: whether the pair holds a significant error.

    Raises:
        ValueError: if there are not pairs of both kinds.
    """
    worse, better = np.sort(badness[significant]), np.sort(badness[~significant])
    if not worse.size or not better.size:
        raise ValueError("discrimination and robustness need pairs with and without a significant error")
    thresholds = np.append(np.unique(badness), np.inf)
    discrimination = 1 - np.searchsorted(worse, thresholds, side="left") / worse.size
    robustness = np.searchsorted(better, thresholds, side="left") / better.size
    order = np.lexsort((thresholds, -(discrimination + robustness), -np.minimum(discrimination, robustness)))
    return TradeOff(thresholds=thresholds, discrimination=discrimination, robustness=robustness, maximin=int(order[0]))


def discriminate(badness: Vector, significant: Marks, resampling: Resampling) -> Discrimination | None:
    """D and R of scores at the maximin threshold.

    Args:
        badness: one number a pair, higher is worse, NaN where it was not scored.
        significant: whether the pair holds a significant error.
        resampling: made for these pairs.

    Returns:
        The figures; None where there are not scored pairs of both kinds.
    """
    scored = np.isfinite(badness)
    if len(set(significant[scored].tolist())) < 2:  # noqa: PLR2004
        return None
    curve = trade_off(badness[scored], significant[scored])
    threshold = float(curve.thresholds[curve.maximin])
    called = np.where(scored, badness >= threshold, np.nan)
    return _figures(called, significant, resampling, threshold, curve)


def discriminate_verdicts(verdicts: Vector, significant: Marks, resampling: Resampling) -> Discrimination | None:
    """D and R of a metric that calls pairs significant itself.

    Args:
        verdicts: 1 where it found a significant error, 0 where not, NaN where the pair was not scored.
        significant: as of `discriminate`.
        resampling: made for these pairs.

    Returns:
        As `discriminate`.
    """
    if len(set(significant[np.isfinite(verdicts)].tolist())) < 2:  # noqa: PLR2004
        return None
    return _figures(verdicts, significant, resampling, None, None)


def compare_discrimination(
    first: Discrimination, second: Discrimination, significant: Marks, resampling: Resampling
) -> PairedDifference:
    """The average of D and R of one metric less that of another, over the pairs that both scored.

    The paired test of Beyond Scalar Scores appendix B.3: each pair has the credit whose mean is the average, its
    rightness times a weight that is larger where its kind is the rarer among these very pairs, and credits are compared
    as `compare_means` does.

    Args:
        first: of one metric.
        second: of another, on the same pairs.
        significant: whether the pair holds a significant error.
        resampling: made for these pairs.

    Returns:
        The difference, above 0 where the first is better; not defined where both scored pairs of one kind alone.
    """
    common = np.isfinite(first.right) & np.isfinite(second.right)
    sizes = [int((common & kind).sum()) for kind in (significant, ~significant)]
    factors = [common.sum() / (2 * size) if all(sizes) else np.nan for size in sizes]
    weights = np.where(significant, factors[0], factors[1])
    return compare_means(first.right * weights, second.right * weights, resampling)


def _figures(
    called: Vector, significant: Marks, resampling: Resampling, threshold: float | None, curve: TradeOff | None
) -> Discrimination:
    scored = np.isfinite(called)
    right = np.where(scored, (called > 0) == significant, np.nan)
    values, drawn = [], []
    held = [resampling.held(scored & kind) for kind in (significant, ~significant)]
    for kind in (significant, ~significant):
        values.append(float(right[scored & kind].mean()))
        drawn.append(resampled_mean(np.where(kind, right, np.nan), resampling))
    (d, r), (d_drawn, r_drawn) = values, drawn
    return Discrimination(
        threshold=threshold,
        discrimination=as_estimate(d, d_drawn, held[0]),
        robustness=as_estimate(r, r_drawn, held[1]),
        average=as_estimate((d + r) / 2, (d_drawn + r_drawn) / 2, resampling.held(scored)),
        gap=as_estimate(abs(d - r), np.abs(d_drawn - r_drawn), resampling.held(scored)),
        right=right,
        curve=curve,
    )
