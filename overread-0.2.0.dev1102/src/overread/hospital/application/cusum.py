"""A Bernoulli CUSUM: an alarm soon after the rate of an event rises, and few alarms while it does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import InputError

__all__ = ["CusumDesign", "CusumPath", "Excursion", "average_run_length", "design_cusum", "shifted_rate", "trace"]

_FINENESS: Final = 100
"""The largest denominator of the reference value: p1 is met to within some per cent, and the chain stays small."""

_SHORTEST: Final = 10
_LONGEST: Final = 1e7
"""Pairs between false alarms that can be asked for: more than any department reports."""


@frozen(kw_only=True)
class CusumDesign:
    """Limits of a CUSUM for a rate that goes from one value to a higher one.

    After each pair the sum rises by ``rise`` steps where the event is there, falls by ``fall`` where it is not, and
    stays at 0 or above (Reynolds and Stoumbos, Journal of Quality Technology 31, 1999). The whole numbers stand for the
    log-likelihood ratio of the two rates, so that the Markov chain of the sum is exact.

    Attributes:
        base: rate that is in control (p0), between 0 and 1.
        shifted: rate that is to be noticed (p1), above ``base``.
        rise, fall: steps, 1 or more.
        limit: steps from which there is an alarm (h).
        step: log-likelihood ratio of one step.
        run_length: pairs until a false alarm on average, from a sum of 0, while the rate is ``base`` (ARL0).
        delay: pairs until the alarm on average, from a sum of 0, once it is ``shifted`` (ARL1). A sum that is above 0
            when the rate changes gives the alarm earlier.
    """

    base: float
    shifted: float
    rise: int
    fall: int
    limit: int
    step: float
    run_length: float
    delay: float

    def run_length_at(self, rate: float) -> float:
        """Pairs until an alarm on average, from a sum of 0, while the rate is another one."""
        return average_run_length({self.rise: rate, -self.fall: 1 - rate}, self.limit)


@frozen(kw_only=True)
class Excursion:
    """A way of the sum from its last zero to an alarm.

    Attributes:
        start: position of the first event after the last zero: the estimated change (Page, Biometrika 41, 1954).
        crossing: position of the event at which the limit was reached.
    """

    start: int
    crossing: int


@frozen(kw_only=True)
class CusumPath:
    """The sum after each event, in steps, and its alarms; after an alarm it starts again at 0."""

    sums: tuple[int, ...] = field(converter=in_tuple, repr=False)
    alarms: tuple[Excursion, ...] = field(converter=in_tuple)


def shifted_rate(base: float, odds_ratio: float) -> float:
    """The rate whose odds are so many times those of another.

    >>> round(shifted_rate(0.02, 2.0), 4)
    0.0392
    """
    return odds_ratio * base / (1 - base + odds_ratio * base)


@lru_cache(maxsize=1024)
def design_cusum(base: float, shifted: float, run_length: float) -> CusumDesign:
    """The lowest limit whose false alarms are as rare as asked for, by the Markov chain of Brook and Evans (1972).

    Args:
        base: rate in control, between 0 and 1.
        shifted: rate to be noticed, above it and below 1.
        run_length: least average number of pairs until a false alarm, 10 to 10 million.

    Raises:
        InputError: if a number is out of bounds.

    >>> design = design_cusum(0.10, 0.20, 1000.0)
    >>> round(design.run_length), round(design.delay)
    (1015, 63)
    """
    if not 0 < base < shifted < 1:
        raise InputError("chart", "the rates must rise, and lie between 0 and 1")
    if not _SHORTEST <= run_length <= _LONGEST:
        raise InputError("chart", "the run length must be 10 to 10,000,000 pairs")
    with_event, without = math.log(shifted / base), math.log((1 - shifted) / (1 - base))
    reference = -without / (with_event - without)
    share = Fraction(reference).limit_denominator(max(_FINENESS, math.ceil(1 / reference)))
    fall, rise = share.numerator, share.denominator - share.numerator

    def average(limit: int, rate: float) -> float:
        return average_run_length({rise: rate, -fall: 1 - rate}, limit)

    limit = _least(lambda limit: average(limit, base) >= run_length)
    return CusumDesign(
        base=base,
        shifted=shifted,
        rise=rise,
        fall=fall,
        limit=limit,
        step=(with_event - without) / (rise + fall),
        run_length=average(limit, base),
        delay=average(limit, shifted),
    )


def average_run_length(steps: Mapping[int, float], limit: int) -> float:
    """Average number of rows until a sum that starts at 0, and never falls below it, reaches a limit.

    The states of the chain are 0 to ``limit`` - 1; the expected numbers of rows solve (I - Q) L = 1, with Q the
    transitions among them (Brook and Evans, Biometrika 59, 1972). For continuous steps, cut into intervals of a width
    w, the limit of the sum is (``limit`` - 1/2) w.

    Args:
        steps: probability of each step of a row; they sum to 1.
        limit: in steps, 1 or more.

    >>> average_run_length({1: 0.25, -1: 0.75}, 1)
    4.0
    """
    from scipy.linalg import solve_banded  # slow to import

    down = min(max([-step for step in steps if step < 0], default=0), limit - 1)
    up = min(max([step for step in steps if step > 0], default=0), limit - 1)
    bands = np.zeros((down + up + 1, limit))
    bands[up] = 1.0
    states = np.arange(limit)
    for step, probability in steps.items():
        reached = np.maximum(states + step, 0)
        stays = reached < limit
        np.subtract.at(bands, (up + states[stays] - reached[stays], reached[stays]), probability)
    return float(solve_banded((down, up), bands, np.ones(limit))[0])


def trace(design: CusumDesign, events: Iterable[bool]) -> CusumPath:
    """The sum over rows in their order, and its alarms.

    >>> design = design_cusum(0.10, 0.20, 1000.0)
    >>> [alarm.crossing for alarm in trace(design, [True] * 9).alarms]
    [4]
    """
    total, start = 0, 0
    sums, alarms = [], []
    for place, event in enumerate(events):
        if total == 0:
            start = place
        total = max(0, total + (design.rise if event else -design.fall))
        sums.append(total)
        if total >= design.limit:
            alarms.append(Excursion(start=start, crossing=place))
            total = 0
    return CusumPath(sums=sums, alarms=alarms)


def _least(holds: Callable[[int], bool]) -> int:
    """The least whole number above 0 from which on something holds."""
    high = 1
    while not holds(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
