"""Curves on one plane, for example discrimination and robustness."""

from __future__ import annotations

from typing import Final

from attrs import field, frozen

from overread.application.statistics.tabulation import Cell, Column, Curve, Curves, Table
from overread.infrastructure.views.web.plots._parts import Axis, Drawing, finite, label, number, path, series, symbol

__all__ = ["CurveLine", "CurvesDrawing", "Spot", "draw_curves"]

_DASHES: Final = ("none", "8 4", "2 3", "8 3 2 3", "14 4", "14 3 2 3")
_FEW: Final = 12
"""Points of a curve up to which each is shown."""


@frozen
class Spot:
    """A point in percent from the left and from the top, with its words."""

    x: float
    y: float
    title: str


@frozen(kw_only=True)
class CurveLine:
    """A curve: its path, "" for none, the points shown on it, and the marked one."""

    label: str
    series: int
    symbol: str
    dash: str
    path: str
    spots: tuple[Spot, ...]
    marked: Spot | None


@frozen(kw_only=True)
class CurvesDrawing(Drawing):
    """Curves; a ``square`` plane has its diagonal."""

    kind: str = field(init=False, default="curves")
    x: Axis
    y: Axis
    lines: tuple[CurveLine, ...]
    square: bool


def draw_curves(plot: Curves) -> CurvesDrawing:
    """Each curve told by colour, dashes and marker."""
    bounds = (-0.02, 1.02) if plot.square else None
    every = [point for curve in plot.curves for point in [*_points(curve), *_marked_points(curve)]]
    x = Axis.over(plot.x_title, [at for at, _ in every], bounds=bounds)
    y = Axis.over(plot.y_title, [value for _, value in every], bounds=bounds)
    return CurvesDrawing(
        words=_words(plot),
        table=_table(plot),
        x=x,
        y=y,
        lines=tuple(_line(index, curve, x, y) for index, curve in enumerate(plot.curves)),
        square=plot.square,
    )


def _line(index: int, curve: Curve, x: Axis, y: Axis) -> CurveLine:
    points, marked = _points(curve), _marked_points(curve)
    name = label(curve.label)
    return CurveLine(
        label=name,
        series=series(index),
        symbol=symbol(index),
        dash=_DASHES[(index + index // len(_DASHES)) % len(_DASHES)],
        path=path(points, x, y) if curve.is_line and len(points) > 1 else "",
        spots=tuple(_spot(point, name, x, y) for point in points) if len(points) <= _FEW or not curve.is_line else (),
        marked=_spot(marked[0], f"{name}, marked point", x, y) if marked else None,
    )


def _spot(point: tuple[float, float], name: str, x: Axis, y: Axis) -> Spot:
    at, value = point
    title = f"{name}: {x.title} {number(at)}, {y.title} {number(value)}"
    return Spot(x.place(at), round(100 - y.place(value), 2), title)


def _points(curve: Curve) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in curve.points if finite(x) is not None and finite(y) is not None]


def _marked_points(curve: Curve) -> list[tuple[float, float]]:
    if curve.marked is None or None in map(finite, curve.marked):
        return []
    return [curve.marked]


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
