"""The plugin of the ratescore metric."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from attrs import field, frozen

from overread.application.metrics.entity_reader import EntityReader
from overread.application.metrics.ratescore import RATESCORE_SCALE, EmptyRule, RateScoreMetric
from overread.domain.affinity import DEFAULT_TABLE, Orientation, PenaltyRule
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["RateScoreOptions", "overread_metrics"]

_VERSION: Final = "0.1.0"


@frozen(kw_only=True)
class RateScoreOptions:
    """Options of ratescore.

    Attributes:
        table: a shipped table of W and p, or a .json or .toml file that holds one; by default the recognizer's own
            where it names one, else the released package's.
        orientation: "paper" takes W's row from the match, "release" from the scored entity; by default as the table
            was learned.
        penalty: "any-mismatch" penalises types that differ, "polarity" only those at odds; by default as the table
            was learned.
        empty: "zero" scores 0 where one report has no entity, "release" 0.5 where any has none.
    """

    table: str | None = field(default=None, metadata={"argument": True})
    orientation: Orientation | None = None
    penalty: PenaltyRule | None = None
    empty: EmptyRule = EmptyRule.ZERO


def _ratescore(options: RateScoreOptions, components: Components) -> RateScoreMetric:
    from overread.adapters.metrics.ratescore._tables import load_table

    recognizer = components.get("recognizer")
    own: str = getattr(recognizer, "affinity", DEFAULT_TABLE)
    return RateScoreMetric(
        table=load_table(options.table or own),
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
