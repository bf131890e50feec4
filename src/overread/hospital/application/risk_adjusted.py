"""A risk-adjusted CUSUM: each pair counts for what it says beyond what its kind of case leads one to expect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import InputError
from overread.hospital.application.cusum import average_run_length, least_limit, shifted_rate

__all__ = ["AdjustedDesign", "CaseShare", "design_adjusted", "weigh"]

_SPREAD: Final = 0.0005
"""Share by which cutting the sum into steps may widen the spread of a pair's weight, at most; ours."""


@frozen(kw_only=True)
class CaseShare:
    """One kind of case in a mix: the probability of an event that is expected of it, and its share of all pairs."""

    expected: float
    share: float


@frozen(kw_only=True)
class AdjustedDesign:
    """Limits of a risk-adjusted CUSUM (Steiner et al., Biostatistics 1, 2000).

    Attributes:
        mix: kinds of cases in control.
        odds: odds ratio of the change that is to be noticed; below 1 for a fall.
        limit: of the sum, as a log-likelihood ratio (h).
        run_length: pairs until a false signal on average, from a sum of 0, while each kind of case has the rate that is
            expected of it (ARL0).
        delay: pairs until the signal on average, from a sum of 0, once all odds are ``odds`` times as high (ARL1).
    """

    mix: tuple[CaseShare, ...] = field(converter=in_tuple)
    odds: float
    limit: float
    run_length: float
    delay: float

    @property
    def base(self) -> float:
        """Rate of the whole mix in control."""
        return _rate(self.mix, 1.0)

    @property
    def shifted(self) -> float:
        """Rate of the whole mix that is to be noticed."""
        return _rate(self.mix, self.odds)

    def run_length_at(self, rate: float) -> float:
        """Pairs until a signal on average while the mix has another rate, by one odds ratio in each kind of case."""
        from scipy.optimize import brentq  # slow to import

        factor = math.exp(brentq(lambda power: _rate(self.mix, math.exp(power)) - rate, -20.0, 20.0))
        width = _width(self.mix, self.odds)
        return _average(self.mix, self.odds, factor, width, round(self.limit / width))


def weigh(expected: float, odds: float, *, event: bool) -> float:
    """Log-likelihood ratio of one pair: odds as many times as high as expected, against the expected ones.

    Steiner et al. (2000), equation 2.2 with R0 = 1.

    Args:
        expected: probability of an event that its kind of case leads one to expect.
        odds: odds ratio that is to be noticed.
        event: whether the pair is one.

    >>> round(weigh(0.02, 2.0, event=True), 3), round(weigh(0.02, 2.0, event=False), 3)
    (0.673, -0.02)
    >>> round(weigh(0.50, 2.0, event=True), 3), round(weigh(0.50, 2.0, event=False), 3)
    (0.288, -0.405)
    """
    total = 1 - expected + odds * expected
    return math.log(odds / total) if event else -math.log(total)


@lru_cache(maxsize=512)
def design_adjusted(mix: tuple[CaseShare, ...], odds: float, run_length: float) -> AdjustedDesign:
    """The lowest limit whose false signals are as rare as asked for, for a mix of cases.

    The run lengths are those of the Markov chain of the sum, cut into steps; a weight between two steps counts for both
    in parts, so that its mean is kept.

    Args:
        mix: kinds of cases; their shares sum to 1.
        odds: odds ratio that is to be noticed, above 0 and not 1.
        run_length: least average number of pairs until a false signal.

    Raises:
        InputError: if a probability is not between 0 and 1, or the odds do not change.

    >>> mix = (CaseShare(expected=0.05, share=0.7), CaseShare(expected=0.30, share=0.3))
    >>> design = design_adjusted(mix, 2.0, 1000.0)
    >>> round(design.limit, 1), round(design.delay)
    (3.2, 84)
    """
    if not all(0 < each.expected < 1 for each in mix) or not 0 < odds < math.inf or odds == 1:
        raise InputError("chart", "what is expected must lie between 0 and 1, and the odds must change")
    width = _width(mix, odds)
    steps = least_limit(lambda steps: _average(mix, odds, 1.0, width, steps) >= run_length)
    return AdjustedDesign(
        mix=mix,
        odds=odds,
        limit=steps * width,
        run_length=_average(mix, odds, 1.0, width, steps),
        delay=_average(mix, odds, odds, width, steps),
    )


def _rate(mix: Sequence[CaseShare], factor: float) -> float:
    """Rate of the mix once all odds are so many times as high."""
    return sum(each.share * shifted_rate(each.expected, factor) for each in mix)


def _weights(mix: Sequence[CaseShare], odds: float, factor: float) -> Iterator[tuple[float, float]]:
    """Weights of a pair of the mix, with their probabilities once all odds are so many times as high."""
    for each in mix:
        rate = shifted_rate(each.expected, factor)
        yield weigh(each.expected, odds, event=True), each.share * rate
        yield weigh(each.expected, odds, event=False), each.share * (1 - rate)


def _width(mix: Sequence[CaseShare], odds: float) -> float:
    """Width of a step: a weight that counts for two steps in parts has a quarter of its square more spread at most."""
    return math.sqrt(4 * _SPREAD * sum(probability * weight**2 for weight, probability in _weights(mix, odds, 1.0)))


def _average(mix: Sequence[CaseShare], odds: float, factor: float, width: float, limit: int) -> float:
    steps: dict[int, float] = {}
    for weight, probability in _weights(mix, odds, factor):
        low = math.floor(weight / width)
        part = weight / width - low
        steps[low] = steps.get(low, 0.0) + probability * (1 - part)
        steps[low + 1] = steps.get(low + 1, 0.0) + probability * part
    return average_run_length(steps, limit)
