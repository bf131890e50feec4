"""The plan as a picture: where the units stand, a curve for each edge, and labels that do not collide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from overread.domain.results.alignment import Edge
from overread.domain.results.result import TransportEvidence

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

_BELOW: Final = 14.0
"""Pixels by which such an edge stands below the others of its unit."""


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
    """The picture of a plan; an entry without mass is no edge."""
    n, m = evidence.alignment.shape
    edges = [edge for edge in evidence.alignment.edges() if edge.mass > 0]
    longer = max(n, m, 1)
    heaviest = max((edge.mass for edge in edges), default=0.0) or 1.0
    threshold = _SHOWN_SHARE / longer * (1.0 if evidence.alignment.row_null is None else heaviest)
    height = ROW_HEIGHT * longer
    top_risk = max((edge.risk for edge in edges), default=0.0)
    top_risk = max(top_risk, _LEAST_TOP_RISK)
    places = _Places(height / max(n, 1), height / max(m, 1), edges)
    curves = []
    for rank, edge in enumerate(edges, start=1):
        labelled = rank <= _LABELS and edge.risk > 0
        if edge.mass < threshold and not labelled:
            continue
        path, x, y = places.draw_edge(edge, labelled=labelled)
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


class _Places:
    """Paths of the edges and places of their labels.

    Args:
        row, column: pixels for one unit of the reference, and of the candidate.
        edges: of the plan.
    """

    def __init__(self, row: float, column: float, edges: Sequence[Edge]) -> None:
        self._row, self._column = row, column
        self._matched = {
            (end, index) for edge in edges if None not in (edge.row, edge.column) for end, index in _ends(edge)
        }
        self._taken: list[tuple[float, float]] = []

    def draw_edge(self, edge: Edge, *, labelled: bool) -> tuple[str, float, float]:
        """Path of an edge, and the place of its label clear of those placed before, if there is one."""
        if edge.row is None or edge.column is None:
            path, points = self._stub(edge)
        else:
            y1, y2 = (edge.row + 0.5) * self._row, (edge.column + 0.5) * self._column
            path = f"M0,{y1:.1f} C50,{y1:.1f} 50,{y2:.1f} 100,{y2:.1f}"
            points = [_on_curve(y1, y2, t) for t in _PLACES]
        return (path, *(self._free(points) if labelled else points[0]))

    def _stub(self, edge: Edge) -> tuple[str, list[tuple[float, float]]]:
        """An edge without a partner ends short of the middle, below the edges of what its unit has a partner for."""
        [(end, index)] = _ends(edge)
        is_row = end == "row"
        y = (index + 0.5) * (self._row if is_row else self._column)
        y += _BELOW if (end, index) in self._matched else 0.0
        start, stop = (0.0, _STUB) if is_row else (100.0, 100.0 - _STUB)
        return f"M{start:g},{y:.1f} L{stop:g},{y:.1f}", [(stop, y), ((start + stop) / 2, y)]

    def _free(self, points: Sequence[tuple[float, float]]) -> tuple[float, float]:
        room_x, room_y = _LABEL_ROOM
        free = (p for p in points if all(abs(p[0] - q[0]) > room_x or abs(p[1] - q[1]) > room_y for q in self._taken))
        place = next(free, points[0])
        self._taken.append(place)
        return place


def _ends(edge: Edge) -> list[tuple[str, int]]:
    """The ends at which an edge has a unit."""
    return [(end, at) for end, at in (("row", edge.row), ("column", edge.column)) if at is not None]


def _on_curve(y1: float, y2: float, t: float) -> tuple[float, float]:
    """The point at parameter t of the cubic from (0, y1) to (100, y2) with both handles at x = 50."""
    bend = 3 * (1 - t) * t
    blend = 3 * (1 - t) * t**2 + t**3
    return 50.0 * bend + 100.0 * t**3, (1 - blend) * y1 + blend * y2
