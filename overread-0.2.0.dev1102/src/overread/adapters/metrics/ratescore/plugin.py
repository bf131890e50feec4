"""The plugin of the ratescore metric."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from overread.adapters.metrics.ratescore.options import RateScoreOptions
from overread.application.metrics.entity_reader import EntityReader
from overread.application.metrics.ratescore import RATESCORE_SCALE, EmptyRule, RateScoreMetric
from overread.application.ports import Released
from overread.application.traits import name_of
from overread.domain.entities.affinity import AffinityTable, Orientation, PenaltyRule
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["overread_metrics"]

_VERSION: Final = "0.1.0"


def _ratescore(options: RateScoreOptions, components: Components) -> RateScoreMetric:
    from overread.adapters.metrics.ratescore.tables import load_table, own_table

    release = "" if options.compat == "none" else options.compat
    recognizer, encoder = components.get("recognizer"), components.get("encoder")
    table = load_table(options.table or own_table(recognizer))
    if release:
        _check_reading(release, table, options)
        recognizer, encoder = (
            _as_released(kind, component, release)
            for kind, component in (("recognizer", recognizer), ("encoder", encoder))
        )
    return RateScoreMetric(
        table=table,
        reader=EntityReader(recognizer, encoder),
        orientation=options.orientation,
        penalty=options.penalty,
        empty=EmptyRule.RELEASE if release else options.empty,
        release=release,
    )


def _as_released(kind: str, component: Any, release: str) -> Any:
    if not isinstance(component, Released):
        other = f"{kind} {name_of(component)}"
        raise ConfigurationError([f"compat={release} needs a checkpoint, {kind}=bert:FOLDER, not {other}"])
    return component.as_released(release)


def _check_reading(release: str, table: AffinityTable, options: RateScoreOptions) -> None:
    """The release knows one way to read a table."""
    read = {
        "orientation": (options.orientation or table.orientation, Orientation.RELEASE),
        "penalty": (options.penalty or table.penalty, PenaltyRule.POLARITY),
    }
    if wrong := [name for name, (chosen, there) in read.items() if chosen is not there]:
        raise ConfigurationError([f"compat={release} reads tables with {name}={read[name][1]}" for name in wrong])


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
