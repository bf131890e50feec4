"""Scores of any metric as rewards, so that generators can be trained on them."""

from __future__ import annotations

import math

from overread.domain.results.result import Scale

__all__ = ["as_reward"]


def as_reward(score: float, scale: Scale) -> float:
    """The score on [0, 1], where 1 is best, in the order of the metric.

    A scale with two ends is mapped straight; of an open one, from 0 up, a score s becomes 1 / (1 + s) where lower is
    better and s / (1 + s) where higher is: overread's choice, as no paper gives one.

    >>> as_reward(0.25, Scale(0.0, 1.0, higher_is_better=True))
    0.25
    >>> as_reward(3.0, Scale(0.0, math.inf, higher_is_better=False))
    0.25

    Raises:
        ValueError: if the scale is open and does not start at 0.
    """
    if math.isfinite(scale.low) and math.isfinite(scale.high):
        share = (min(max(score, scale.low), scale.high) - scale.low) / (scale.high - scale.low)
    elif scale.low == 0.0:
        share = 1.0 - 1.0 / (1.0 + max(score, 0.0))
    else:
        raise ValueError(f"a scale of {scale.describe()} cannot be turned into a reward")
    return share if scale.higher_is_better else 1.0 - share
