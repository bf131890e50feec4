"""Building blocks of every plot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from attrs import field, frozen

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Column, Table
from overread.infrastructure.views import wording
from overread.infrastructure.views.table_words import MINUS, cell_words
from overread.infrastructure.views.web.palette import SERIES

__all__ = ["Axis", "Drawing", "Tick", "estimate_words", "finite", "label", "number", "path", "series", "symbol"]

_SYMBOLS: Final = ("circle", "square", "diamond", "triangle", "plus", "cross")
_FIGURE: Final = Column(name="", title="")
_PERCENTAGE: Final = Column(name="", title="", digits=1, percent=True)
_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
_TICKS: Final = 6
_MARGIN: Final = 0.04
"""Of the range of the values, left free at either end of an axis."""

GRID: Final = 1000
"""Units of a drawing in which paths are written, both ways: a thousandth of a plot is finer than a screen shows."""


@frozen(kw_only=True)
class Drawing:
    """A plot laid out.

    Attributes:
        kind: name of the macro that writes it.
        words: what the plot shows, for those who do not see it.
        table: its figures, where they are few enough to be read and do not stand in the plot itself.
        wide: whether it wants the whole width of a page.
    """

    kind: str = field(init=False, default="")
    words: str
    table: Table | None = None
    wide: bool = False


@frozen
class Tick:
    """A line across a plot: its place in percent and what is written there."""

    place: float
    label: str


@frozen(kw_only=True)
class Axis:
    """One direction of a plot, from ``low`` to ``high``."""

    title: str
    low: float
    high: float
    ticks: tuple[Tick, ...]

    @classmethod
    def over(
        cls,
        title: str,
        values: Iterable[float],
        *,
        bounds: tuple[float, float] | None = None,
        percent: bool = False,
    ) -> Axis:
        """An axis that holds all values with some room, or one of given bounds; shares may be written in percent."""
        known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        low, high = bounds or (min(known), max(known))
        room = (high - low) * _MARGIN or abs(low) * _MARGIN or 0.5
        if bounds is None:
            low, high = low - room, high + room
        bare = cls(title=label(title), low=low, high=high, ticks=())
        return cls(title=bare.title, low=low, high=high, ticks=tuple(_ticks(bare, percent=percent)))

    def place(self, value: float) -> float:
        """Place of a value, in percent from the low end."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)


def _ticks(axis: Axis, *, percent: bool) -> Iterable[Tick]:
    """Ticks at round numbers, about six of them."""
    rough = (axis.high - axis.low) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in _STEPS if power * factor >= rough * (1 - 1e-9))
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) + (1 if step / power == _STEPS[2] else 0)
    first = math.ceil(axis.low / step - 1e-9)
    for index in range(first, math.floor(axis.high / step + 1e-9) + 1):
        words = f"{number(100 * index * step, max(digits - 2, 0))} %" if percent else number(index * step, digits)
        yield Tick(axis.place(index * step), words)


def number(value: float, digits: int = 3) -> str:
    """A number with a true minus.

    >>> number(1234.5, 1), number(-0.0, 2)
    ('1,234.5', '0.00')
    """
    return f"{value:z,.{digits}f}".replace("-", MINUS)


def series(index: int) -> int:
    """Number of a series' colour in the style sheet, round and round."""
    return index % len(SERIES) + 1


def symbol(index: int) -> str:
    """Marker of a series, so that colour is not all that tells it; another one when colours come round again."""
    return _SYMBOLS[(index + index // len(SERIES)) % len(_SYMBOLS)]


def label(text: str) -> str:
    """Text of users' data in one line, safe to show; the page escapes it."""
    return wording.one_line(text)


def estimate_words(estimate: Estimate, *, percent: bool = False) -> str:
    """An estimate with its interval, for people."""
    words = cell_words(estimate, _PERCENTAGE if percent else _FIGURE)
    return f"{words.text} {words.interval}".strip().replace("-", MINUS)


def finite(value: float | None) -> float | None:
    """A number that can be drawn, or None."""
    return float(value) if value is not None and math.isfinite(value) else None


def path(points: Sequence[tuple[float, float]], x: Axis, y: Axis, *, closed: bool = False) -> str:
    """A line through points as SVG writes it, in thousandths of the plot from the top left.

    Points that fall together are written once, and those on a straight line between their neighbours not at all.
    """
    drawn: list[tuple[int, int]] = []
    for at, value in points:
        spot = _spot(at, value, x, y)
        if drawn and spot == drawn[-1]:
            continue
        if len(drawn) > 1 and _straight(drawn[-2], drawn[-1], spot):
            drawn[-1] = spot
        else:
            drawn.append(spot)
    return "M" + "L".join(f"{a} {b}" for a, b in drawn) + ("Z" if closed else "") if drawn else ""


def _spot(at: float, value: float, x: Axis, y: Axis) -> tuple[int, int]:
    return round(x.place(at) * GRID / 100), round(GRID - y.place(value) * GRID / 100)


def _straight(one: tuple[int, int], two: tuple[int, int], three: tuple[int, int]) -> bool:
    (a, b), (c, d), (e, f) = one, two, three
    return (c - a) * (f - d) == (d - b) * (e - c) and (c - a) * (e - c) >= 0 and (d - b) * (f - d) >= 0
