"""A Bernoulli CUSUM: a signal soon after the rate of an event changes, and few signals while it does not."""

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

__all__ = [
    "CusumDesign",
    "CusumPath",
    "Excursion",
    "average_run_length",
    "design_cusum",
    "follow_sum",
    "least_limit",
    "shifted_rate",
    "trace",
]

_FINENESS: Final = 100
"""The largest denominator of the reference value: p1 is met to within some per cent, and the chain stays small."""


@frozen(kw_only=True)
class CusumDesign:
    """Limits of a CUSUM for a rate that goes from one value to another.

    After each pair the sum rises by ``rise`` steps where the pair speaks for the other rate, falls by ``fall`` where it
    does not, and stays at 0 or above (Reynolds and Stoumbos, Journal of Quality Technology 31, 1999). An event speaks
    for a higher rate, a pair without one for a lower. The whole numbers stand for the log-likelihood ratio of the two
    rates, so that the Markov chain of the sum is exact.

    Attributes:
        base: rate that is in control (p0), between 0 and 1.
        shifted: rate that is to be noticed (p1), above or below ``base``.
        rise, fall: steps, 1 or more.
        limit: steps from which there is a signal (h).
        step: log-likelihood ratio of one step.
        run_length: pairs until a false signal on average, from a sum of 0, while the rate is ``base`` (ARL0).
        delay: pairs until the signal on average, from a sum of 0, once it is ``shifted`` (ARL1). A sum that is above 0
            when the rate changes gives the signal earlier.
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
        """Pairs until a signal on average, from a sum of 0, while the rate is another one."""
        return average_run_length(_steps(self.rise, self.fall, rate, falling=self.is_falling), self.limit)

    @property
    def is_falling(self) -> bool:
        """True if a fall of the rate is to be noticed."""
        return self.shifted < self.base


@frozen(kw_only=True)
class Excursion:
    """A way of the sum from its last zero to an alarm.

    Attributes:
        start: position of the first pair after the last zero: the estimated change (Page, Biometrika 41, 1954).
        crossing: position of the pair at which the limit was reached.
    """

    start: int
    crossing: int


@frozen(kw_only=True)
class CusumPath:
    """The sum after each pair, and its alarms; after an alarm it starts again at 0."""

    sums: tuple[float, ...] = field(converter=in_tuple, repr=False)
    alarms: tuple[Excursion, ...] = field(converter=in_tuple)


def shifted_rate(base: float, odds_ratio: float) -> float:
    """The rate whose odds are so many times those of another.

    >>> round(shifted_rate(0.02, 2.0), 4)
    0.0392
    """
    return odds_ratio * base / (1 - base + odds_ratio * base)


@lru_cache(maxsize=1024)
def design_cusum(base: float, shifted: float, run_length: float) -> CusumDesign:
    """The lowest limit whose false signals are as rare as asked for, by the Markov chain of Brook and Evans (1972).

    Args:
        base: rate in control, between 0 and 1.
        shifted: rate to be noticed, another one between 0 and 1.
        run_length: least average number of pairs until a false signal.

    Raises:
        InputError: if a rate is out of bounds, or both are the same.

    >>> design = design_cusum(0.10, 0.20, 1000.0)
    >>> round(design.run_length), round(design.delay)
    (1015, 63)
    >>> design = design_cusum(0.10, 0.05, 1000.0)
    >>> round(design.run_length), round(design.delay)
    (1008, 135)
    """
    if not (0 < base < 1 and 0 < shifted < 1 and base != shifted):
        raise InputError("chart", "the rates must differ, and lie between 0 and 1")
    falling = shifted < base
    towards, away = (1 - base, 1 - shifted) if falling else (base, shifted)
    with_it, without = math.log(away / towards), math.log((1 - away) / (1 - towards))
    reference = -without / (with_it - without)
    share = Fraction(reference).limit_denominator(max(_FINENESS, math.ceil(1 / min(reference, 1 - reference))))
    fall, rise = share.numerator, share.denominator - share.numerator

    def average(limit: int, rate: float) -> float:
        return average_run_length(_steps(rise, fall, rate, falling=falling), limit)

    limit = least_limit(lambda limit: average(limit, base) >= run_length)
    return CusumDesign(
        base=base,
        shifted=shifted,
        rise=rise,
        fall=fall,
        limit=limit,
        step=(with_it - without) / (rise + fall),
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
    from scipy.sparse import csc_array  # slow to import
    from scipy.sparse.linalg import spsolve

    states = np.arange(limit)
    rows, columns, values = [states], [states], [np.ones(limit)]
    for step, probability in steps.items():
        reached = np.maximum(states + step, 0)
        stays = reached < limit
        rows.append(states[stays])
        columns.append(reached[stays])
        values.append(np.full(np.count_nonzero(stays), -probability))
    places = (np.concatenate(rows), np.concatenate(columns))
    staying = csc_array((np.concatenate(values), places), shape=(limit, limit))
    return float(spsolve(staying, np.ones(limit))[0])


def trace(design: CusumDesign, events: Iterable[bool]) -> CusumPath:
    """The sum over rows in their order, and its alarms.

    >>> design = design_cusum(0.10, 0.20, 1000.0)
    >>> [alarm.crossing for alarm in trace(design, [True] * 9).alarms]
    [4]
    """
    falling = design.is_falling
    return follow_sum((design.rise if event is not falling else -design.fall for event in events), design.limit)


def follow_sum(steps: Iterable[float], limit: float) -> CusumPath:
    """The sum over the steps of rows in their order, which never falls below 0, and its alarms.

    >>> follow_sum([1, 1, -3, 1, 2, 1], 3).sums
    (1, 2, 0, 1, 3, 1)
    """
    total: float = 0
    start = 0
    sums, alarms = [], []
    for place, step in enumerate(steps):
        if total == 0:
            start = place
        total = max(0, total + step)
        sums.append(total)
        if total >= limit:
            alarms.append(Excursion(start=start, crossing=place))
            total = 0
    return CusumPath(sums=sums, alarms=alarms)


def least_limit(holds: Callable[[int], bool]) -> int:
    """The least whole number above 0 from which on something holds."""
    high = 1
    while not holds(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _steps(rise: int, fall: int, rate: float, *, falling: bool) -> dict[int, float]:
    """Probability of each step at a rate of events."""
    rises = 1 - rate if falling else rate
    return {rise: rises, -fall: 1 - rises}
