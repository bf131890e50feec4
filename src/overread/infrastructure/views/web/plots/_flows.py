"""What there is on the left, what was made of it on the right."""

from __future__ import annotations

from typing import Any, Final

from overread.application.studies.tabulation import Column, Flows, Table
from overread.infrastructure.views.web.plots._parts import SERIES, TOP, Drawing, colour, label, layout

__all__ = ["draw_flows"]

_NODE: Final = 48
_AROUND: Final = TOP + 50
_LEAST: Final = 260
_WRAPPED: Final = 30


def draw_flows(plot: Flows) -> Drawing:
    flows = [flow for flow in plot.flows if flow.count > 0]
    sources = list(dict.fromkeys(flow.source for flow in flows))
    targets = list(dict.fromkeys(flow.target for flow in flows))
    hues = {name: index for index, name in enumerate(dict.fromkeys([*sources, *targets]))}
    sums = [sum(f.count for f in flows if f.source == name) for name in sources]
    sums += [sum(f.count for f in flows if f.target == name) for name in targets]
    names = [*sources, *targets]
    sankey = {
        "type": "sankey",
        "arrangement": "fixed",
        "node": {
            "label": [f"{label(name, _WRAPPED)} ({total:g})" for name, total in zip(names, sums, strict=True)],
            "color": [colour(hues[name]) for name in names],
            "pad": 18,
            "thickness": 16,
            "line": {"width": 0},
            "hoverinfo": "none",
        },
        "link": {
            "source": [sources.index(flow.source) for flow in flows],
            "target": [len(sources) + targets.index(flow.target) for flow in flows],
            "value": [float(flow.count) for flow in flows],
            "color": [f"--pale-{hues[flow.source] % len(SERIES) + 1}" for flow in flows],
            "customdata": [f"{label(f.source)} to {label(f.target)}: {f.count:g}" for f in flows],
            "hovertemplate": "%{customdata}<extra></extra>",
        },
        "textfont": {"color": "--ink", "size": 13, "shadow": "none"},
    }
    sides = [_side(plot.source_title, 0.0, "left"), _side(plot.target_title, 1.0, "right")]
    height = max(_LEAST, _NODE * max(len(sources), len(targets)) + _AROUND)
    figure = {
        "data": [sankey] if flows else [],
        "layout": layout(height, margin={"l": 8, "r": 8, "t": TOP + 28, "b": 12}, annotations=sides),
    }
    words = f"{len(flows)} flows from {plot.source_title} on the left to {plot.target_title} on the right."
    return Drawing(figure=figure, words=words, table=_table(plot), wide=True, least_width=480)


def _side(title: str, x: float, anchor: str) -> dict[str, Any]:
    where = {"xref": "paper", "x": x, "xanchor": anchor, "yref": "paper", "y": 1.0, "yanchor": "bottom", "yshift": 14}
    return {**where, "text": f"<b>{label(title)}</b>", "showarrow": False, "font": {"color": "--soft"}}


def _table(plot: Flows) -> Table:
    columns = (
        Column(name="source", title=plot.source_title),
        Column(name="target", title=plot.target_title),
        Column(name="count", title="count", digits=0),
    )
    rows = tuple((flow.source, flow.target, flow.count) for flow in plot.flows)
    return Table(name=plot.name, title=plot.title, columns=columns, rows=rows)
