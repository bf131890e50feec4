"""The plan as a picture: where the units stand, a curve for each edge, and labels that do not collide."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from overread.domain.alignment import Edge
from overread.domain.result import TransportEvidence

__all__ = ["ROW_HEIGHT", "Curve", "PlanGraph", "plan_graph"]

ROW_HEIGHT: Final = 64
"""Pixels for one unit; the style sheet gives unit boxes the same height."""

_SHOWN_SHARE: Final = 0.15
"""Edges below this share of an even unit's mass are not drawn."""

_LABELS: Final = 5
_LEVELS: Final = 5
_WIDEST: Final = 11.0
_LEAST_TOP_RISK: Final = 0.02
"""The strongest colour stands for at least this risk, so that two equal reports show no alarm."""

_PLACES: Final = (0.5, 0.38, 0.62, 0.28, 0.72)
_LABEL_ROOM: Final = (24.0, 24.0)


_STUB: Final = 30.0
"""How far an edge without a partner reaches, of 100."""


@frozen(kw_only=True)
class Curve:
    """An edge as drawn.

    Attributes:
        width: stroke width in pixels, by mass.
        level: 0 to 4, by mass-weighted risk.
        rank: 1 for the edge of highest risk; ``labelled`` only for the first few.
        x, y: place of the label, in percent and pixels.
    """

    edge: Edge
    path: str
    width: float
    level: int
    rank: int
    labelled: bool
    x: float
    y: float


@frozen(kw_only=True)
class PlanGraph:
    """Curves, the lowest risk first, so that the highest is drawn on top.

    Attributes:
        height: of the picture in pixels.
        threshold: mass from which an edge is drawn.
        total: edges in the plan.
        top_risk: risk that the strongest colour stands for.
    """

    curves: tuple[Curve, ...]
    height: int
    threshold: float
    total: int
    top_risk: float


def plan_graph(evidence: TransportEvidence) -> PlanGraph:
    """The picture of a plan."""
    n, m = evidence.alignment.shape
    edges = evidence.alignment.edges()
    longer = max(n, m, 1)
    weighed = evidence.alignment.row_null is not None
    heaviest = max((edge.mass for edge in edges), default=0.0) or 1.0
    threshold = _SHOWN_SHARE / longer * (heaviest if weighed else 1.0)
    height = ROW_HEIGHT * longer
    top_risk = max((edge.risk for edge in edges), default=0.0)
    top_risk = max(top_risk, _LEAST_TOP_RISK)
    taken: list[tuple[float, float]] = []
    curves = []
    for rank, edge in enumerate(edges, start=1):
        labelled = rank <= _LABELS and edge.risk > 0
        if edge.mass < threshold and not labelled:
            continue
        path, x, y = _curve(edge, height / max(n, 1), height / max(m, 1), taken if labelled else None)
        curves.append(
            Curve(
                edge=edge,
                path=path,
                width=1.0 + (_WIDEST - 1.0) * edge.mass / heaviest,
                level=min(_LEVELS - 1, int(_LEVELS * edge.risk / top_risk)),
                rank=rank,
                labelled=labelled,
                x=x,
                y=y,
            )
        )
    return PlanGraph(
        curves=tuple(reversed(curves)), height=height, threshold=threshold, total=len(edges), top_risk=top_risk
    )


def _curve(edge: Edge, row: float, column: float, taken: list[tuple[float, float]] | None) -> tuple[str, float, float]:
    """Path of an edge and the place of its label; one without a partner ends short of the middle."""
    if edge.row is None or edge.column is None:
        start, end = (0.0, _STUB) if edge.column is None else (100.0, 100.0 - _STUB)
        at = edge.row if edge.row is not None else edge.column
        y = ((at or 0) + 0.5) * (row if edge.row is not None else column)
        return f"M{start:g},{y:.1f} L{end:g},{y:.1f}", end, y
    y1, y2 = (edge.row + 0.5) * row, (edge.column + 0.5) * column
    x, y = (50.0, (y1 + y2) / 2) if taken is None else _label_place(y1, y2, taken)
    return f"M0,{y1:.1f} C50,{y1:.1f} 50,{y2:.1f} 100,{y2:.1f}", x, y


def _label_place(y1: float, y2: float, taken: list[tuple[float, float]]) -> tuple[float, float]:
    """A point on the curve clear of the labels placed before, if there is one."""
    points = [_on_curve(y1, y2, t) for t in _PLACES]
    room_x, room_y = _LABEL_ROOM
    free = (p for p in points if all(abs(p[0] - q[0]) > room_x or abs(p[1] - q[1]) > room_y for q in taken))
    place = next(free, points[0])
    taken.append(place)
    return place


def _on_curve(y1: float, y2: float, t: float) -> tuple[float, float]:
    """The point at parameter t of the cubic from (0, y1) to (100, y2) with both handles at x = 50."""
    bend = 3 * (1 - t) * t
    blend = 3 * (1 - t) * t**2 + t**3
    return 50.0 * bend + 100.0 * t**3, (1 - blend) * y1 + blend * y2
