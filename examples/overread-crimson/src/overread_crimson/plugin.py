"""The plugin: a metric that weighs notation's discrepancies as CRIMSON does."""

from __future__ import annotations

from collections.abc import Iterable

from overread.domain.results.result import Scale
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec, NoOptions

from overread_crimson.metric import CrimsonMetric


def _factory(options: NoOptions, components: Components) -> CrimsonMetric:
    from overread.adapters.lexicon import knowledge_of

    lexicon = knowledge_of(components.get("extractor")).lexicon
    return CrimsonMetric(components.metric("notation"), lexicon)


CRIMSON = MetricSpec(
    name="crimson",
    version="0.1.0",
    summary="CRIMSON's weights and formula over the discrepancies of notation",
    scale=Scale(-1.0, 1.0, higher_is_better=True),
    factory=_factory,
    backend="notation",
)


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """List what this package offers."""
    return [CRIMSON]
