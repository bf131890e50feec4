"""Agreement of a metric with people on the preferred candidate."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from overread.application.statistics.estimating import Estimate, estimate_mean
from overread.application.statistics.raters import mean_rating
from overread.application.statistics.resampling import Resampling
from overread.application.statistics.weighted import Vector

__all__ = [
    "ConfidenceLevel",
    "PreferenceAccuracy",
    "find_preferred",
    "preference_accuracy",
    "preference_credit",
    "preference_wins",
]


@frozen(kw_only=True)
class ConfidenceLevel:
    """Accuracy over the comparisons that people were at least this sure of."""

    least: float
    comparisons: int
    accuracy: Estimate


@frozen(kw_only=True)
class PreferenceAccuracy:
    """Frequency with which a metric sides with people.

    Attributes:
        accuracy: on [0, 1], 0.5 is chance; a tie of scores counts one half.
        won: share on which it sides with people strictly, so that a tie is not won: the paired win rate.
        comparisons: number with a preference of people and both candidates scored.
        ties: number of them that the metric scored equally.
        undecided: comparisons left out because people are divided or find neither better.
        unscored: comparisons with a preference of people in which a candidate has no score.
        by_confidence: rising; empty where no rater gave a confidence.
    """

    accuracy: Estimate
    won: Estimate
    comparisons: int
    ties: int
    undecided: int
    unscored: int
    by_confidence: tuple[ConfidenceLevel, ...] = ()


def find_preferred(votes: Vector) -> Vector:
    """Candidate that most raters prefer: 1 the first, -1 the second, NaN where as many are for either.

    If two raters differ, neither counts, as in GREEN section 3.4.2.

    Args:
        votes: comparisons x raters: 1 for the first, -1 for the second, 0 for neither, NaN for no vote.
    """
    side = np.sign(mean_rating(votes))
    side[side == 0] = np.nan
    return side


def preference_credit(margin: Vector, side: Vector) -> Vector:
    """1 where a metric sides with people, 0 where it does not, one half where it scores both candidates alike.

    Its mean is the accuracy of preferences. Two metrics' credits are compared by `compare_means`.

    Args:
        margin: how much better the metric finds the first candidate than the second, NaN where it cannot tell.
        side: 1 where people prefer the first, -1 the second, NaN where neither.

    Returns:
        NaN where either is NaN.
    """
    return np.asarray((1 + np.sign(margin) * side) / 2, dtype=np.float64)


def preference_wins(margin: Vector, side: Vector) -> Vector:
    """1 where a metric sides with people, 0 where it does not or scores both candidates alike.

    Its mean is the paired win rate: with clean and corrupted reports, how often the corrupted one has the greater risk
    (RadOT-Eval, Table IV). Arguments and where it is NaN as of `preference_credit`.
    """
    agreed = margin * side
    return np.where(np.isfinite(agreed), (agreed > 0).astype(np.float64), np.nan)


def preference_accuracy(
    margin: Vector, votes: Vector, resampling: Resampling, *, confidence: Vector | None = None
) -> PreferenceAccuracy:
    """Frequency with which a metric sides with most raters, over all comparisons and over those they were surer of.

    Args:
        margin: by comparison, as for `preference_credit`.
        votes: as for `find_preferred`.
        resampling: made for these comparisons.
        confidence: comparisons x raters, NaN where not given. A comparison has the mean over its raters; the levels
            are the whole numbers between the least and the greatest of these means (GREEN Fig. 5).
    """
    side = find_preferred(votes)
    credit = preference_credit(margin, side)
    decided = np.isfinite(side)
    credited = np.isfinite(credit)
    levels = []
    if confidence is not None and confidence.size:
        sure = mean_rating(confidence)
        known = credited & np.isfinite(sure)
        ends = (np.floor(sure[known].min()), np.floor(sure[known].max())) if known.any() else (1.0, 0.0)
        for least in np.arange(ends[0], ends[1] + 1):
            rows = known & (sure >= least)
            accuracy = estimate_mean(np.where(rows, credit, np.nan), resampling)
            levels.append(ConfidenceLevel(least=float(least), comparisons=int(rows.sum()), accuracy=accuracy))
    return PreferenceAccuracy(
        accuracy=estimate_mean(credit, resampling),
        won=estimate_mean(preference_wins(margin, side), resampling),
        comparisons=int(credited.sum()),
        ties=int(np.count_nonzero(margin[credited] == 0)),
        undecided=int((~decided).sum()),
        unscored=int((decided & ~credited).sum()),
        by_confidence=tuple(levels),
    )
