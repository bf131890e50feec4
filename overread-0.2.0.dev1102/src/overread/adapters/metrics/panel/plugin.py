"""The plugin of the panel metric."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from overread.adapters.metrics.panel.options import PanelOptions
from overread.application.metrics.panel import PANEL_SCALE, PanelMetric
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["overread_metrics"]

_VERSION: Final = "0.2.0"


def _panel(options: PanelOptions, components: Components) -> PanelMetric:
    from overread.adapters.metrics.panel.tables import load_panel

    if options.table is None:
        raise ConfigurationError(["panel needs a table: overread fit panel writes one, for -m panel:FILE"])
    table = load_panel(options.table)
    names = options.members or tuple(table.members)
    if strangers := [name for name in names if name not in table.members]:
        known = ", ".join(table.members)
        raise ConfigurationError([f"panel {table.name} has no member {', '.join(strangers)} (members: {known})"])
    return PanelMetric({name: components.metric(name) for name in names}, table)


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """panel."""
    return [
        MetricSpec(
            name="panel",
            version=_VERSION,
            summary="several metrics as one rating with their spread; flags pairs on which they disagree",
            scale=PANEL_SCALE,
            factory=_panel,
            options=PanelOptions,
        )
    ]
