"""Points with the least-squares line and its 95 % band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.statistics.tabulation import Scatter
from overread.extras import require
from overread.infrastructure.views.web.plots._parts import GRID, Axis, Drawing, finite, label, number, path

__all__ = ["Dot", "Regression", "ScatterDrawing", "draw_scatter", "regression"]

_DRAWN: Final = 12_000
"""Points on a page: with more it would be slow and large. Of more, evenly spaced ones are drawn."""
_FEWEST_DRAWN: Final = 150
_NAMED: Final = 1_000
"""Points on a page up to which each tells its name when it is pointed at."""
_STEPS: Final = 60
_FEWEST: Final = 3
_LEVEL: Final = 0.975

_Values = npt.NDArray[np.float64]
_Point = tuple[float, float, str]


@frozen(kw_only=True)
class Regression:
    """Ordinary least squares of y on x.

    Attributes:
        x: where the line and the band are given, from the least x to the largest.
        low, high: band that holds the mean of y at x with 95 % confidence.
    """

    intercept: float
    slope: float
    x: _Values
    y: _Values
    low: _Values
    high: _Values


@frozen
class Dot:
    """A point with its name: places in percent from the left and from the top."""

    x: float
    y: float
    title: str


@frozen(kw_only=True)
class ScatterDrawing(Drawing):
    """A scatter plot.

    Attributes:
        named: points with their names, where they are few.
        dots: all points as one path, where they are many; else "".
        line, band: the regression, "" where there is none.
    """

    kind: str = field(init=False, default="scatter")
    x: Axis
    y: Axis
    named: tuple[Dot, ...]
    dots: str
    line: str
    band: str


def draw_scatter(plot: Scatter, scatters: int = 1) -> ScatterDrawing:
    """Points, line and band; ``scatters`` plots share what a page can hold."""
    points = [
        (float(x), float(y), name) for x, y, name in plot.points if finite(x) is not None and finite(y) is not None
    ]
    drawn = _thin_points(points, max(_FEWEST_DRAWN, _DRAWN // scatters))
    fit = regression([x for x, _, _ in points], [y for _, y, _ in points])
    across = Axis.over(plot.x_title, [x for x, _, _ in points])
    around = [*fit.low.tolist(), *fit.high.tolist()] if fit else []
    up = Axis.over(plot.y_title, _within([y for _, y, _ in points], around))
    few = len(drawn) * scatters <= _NAMED
    return ScatterDrawing(
        words=_words(len(points), len(drawn), fit),
        x=across,
        y=up,
        named=tuple(_dot(point, across, up) for point in drawn) if few else (),
        dots="" if few else _dots(drawn, across, up),
        line=path(_ends(fit), across, up) if fit else "",
        band=_band(fit, across, up) if fit else "",
    )


def regression(x: Sequence[float], y: Sequence[float]) -> Regression | None:
    """The line through points, None where fewer than three or equal x leave it open.

    The half-width of the band at x is t s sqrt(1 / n + (x - mean)^2 / S), with t the 97.5 % quantile of Student's t
    of n - 2 degrees of freedom, s^2 the residual sum of squares over n - 2, and S the sum of squares of x about
    its mean (Draper and Smith, Applied Regression Analysis, section 3.1).
    """
    if len(x) < _FEWEST or min(x) == max(x):
        return None
    require("a line through points", "statistics", "scipy")
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy is slow to import

    given, response = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    mean, free = given.mean(), len(given) - 2
    spread = float(((given - mean) ** 2).sum())
    slope = float(((given - mean) * (response - response.mean())).sum()) / spread
    intercept = float(response.mean() - slope * mean)
    error = np.sqrt(((response - intercept - slope * given) ** 2).sum() / free)
    at = np.linspace(given.min(), given.max(), _STEPS)
    line = intercept + slope * at
    half = stdtrit(free, _LEVEL) * error * np.sqrt(1 / len(given) + (at - mean) ** 2 / spread)
    return Regression(intercept=intercept, slope=slope, x=at, y=line, low=line - half, high=line + half)


def _thin_points(points: list[_Point], most: int) -> list[_Point]:
    if len(points) <= most:
        return points
    return [points[round(index)] for index in np.linspace(0, len(points) - 1, most)]


def _within(values: list[float], around: list[float]) -> list[float]:
    """The values, and as much of the band around their line as lies within half their range of them."""
    if not values:
        return []
    room = (max(values) - min(values)) / 2
    return [*values, *(min(max(edge, min(values) - room), max(values) + room) for edge in around)]


def _dot(point: _Point, x: Axis, y: Axis) -> Dot:
    at, value, name = point
    title = f"{label(name)}: {number(at)}, {number(value)}"
    return Dot(x.place(at), round(100 - y.place(value), 2), title)


def _dots(points: Sequence[_Point], x: Axis, y: Axis) -> str:
    """Lines without length, which a round end makes into dots; those at one place are one."""
    spots = dict.fromkeys(
        (round(x.place(at) * GRID / 100), round(GRID - y.place(value) * GRID / 100)) for at, value, _ in points
    )
    return "".join(f"M{a} {b}h0" for a, b in spots)


def _ends(fit: Regression) -> list[tuple[float, float]]:
    """Both ends of the line."""
    return [(float(fit.x[0]), float(fit.y[0])), (float(fit.x[-1]), float(fit.y[-1]))]


def _band(fit: Regression, x: Axis, y: Axis) -> str:
    there = zip(fit.x.tolist(), fit.high.tolist(), strict=True)
    back = zip(reversed(fit.x.tolist()), reversed(fit.low.tolist()), strict=True)
    return path([*there, *back], x, y, closed=True)


def _words(count: int, drawn: int, fit: Regression | None) -> str:
    some = "" if drawn == count else f", {drawn:,} of them drawn"
    if fit is None:
        return f"{count:,} points{some}."
    sign = "-" if fit.slope < 0 else "+"
    line = f"y = {fit.intercept:.3g} {sign} {abs(fit.slope):.3g} x"
    return f"{count:,} points{some}; least-squares line {line} with the 95 % band of its mean."
