"""The plugin of the composite metric."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from overread.adapters.metrics.composite.options import CompositeOptions
from overread.application.metrics.composite import CompositeMetric
from overread.domain.results.result import Scale
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["overread_metrics"]

_VERSION: Final = "0.1.0"


def _composite(options: CompositeOptions, components: Components) -> CompositeMetric:
    if options.table is None:
        problem = "composite needs your coefficients: name the .toml file that holds them, as -m composite:FILE"
        raise ConfigurationError([problem])
    from overread.adapters.metrics.composite.tables import load_composite

    table, identity = load_composite(options.table)
    choices = dict.fromkeys(term.metric for term in table.terms)
    return CompositeMetric({choice: components.metric(choice) for choice in choices}, table, identity)


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """composite."""
    return [
        MetricSpec(
            name="composite",
            version=_VERSION,
            summary="other metrics' numbers joined by coefficients of your own, as RadCliQ joins them",
            scale=Scale(-math.inf, math.inf, higher_is_better=False),
            factory=_composite,
            backend="the metrics it joins",
            options=CompositeOptions,
        )
    ]
