"""The plugin of the ratescore metric."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from overread.adapters.metrics.ratescore.options import RateScoreOptions
from overread.application.metrics.entity_reader import EntityReader
from overread.application.metrics.ratescore import RATESCORE_SCALE, RateScoreMetric
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["overread_metrics"]

_VERSION: Final = "0.1.0"


def _ratescore(options: RateScoreOptions, components: Components) -> RateScoreMetric:
    from overread.adapters.metrics.ratescore.tables import load_table, own_table

    recognizer = components.get("recognizer")
    return RateScoreMetric(
        table=load_table(options.table or own_table(recognizer)),
        reader=EntityReader(recognizer, components.get("encoder")),
        orientation=options.orientation,
        penalty=options.penalty,
        empty=options.empty,
    )


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """ratescore."""
    return [
        MetricSpec(
            name="ratescore",
            version=_VERSION,
            summary="agreement of medical entities by name and type, weighted by type (RaTEScore)",
            scale=RATESCORE_SCALE,
            factory=_ratescore,
            options=RateScoreOptions,
        )
    ]
