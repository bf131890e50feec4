"""The plugin of the graph metric."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from overread.adapters.metrics.graph.options import GraphOptions
from overread.application.metrics.entity_graph import GRAPH_SCALE, GraphMetric
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["overread_metrics"]

_VERSION: Final = "0.1.0"


def _graph(options: GraphOptions, components: Components) -> GraphMetric:
    return GraphMetric(extractor=components.get("extractor"), level=options.level, max_units=options.max_units)


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """graph."""
    return [
        MetricSpec(
            name="graph",
            version=_VERSION,
            summary="F1 of entities and relations of our own units, in the manner of RadGraph; it is not RadGraph",
            scale=GRAPH_SCALE,
            factory=_graph,
            options=GraphOptions,
        )
    ]
