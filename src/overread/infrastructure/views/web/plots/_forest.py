"""Estimates with their intervals, one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from attrs import frozen

from overread.application.studies.tabulation import Cell, Column, Forest, ForestRow, Table
from overread.infrastructure.views.web.plots._parts import (
    TOP,
    Drawing,
    axis,
    colour,
    estimate_words,
    finite,
    label,
    layout,
    line,
    symbol,
    trace,
)

__all__ = ["draw_forest"]

_WRAPPED: Final = 34
_ROW: Final = 24
_LINE: Final = 17
"""Pixels of a row, and of each line of a label that takes more than one."""
_AROUND: Final = TOP + 60
"""Pixels above and below the rows."""
_CHARACTER: Final = 7.2
"""Pixels of a character of the figures at the right."""


@frozen(kw_only=True)
class _Place:
    """A row and the height of its middle, in pixels from the top; a heading has no row."""

    y: float
    text: str
    group: int
    row: ForestRow | None = None


def draw_forest(plot: Forest) -> Drawing:
    groups: dict[str, list[ForestRow]] = {}
    for row in plot.rows:
        groups.setdefault(row.group, []).append(row)
    places, depth = _placed(groups)
    widest = max((len(estimate_words(row.estimate)) for row in plot.rows), default=0)
    reference = [] if plot.reference is None else [(plot.reference, 0.0), (plot.reference, 1.0)]
    figure = {
        "data": [_trace(index, places) for index in range(len(groups))],
        "layout": layout(
            int(depth) + _AROUND,
            margin={"l": 16, "r": 24 + int(_CHARACTER * widest), "t": TOP, "b": 52},
            xaxis=axis(plot.x_title),
            yaxis=axis(
                range=[depth, 0],
                tickvals=[place.y for place in places],
                ticktext=[place.text for place in places],
                showgrid=False,
                ticks="",
                fixedrange=True,
            ),
            shapes=[line(*reference, yref="y domain")] if reference else [],
            annotations=[_figures(place.y, estimate_words(place.row.estimate)) for place in places if place.row],
            hovermode="closest",
        ),
    }
    words = f"{len(plot.rows)} estimates with 95 % intervals; {plot.x_title} from left to right."
    return Drawing(figure=figure, words=words, table=_table(plot), wide=True, least_width=560)


def _placed(groups: dict[str, list[ForestRow]]) -> tuple[list[_Place], float]:
    """Where rows stand, and how deep they are together."""
    places, y = [], 0.0
    for index, (group, rows) in enumerate(groups.items()):
        head = f"<b>{label(group, _WRAPPED)}</b>" if group else ""
        for row, text in [*([(None, head)] if head else []), *((row, label(row.label, _WRAPPED)) for row in rows)]:
            size = max(_ROW, _LINE * (1 + text.count("<br>")) + 6)
            places.append(_Place(y=y + size / 2, text=text, group=index, row=row))
            y += size
        y += _ROW / 2
    return places, y


def _trace(group: int, places: Sequence[_Place]) -> dict[str, Any]:
    shown = list(_known(group, places))
    whiskers = [
        (value - (value if low is None else low), (value if high is None else high) - value)
        for _, value, low, high in shown
    ]
    return trace(
        "markers",
        [(value, place.y) for place, value, _, _ in shown],
        error_x={
            "type": "data",
            "symmetric": False,
            "arrayminus": [below for below, _ in whiskers],
            "array": [above for _, above in whiskers],
            "color": colour(group),
            "thickness": 1.6,
            "width": 4,
        },
        marker={"color": colour(group), "symbol": symbol(group), "size": 9},
        text=[f"{place.text}<br>{estimate_words(place.row.estimate)}" for place, *_ in shown if place.row],
        hoverinfo="text",
    )


def _known(group: int, places: Sequence[_Place]) -> Iterator[tuple[_Place, float, float | None, float | None]]:
    for place in places:
        if place.group == group and place.row is not None:
            estimate = place.row.estimate
            value = finite(estimate.value)
            if value is not None:
                yield place, value, finite(estimate.low), finite(estimate.high)


def _figures(y: float, words: str) -> dict[str, Any]:
    where = {"xref": "paper", "x": 1.0, "xanchor": "left", "yref": "y", "y": y, "yanchor": "middle"}
    return {**where, "text": words, "showarrow": False, "xshift": 8, "font": {"size": 12, "color": "--soft"}}


def _table(plot: Forest) -> Table:
    grouped = any(row.group for row in plot.rows)
    group = (Column(name="group", title="group"),) if grouped else ()
    rows: list[tuple[Cell, ...]] = [(row.label, *((row.group,) if grouped else ()), row.estimate) for row in plot.rows]
    columns = (Column(name="label", title="what"), *group, Column(name="estimate", title=plot.x_title))
    return Table(name=plot.name, title=plot.title, columns=columns, rows=tuple(rows))
