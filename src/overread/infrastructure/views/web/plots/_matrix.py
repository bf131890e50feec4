"""A matrix of figures with a word in each cell."""

from __future__ import annotations

from typing import Any, Final

from overread.application.studies.tabulation import Cell, Column, HeatMap, Table
from overread.infrastructure.views.web.plots._parts import TOP, Drawing, axis, finite, label, layout

__all__ = ["draw_matrix"]

_WRAPPED_ROW: Final = 30
_WRAPPED_COLUMN: Final = 14
_LINE: Final = 17
_PAD: Final = 16
_AROUND: Final = TOP + 14
_CELL: Final = 62
_CHARACTER: Final = 7.5
"""Pixels that a column needs at least, and for a character of its name."""


def draw_matrix(plot: HeatMap) -> Drawing:
    words = plot.words or tuple(tuple("" if v is None else f"{v:.3f}" for v in row) for row in plot.values)
    lines = max((word.count("\n") + 1 for row in words for word in row), default=1)
    columns, rows = list(range(len(plot.columns))), list(range(len(plot.rows)))
    names = [label(column, _WRAPPED_COLUMN).split("<br>") for column in plot.columns]
    cell = max([_CELL, *(10 + _CHARACTER * len(part) for name in names for part in name)])
    cells = {
        "type": "heatmap",
        "x": columns,
        "y": rows,
        "z": [[finite(value) for value in row] for row in plot.values],
        "text": [["<br>".join(map(label, word.split("\n"))) for word in row] for row in words],
        "texttemplate": "%{text}",
        "textfont": {"color": "--ink"},
        "hovertext": [
            [
                f"{label(row)}<br>{label(column)}<br>{label(word)}"
                for column, word in zip(plot.columns, given, strict=True)
            ]
            for row, given in zip(plot.rows, words, strict=True)
        ],
        "hoverinfo": "text",
        "hoverongaps": False,
        "zmin": plot.low,
        "zmax": plot.high,
        "colorscale": _scale(plot.low, plot.high),
        "colorbar": {"thickness": 12, "outlinewidth": 0},
        "xgap": 2,
        "ygap": 2,
    }
    figure = {
        "data": [cells],
        "layout": layout(
            len(rows) * (lines * _LINE + _PAD) + _LINE * max(map(len, names), default=1) + _AROUND,
            margin={"l": 16, "r": 16, "t": TOP, "b": 8},
            xaxis=_labels(columns, ["<br>".join(name) for name in names], tickangle=0),
            yaxis=_labels(rows, [label(row, _WRAPPED_ROW) for row in plot.rows], autorange="reversed"),
        ),
    }
    about = f"{len(rows)} rows and {len(columns)} columns of cells, coloured from {plot.low:g} to {plot.high:g}."
    return Drawing(
        figure=figure, words=about, table=_table(plot, words), wide=True, least_width=260 + int(cell * len(columns))
    )


def _labels(places: list[int], texts: list[str], **more: str | int) -> dict[str, Any]:
    return {**axis(tickvals=places, ticktext=texts, showgrid=False, ticks="", fixedrange=True), **more}


def _scale(low: float, high: float) -> list[list[float | str]]:
    """From one colour through the page's at 0 to the other, or from the page's where all is on one side of 0."""
    if low < 0 < high:
        return [[0.0, "--heat-low"], [-low / (high - low), "--heat-middle"], [1.0, "--heat-high"]]
    if high <= 0:
        return [[0.0, "--heat-low"], [1.0, "--heat-middle"]]
    return [[0.0, "--heat-middle"], [1.0, "--heat-high"]]


def _table(plot: HeatMap, words: tuple[tuple[str, ...], ...]) -> Table:
    columns = (Column(name="", title=""), *(Column(name=name, title=name) for name in plot.columns))
    rows: list[tuple[Cell, ...]] = [(name, *given) for name, given in zip(plot.rows, words, strict=True)]
    return Table(name=plot.name, title=plot.title, columns=columns, rows=tuple(rows))
