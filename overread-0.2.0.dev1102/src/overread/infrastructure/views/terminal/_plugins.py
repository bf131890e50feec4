"""Components and the plugins behind them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from overread.infrastructure.views.terminal._parts import label_words, new_table, plain, stack

__all__ = ["show_plugins"]


def show_plugins(console: Console, description: Mapping[str, Any]) -> None:
    """Every component by kind, whether it can run here, the plugins behind them, and what failed to load.

    Args:
        console: where to print.
        description: ``plugins``, ``components`` and ``failures`` as the catalogue describes them.
    """
    components: Sequence[Mapping[str, Any]] = description["components"]
    for kind in dict.fromkeys(component["kind"] for component in components):
        table = new_table(kind.replace("_", " "), "name", "version", "plugin", "what it does")
        for component in components:
            if component["kind"] == kind:
                name = Text(component["name"], "bold")
                version, plugin = plain(component["version"]), plain(component["plugin"])
                table.add_row(name, version, plugin, _component_words(component))
        console.print(table)
    table = new_table("plugins", "name", "version", "distribution", "provides")
    for plugin in description["plugins"]:
        origin = f"{plugin['distribution']} (built in)" if plugin["builtin"] else plugin["distribution"]
        table.add_row(*map(plain, (plugin["name"], plugin["version"], origin, _join_values(plugin["provides"]))))
    console.print(table)
    if description["failures"]:
        table = new_table("plugins that failed", "plugin", "distribution", "version", "problem")
        for failure in description["failures"]:
            columns = ("plugin", "distribution", "version")
            table.add_row(*(plain(failure[name]) for name in columns), Text(str(failure["problem"]), "red"))
        console.print(table)


def _component_words(component: Mapping[str, Any]) -> Text:
    metric = component["kind"] == "metric"
    options = _join_values(component["options"])
    return stack(
        plain(component["summary"]),
        plain(_metric_words(component)) if metric else None,
        label_words("options", options) if options else None,
        None if component["can_run"] else _cannot_run(component),
    )


def _metric_words(component: Mapping[str, Any]) -> str:
    better = "higher is better" if component["higher_is_better"] else "lower is better"
    return f"{_range_words(component['range'])}, {better}; backend: {component['backend']}"


def _range_words(bounds: object) -> str:
    """A range in words, whether given in words or as two bounds."""
    if isinstance(bounds, Sequence) and not isinstance(bounds, str):
        low, high = bounds
        minus = "minus " if low is None or math.isinf(low) else ""
        return f"{minus}{_format_bound(low)} to {_format_bound(high)}"
    return str(bounds)


def _format_bound(bound: float | None) -> str:
    return "infinity" if bound is None or math.isinf(bound) else f"{bound:g}"


def _cannot_run(component: Mapping[str, Any]) -> Text:
    missing = _join_values(component["missing"])
    remedy = f"; install with: {component['install']}" if component["install"] else ""
    return label_words("cannot run here", f"{missing} missing{remedy}" if missing else remedy, "bold yellow")


def _join_values(values: object) -> str:
    """Names, or names with their defaults, in one line."""
    if isinstance(values, Mapping):
        return ", ".join(f"{name}={value}" for name, value in values.items())
    if isinstance(values, Iterable) and not isinstance(values, str):
        return ", ".join(str(value) for value in values)
    return "" if values is None else str(values)
