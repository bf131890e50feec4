"""What every plot is made of."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

from attrs import frozen

from overread.application.statistics import Estimate
from overread.application.studies.tabulation import Column, Table
from overread.infrastructure.views import wording
from overread.infrastructure.views.figures import MINUS, cell_words

__all__ = [
    "SERIES",
    "TOP",
    "Drawing",
    "axis",
    "colour",
    "estimate_words",
    "finite",
    "label",
    "layout",
    "line",
    "symbol",
    "trace",
]

SERIES: Final = (
    ("#0072b2", "#62b6f2"),
    ("#c44e00", "#ff9a57"),
    ("#00805e", "#3fcf9f"),
    ("#a0408a", "#e79bd3"),
    ("#8f6b00", "#e6c34f"),
    ("#5b6675", "#b7c0cc"),
)
"""Colours of series on a light and on a dark page: after those of Okabe and Ito (2008), which the colour-blind can tell
apart, darker or lighter so that each has a contrast of 3 to 1 with what it is drawn on."""

TOP: Final = 32
"""Pixels above a plot, for the button that saves it."""

_SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "cross", "x")
_FIGURE: Final = Column(name="", title="")


@frozen(kw_only=True)
class Drawing:
    """A plot ready for plotly.js.

    Attributes:
        figure: ``data`` and ``layout``; it can be written as JSON.
        words: what the plot shows, for those who do not see it.
        table: its figures, where they are few enough to be read.
        wide: whether it wants the whole width of a page.
        least_width: pixels below which it cannot be read.
    """

    figure: Mapping[str, Any]
    words: str
    table: Table | None = None
    wide: bool = False
    least_width: int = 320

    @property
    def height(self) -> int:
        """Pixels."""
        return int(self.figure["layout"]["height"])


def colour(index: int) -> str:
    """Of a series, round and round."""
    return f"--series-{index % len(SERIES) + 1}"


def symbol(index: int) -> str:
    """Marker of a series, so that colour is not all that tells it; another one when colours come round again."""
    return _SYMBOLS[(index + index // len(SERIES)) % len(_SYMBOLS)]


def label(text: str, width: int = 0) -> str:
    """Text that plotly.js shows as it is; with a width, in lines of about so many characters.

    >>> label("a <b> & c")
    'a &lt;b&gt; &amp; c'
    >>> label("one two three", 8)
    'one two<br>three'
    """
    words = wording.one_line(text)
    lines = textwrap.wrap(words, width) if width else [words]
    return "<br>".join(escape(line, quote=False) for line in lines)


def estimate_words(estimate: Estimate) -> str:
    """An estimate with its interval, for people."""
    words = cell_words(estimate, _FIGURE)
    return f"{words.text} {words.interval}".strip().replace("-", MINUS)


def finite(value: float | None) -> float | None:
    """A number that JSON can hold, or None."""
    return float(value) if value is not None and math.isfinite(value) else None


def trace(mode: str, points: Iterable[tuple[float | None, float | None]], **more: object) -> dict[str, Any]:
    """Points, or the line through them."""
    known = list(points)
    return {"type": "scatter", "mode": mode, "x": [x for x, _ in known], "y": [y for _, y in known], **more}


def axis(title: str = "", **more: object) -> dict[str, Any]:
    """An axis in the page's colours."""
    plain = {
        "title": {"text": label(title), "standoff": 12, "font": {"size": 13}},
        "gridcolor": "--line",
        "linecolor": "--line",
        "zerolinecolor": "--line",
        "zeroline": False,
        "automargin": True,
    }
    return {**plain, **more}


def layout(height: int, **more: object) -> dict[str, Any]:
    """What all figures share; the page writes the title."""
    plain = {
        "height": height,
        "margin": {"l": 56, "r": 16, "t": TOP, "b": 48},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": "--ink", "size": 13},
        "hoverlabel": {"align": "left"},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "--soft", "activecolor": "--ink"},
        "showlegend": False,
    }
    return {**plain, **more}


def line(start: Sequence[float], end: Sequence[float], **where: str) -> dict[str, Any]:
    """A quiet line from one point to another."""
    (x0, y0), (x1, y1) = start, end
    stroke = {"color": "--soft", "width": 1.5, "dash": "dot"}
    return {"type": "line", "layer": "above", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "line": stroke, **where}
