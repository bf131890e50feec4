"""Points with the least-squares line and its 95 % band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.studies.tabulation import Scatter
from overread.infrastructure.views.web.plots._parts import Drawing, axis, colour, finite, label, layout, trace

__all__ = ["Regression", "draw_scatter", "regression"]

_DRAWN: Final = 4_000
"""Points from which a page is slow; of more, evenly spaced ones are drawn."""
_STEPS: Final = 60
_FEWEST: Final = 3
_LEVEL: Final = 0.975

_Values = npt.NDArray[np.float64]


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


def draw_scatter(plot: Scatter) -> Drawing:
    points = [(x, y, name) for x, y, name in plot.points if finite(x) is not None and finite(y) is not None]
    drawn = _thinned(points)
    fit = regression([x for x, _, _ in points], [y for _, y, _ in points])
    marker = {"color": colour(0), "size": 7, "opacity": 0.55, "line": {"width": 0}}
    dots = trace(
        "markers",
        [(float(x), float(y)) for x, y, _ in drawn],
        text=[label(name) for _, _, name in drawn],
        hoverinfo="x+y+text",
        marker=marker,
    )
    figure = {
        "data": [*(_band(fit) if fit else []), dots],
        "layout": layout(400, xaxis=axis(plot.x_title), yaxis=axis(plot.y_title), hovermode="closest"),
    }
    return Drawing(figure=figure, words=_words(len(points), len(drawn), fit))


def regression(x: Sequence[float], y: Sequence[float]) -> Regression | None:
    """The line through points, None where fewer than three or equal x leave it open.

    The half-width of the band at x is t s sqrt(1 / n + (x - mean)^2 / S), with t the 97.5 % quantile of Student's t
    of n - 2 degrees of freedom, s^2 the residual sum of squares over n - 2, and S the sum of squares of x about
    its mean (Draper and Smith, Applied Regression Analysis, section 3.1).
    """
    if len(x) < _FEWEST or min(x) == max(x):
        return None
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy is slow to import

    given, said = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    mean, free = given.mean(), len(given) - 2
    spread = float(((given - mean) ** 2).sum())
    slope = float(((given - mean) * (said - said.mean())).sum()) / spread
    intercept = float(said.mean() - slope * mean)
    error = np.sqrt(((said - intercept - slope * given) ** 2).sum() / free)
    at = np.linspace(given.min(), given.max(), _STEPS)
    line = intercept + slope * at
    half = stdtrit(free, _LEVEL) * error * np.sqrt(1 / len(given) + (at - mean) ** 2 / spread)
    return Regression(intercept=intercept, slope=slope, x=at, y=line, low=line - half, high=line + half)


def _thinned(points: list[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    if len(points) <= _DRAWN:
        return points
    return [points[round(index)] for index in np.linspace(0, len(points) - 1, _DRAWN)]


def _band(fit: Regression) -> list[dict[str, Any]]:
    x = fit.x.tolist()
    border = zip([*x, *reversed(x)], [*fit.high.tolist(), *reversed(fit.low.tolist())], strict=True)
    around = trace("lines", border, fill="toself", fillcolor="--pale-2", line={"width": 0}, hoverinfo="skip")
    stroke = {"color": colour(1), "width": 2}
    return [around, trace("lines", zip(x, fit.y.tolist(), strict=True), line=stroke, hoverinfo="skip")]


def _words(count: int, drawn: int, fit: Regression | None) -> str:
    some = "" if drawn == count else f", {drawn:,} of them drawn"
    if fit is None:
        return f"{count:,} points{some}."
    sign = "-" if fit.slope < 0 else "+"
    line = f"y = {fit.intercept:.3g} {sign} {abs(fit.slope):.3g} x"
    return f"{count:,} points{some}; least-squares line {line} with the 95 % band of its mean."
