"""Flow diagrams: what there is on the left, what was made of it on the right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from overread.application.statistics.tabulation import Column, Flow, Flows, Table
from overread.infrastructure.views.web.plots._parts import Drawing, label, series

__all__ = ["FlowNode", "FlowsDrawing", "Ribbon", "draw_flows"]

_GAP: Final = 36.0
"""Pixels between two nodes, so that the words of the smallest take two lines."""
_THICK: Final = 30.0
"""Pixels of a node on average."""
_LEAST: Final = 220.0


@frozen(kw_only=True)
class FlowNode:
    """A node: its place and height in percent from the top, and its words."""

    words: str
    top: float
    height: float
    series: int

    @property
    def middle(self) -> float:
        """Place of its words, in percent from the top."""
        return round(self.top + self.height / 2, 2)


@frozen(kw_only=True)
class Ribbon:
    """A flow as an area from the left to the right."""

    path: str
    series: int
    title: str


@frozen(kw_only=True)
class FlowsDrawing(Drawing):
    """A Sankey diagram; ``height`` in pixels."""

    kind: str = field(init=False, default="flows")
    height: int
    source_title: str
    target_title: str
    sources: tuple[FlowNode, ...]
    targets: tuple[FlowNode, ...]
    ribbons: tuple[Ribbon, ...]


def draw_flows(plot: Flows) -> FlowsDrawing:
    """Ribbons as thick as their counts; a name has one colour on both sides."""
    flows = [flow for flow in plot.flows if flow.count > 0]
    left = _sums((flow.source, flow.count) for flow in flows)
    right = _sums((flow.target, flow.count) for flow in flows)
    hues = {name: series(index) for index, name in enumerate(dict.fromkeys([*left, *right]))}
    most = max(len(left), len(right), 1)
    height = max(_LEAST, most * _THICK + (most - 1) * _GAP + _GAP)
    sources, targets = _column(left, height, hues), _column(right, height, hues)
    return FlowsDrawing(
        words=f"{len(flows)} flows from {plot.source_title} on the left to {plot.target_title} on the right.",
        table=_table(plot),
        wide=True,
        height=round(height),
        source_title=label(plot.source_title),
        target_title=label(plot.target_title),
        sources=tuple(sources.values()),
        targets=tuple(targets.values()),
        ribbons=tuple(_ribbons(flows, sources, targets)),
    )


def _sums(parts: Iterable[tuple[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name, count in parts:
        sums[name] = sums.get(name, 0.0) + count
    return sums


def _column(sums: Mapping[str, float], height: float, hues: Mapping[str, int]) -> dict[str, FlowNode]:
    """Nodes one below the other with a gap between them, as high as their share of what the gaps leave."""
    whole = sum(sums.values()) or 1.0
    room = height - _GAP * len(sums)
    nodes, top = {}, _GAP / 2
    for name, count in sums.items():
        high = room * count / whole
        nodes[name] = FlowNode(
            words=f"{label(name)} ({count:g})",
            top=round(100 * top / height, 2),
            height=round(100 * high / height, 2),
            series=hues[name],
        )
        top += high + _GAP
    return nodes


def _ribbons(
    flows: Sequence[Flow], sources: Mapping[str, FlowNode], targets: Mapping[str, FlowNode]
) -> Iterator[Ribbon]:
    """Each flow takes its share of both its nodes, in the order of the flows."""
    out = _sums((flow.source, flow.count) for flow in flows)
    into = _sums((flow.target, flow.count) for flow in flows)
    left = {name: node.top for name, node in sources.items()}
    right = {name: node.top for name, node in targets.items()}
    for flow in flows:
        thick = sources[flow.source].height * flow.count / out[flow.source]
        broad = targets[flow.target].height * flow.count / into[flow.target]
        a, b = left[flow.source], right[flow.target]
        left[flow.source], right[flow.target] = a + thick, b + broad
        yield Ribbon(
            path=(
                f"M0 {a:.2f}C50 {a:.2f} 50 {b:.2f} 100 {b:.2f}L100 {b + broad:.2f}"
                f"C50 {b + broad:.2f} 50 {a + thick:.2f} 0 {a + thick:.2f}Z"
            ),
            series=sources[flow.source].series,
            title=f"{label(flow.source)} to {label(flow.target)}: {flow.count:g}",
        )


def _table(plot: Flows) -> Table:
    columns = (
        Column(name="source", title=plot.source_title),
        Column(name="target", title=plot.target_title),
        Column(name="count", title="count", digits=0),
    )
    rows = tuple((flow.source, flow.target, flow.count) for flow in plot.flows)
    return Table(name=plot.name, title=plot.title, columns=columns, rows=rows)
