"""Estimates with their intervals, one below the other: a table with a plot in each row."""

from __future__ import annotations

from attrs import field, frozen

from overread.application.statistics.tabulation import Forest, ForestRow
from overread.infrastructure.views.web.plots._parts import (
    Axis,
    Drawing,
    estimate_words,
    finite,
    label,
    series,
    symbol,
)

__all__ = ["ForestDrawing", "ForestGroup", "ForestLine", "draw_forest"]


@frozen(kw_only=True)
class ForestLine:
    """One estimate: places in percent, None where it cannot be told."""

    label: str
    words: str
    value: float | None
    low: float | None
    high: float | None


@frozen(kw_only=True)
class ForestGroup:
    """Rows under one heading, "" for none, in one colour and with one marker."""

    name: str
    series: int
    symbol: str
    lines: tuple[ForestLine, ...]


@frozen(kw_only=True)
class ForestDrawing(Drawing):
    """A forest plot; ``reference`` is the place of the line that estimates are held against, None for none."""

    kind: str = field(init=False, default="forest")
    x: Axis
    groups: tuple[ForestGroup, ...]
    reference: float | None


def draw_forest(plot: Forest) -> ForestDrawing:
    """A row an estimate, under the heading of its group; groups in the order in which they are met."""
    known = [value for row in plot.rows for value in (row.estimate.value, row.estimate.low, row.estimate.high)]
    values = [value for value in map(finite, known) if value is not None]
    x = Axis.over(plot.x_title, values if plot.reference is None else [*values, plot.reference], percent=plot.percent)
    groups: dict[str, list[ForestRow]] = {}
    for row in plot.rows:
        groups.setdefault(row.group, []).append(row)
    return ForestDrawing(
        words=f"{len(plot.rows)} estimates with 95 % intervals; {plot.x_title} from left to right.",
        wide=True,
        x=x,
        groups=tuple(
            ForestGroup(
                name=label(name),
                series=series(index),
                symbol=symbol(index),
                lines=tuple(_line(row, x, percent=plot.percent) for row in rows),
            )
            for index, (name, rows) in enumerate(groups.items())
        ),
        reference=None if plot.reference is None else x.place(plot.reference),
    )


def _line(row: ForestRow, x: Axis, *, percent: bool) -> ForestLine:
    value, low, high = map(finite, (row.estimate.value, row.estimate.low, row.estimate.high))
    return ForestLine(
        label=label(row.label),
        words=estimate_words(row.estimate, percent=percent),
        value=None if value is None else x.place(value),
        low=None if low is None or value is None else x.place(low),
        high=None if high is None or value is None else x.place(high),
    )
