"""Curves on one plane, for example discrimination and robustness."""

from __future__ import annotations

from typing import Any, Final

from overread.application.studies.tabulation import Cell, Column, Curve, Curves, Table
from overread.infrastructure.views.web.plots._parts import (
    SERIES,
    Drawing,
    axis,
    colour,
    finite,
    label,
    layout,
    line,
    symbol,
    trace,
)

__all__ = ["draw_curves"]

_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_WRAPPED: Final = 48
_FEW: Final = 12
_PLANE: Final = 450
_LEGEND_ROW: Final = 22


def draw_curves(plot: Curves) -> Drawing:
    bounds: dict[str, Any] = {"range": [-0.02, 1.02], "constrain": "domain"} if plot.square else {}
    upright = {"scaleanchor": "x", "scaleratio": 1} if plot.square else {}
    shown = list(enumerate(plot.curves))
    figure = {
        "data": [
            *(_line(index, curve) for index, curve in shown if _points(curve)),
            *(_mark(index, curve) for index, curve in shown if curve.marked is not None),
        ],
        "layout": layout(
            _PLANE + _LEGEND_ROW * sum(label(curve.label, _WRAPPED).count("<br>") + 1 for curve in plot.curves),
            xaxis=axis(plot.x_title, **bounds),
            yaxis=axis(plot.y_title, **bounds, **upright),
            shapes=[line((0, 0), (1, 1))] if plot.square else [],
            showlegend=True,
            legend={
                "x": 0,
                "y": 0,
                "yref": "container",
                "yanchor": "bottom",
                "tracegroupgap": 0,
                "bgcolor": "rgba(0,0,0,0)",
            },
            hovermode="closest",
        ),
    }
    return Drawing(figure=figure, words=_words(plot), table=_table(plot))


def _line(index: int, curve: Curve) -> dict[str, Any]:
    points = _points(curve)
    return trace(
        _mode(len(points)),
        points,
        name=label(curve.label, _WRAPPED),
        legendgroup=str(index),
        text=[label(curve.label)] * len(points),
        hoverinfo="x+y+text",
        line={"color": colour(index), "dash": _DASHES[(index + index // len(SERIES)) % len(_DASHES)], "width": 2},
        marker={"color": colour(index), "symbol": symbol(index), "size": 7},
    )


def _points(curve: Curve) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in curve.points if finite(x) is not None and finite(y) is not None]


def _mode(points: int) -> str:
    """Few points are shown as such."""
    if points == 1:
        return "markers"
    return "lines+markers" if points <= _FEW else "lines"


def _mark(index: int, curve: Curve) -> dict[str, Any]:
    """The marked point; where there is no line, it is what the legend names."""
    x, y = curve.marked or (None, None)
    edge = {"color": "--ink", "width": 1.5}
    return trace(
        "markers",
        [(finite(x), finite(y))],
        name=label(curve.label, _WRAPPED),
        legendgroup=str(index),
        showlegend=not _points(curve),
        text=[f"{label(curve.label)}: marked point"],
        hoverinfo="x+y+text",
        marker={"color": colour(index), "symbol": symbol(index), "size": 13, "line": edge},
    )


def _words(plot: Curves) -> str:
    marked = sum(curve.marked is not None for curve in plot.curves)
    curves = f"{len(plot.curves)} curves of {plot.y_title} over {plot.x_title}"
    return f"{curves}, a point marked on {marked} of them." if marked else f"{curves}."


def _table(plot: Curves) -> Table | None:
    rows: list[tuple[Cell, ...]] = [(curve.label, *curve.marked) for curve in plot.curves if curve.marked is not None]
    columns = (
        Column(name="curve", title="marked point of"),
        Column(name="x", title=plot.x_title),
        Column(name="y", title=plot.y_title),
    )
    return Table(name=plot.name, title=plot.title, columns=columns, rows=tuple(rows)) if rows else None
