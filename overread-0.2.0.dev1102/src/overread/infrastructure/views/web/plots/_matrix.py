"""A matrix of figures with a word in each cell: a table whose cells are coloured."""

from __future__ import annotations

from attrs import field, frozen

from overread.application.statistics.tabulation import HeatMap
from overread.infrastructure.views.table_words import MINUS
from overread.infrastructure.views.web.plots._parts import Drawing, finite, label

__all__ = ["MatrixCell", "MatrixDrawing", "draw_matrix"]


@frozen
class MatrixCell:
    """A cell: its words, the end of the scale whose colour it has ("low", "high", "" for none), and how much of it."""

    words: str
    end: str
    share: float


@frozen(kw_only=True)
class MatrixDrawing(Drawing):
    """A heat map; ``ends`` are the least and the largest value of its colours, in words."""

    kind: str = field(init=False, default="matrix")
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell, ...]], ...]
    ends: tuple[str, str]
    has_low: bool
    has_high: bool


def draw_matrix(plot: HeatMap) -> MatrixDrawing:
    """Cells coloured by their values: the page's colour at 0, one of two at the ends of the scale."""
    words = plot.words or tuple(tuple("" if v is None else f"{v:.3f}" for v in row) for row in plot.values)
    rows = tuple(
        (label(name), tuple(_cell(value, word, plot) for value, word in zip(values, given, strict=True)))
        for name, values, given in zip(plot.rows, plot.values, words, strict=True)
    )
    return MatrixDrawing(
        words=f"{len(rows)} rows and {len(plot.columns)} columns, coloured from {_end(plot.low)} to {_end(plot.high)}.",
        wide=True,
        columns=tuple(map(label, plot.columns)),
        rows=rows,
        ends=(_end(plot.low), _end(plot.high)),
        has_low=plot.low < 0,
        has_high=plot.high > 0,
    )


def _end(value: float) -> str:
    return f"{value:.2g}".replace("-", MINUS)


def _cell(value: float | None, word: str, plot: HeatMap) -> MatrixCell:
    known = finite(value)
    shown = "\n".join(label(line).replace("-", MINUS) for line in word.split("\n"))
    if known is None:
        return MatrixCell(shown, "", 0.0)
    if known < 0:
        return MatrixCell(shown, "low", _share(known, plot.low))
    return MatrixCell(shown, "high", _share(known, plot.high))


def _share(value: float, end: float) -> float:
    """Distance of a value from 0 towards the end of its side, in percent."""
    return round(100 * min(1.0, value / end), 1) if value * end > 0 else 0.0
