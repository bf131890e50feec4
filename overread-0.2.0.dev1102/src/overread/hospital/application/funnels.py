"""Funnel plots: which groups differ from a rate by more than chance, whatever their size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple

__all__ = ["FUNNEL_LIMITS", "Funnel", "FunnelPoint", "binomial_limit", "dispersion", "draw_funnel"]

FUNNEL_LIMITS: Final[tuple[float, float]] = (0.95, 0.998)
"""Shares of groups inside each pair of limits: about two and three standard errors (Spiegelhalter 2005)."""

_WINSORISED: Final = 0.1
"""Share of the z-scores at either end that are drawn in to the next one (Spiegelhalter 2005, section 3.2)."""

_LEAST_GROUPS: Final = 5
"""Groups from which a dispersion is estimated; ours."""

_CONVINCING: Final = 0.95
"""Level at which a dispersion of more than 1 is believed."""


@frozen(kw_only=True)
class FunnelPoint:
    """A group in a funnel plot.

    Attributes:
        name: of the group.
        rows: 1 or more.
        events: of the rows.
        limits: ends of each of `FUNNEL_LIMITS` for its rows.
        outside: the widest of `FUNNEL_LIMITS` that its share lies outside of; 0 inside of all.
    """

    name: str
    rows: int
    events: int
    limits: tuple[tuple[float, float], ...] = field(converter=in_tuple)
    outside: float = 0.0

    @property
    def share(self) -> float:
        """Share of the rows with an event."""
        return self.events / self.rows


@frozen(kw_only=True)
class Funnel:
    """Groups beside the limits of chance.

    Attributes:
        target: share that limits are drawn around: that of all rows, or a given one.
        points: in the order given.
        dispersion: variance of the groups over that of chance, from winsorised z-scores (phi); None for under 5 groups.
        widened: whether the limits are those of chance times the root of the dispersion, as it is convincingly above 1.
    """

    target: float
    points: tuple[FunnelPoint, ...] = field(converter=in_tuple)
    dispersion: float | None = None
    widened: bool = False

    def limits(self, rows: float, inside: float) -> tuple[float, float]:
        """Ends, on [0, 1], between which a share of this many rows lies with a probability, if nothing but chance acts.

        Args:
            rows: 1 or more.
            inside: the probability, such as one of `FUNNEL_LIMITS`.
        """
        factor = math.sqrt(self.dispersion) if self.widened and self.dispersion else 1.0
        ends = (binomial_limit(self.target, rows, tail) for tail in ((1 - inside) / 2, (1 + inside) / 2))
        low, high = (self.target + factor * (end - self.target) for end in ends)
        return max(0.0, low), min(1.0, high)


def draw_funnel(groups: Mapping[str, tuple[int, int]], target: float | None = None) -> Funnel:
    """Groups, each with its rows and events, beside the limits of their own number of rows.

    The limits are exact binomial ones. Where groups vary more than chance explains (case mix, ways of dictating), they
    are widened by the root of the dispersion, so that an alarm tells of a group and not of that all groups differ
    (Spiegelhalter, Statistics in Medicine 24, 2005).

    Args:
        groups: rows and events by name; groups without rows are left out.
        target: share to compare with; that of all rows where omitted.
    """
    from scipy.stats import chi2  # slow to import

    counted = {name: (rows, events) for name, (rows, events) in groups.items() if rows}
    rows, events = (sum(each[place] for each in counted.values()) for place in (0, 1))
    middle = target if target is not None else (events / rows if rows else 0.0)
    phi = dispersion(list(counted.values()), middle)
    convincing = phi is not None and len(counted) * phi > chi2.ppf(_CONVINCING, len(counted) - 1)
    bare = Funnel(target=middle, points=(), dispersion=phi, widened=convincing and phi is not None and phi > 1)
    points = [_point(bare, name, n, x) for name, (n, x) in counted.items()]
    return Funnel(target=middle, points=points, dispersion=bare.dispersion, widened=bare.widened)


def binomial_limit(target: float, rows: float, below: float) -> float:
    """Share below which a binomial share of this many rows lies with a probability, interpolated between its values.

    It is (r - a) / rows, with r the least number whose cumulated probability F(r) exceeds ``below`` and
    a = (F(r) - below) / (F(r) - F(r - 1)) (Spiegelhalter 2005, appendix A.1.1).

    >>> round(binomial_limit(0.5, 2, 0.5), 3)
    0.25
    """
    from scipy.stats import binom  # slow to import

    count = math.floor(rows)
    least = float(binom.ppf(below, count, target))
    upper, lower = binom.cdf([least, least - 1], count, target)
    if upper <= below:
        least, lower = least + 1, upper
        upper = binom.cdf(least, count, target)
    part = (upper - below) / (upper - lower) if upper > lower else 0.0
    return float(min(1.0, max(0.0, (least - part) / count)))


def dispersion(groups: Sequence[tuple[int, int]], target: float) -> float | None:
    """Mean square of the groups' winsorised z-scores; None for under 5 groups, or a target that cannot vary.

    >>> dispersion([(100, 10)] * 5, 0.10)
    0.0
    """
    if len(groups) < _LEAST_GROUPS or not 0 < target < 1:
        return None
    spread = math.sqrt(target * (1 - target))
    scores = np.sort([(events / rows - target) * math.sqrt(rows) / spread for rows, events in groups])
    drawn_in = math.floor(_WINSORISED * len(scores))
    scores = np.clip(scores, scores[drawn_in], scores[len(scores) - 1 - drawn_in])
    return float(np.mean(scores**2))


def _point(funnel: Funnel, name: str, rows: int, events: int) -> FunnelPoint:
    limits = [funnel.limits(rows, inside) for inside in FUNNEL_LIMITS]
    outside = [
        inside for inside, (low, high) in zip(FUNNEL_LIMITS, limits, strict=True) if not low <= events / rows <= high
    ]
    return FunnelPoint(name=name, rows=rows, events=events, limits=limits, outside=max(outside, default=0.0))
