"""The plugin of the label metric."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from overread.adapters.metrics.labels.options import LabelOptions
from overread.adapters.metrics.transport.costs import lexicon_of
from overread.application.metrics.labels import LABEL_SCALE, LabelMetric, UnitLabeller
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["overread_metrics"]

_VERSION: Final = "0.1.0"


def _labels(options: LabelOptions, components: Components) -> LabelMetric:
    from overread.adapters.metrics.labels.tables import load_labels

    extractor = components.get("extractor")
    lexicon = lexicon_of(extractor, options.lexicon)
    table, identity = load_labels(options.table, lexicon)
    return LabelMetric(
        labeller=UnitLabeller(extractor, lexicon, table, identity), uncertain=options.uncertain == "positive"
    )


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """labels."""
    return [
        MetricSpec(
            name="labels",
            version=_VERSION,
            summary="F1 of CheXpert's fourteen observations as our own reader finds them; it is not CheXbert",
            scale=LABEL_SCALE,
            factory=_labels,
            options=LabelOptions,
        )
    ]
