"""The pairs on which two systems are furthest apart."""

from __future__ import annotations

import numpy as np

from overread.application.statistics.tabulation import Cell, Column, Table
from overread.studies.application.comparison._matched import EQUAL, Matched, SystemPair, system_columns

__all__ = ["win_tables"]


def win_tables(systems: SystemPair, shown: int) -> tuple[Table, Table]:
    """Tables, for each metric, of the pairs that the first system wins by most, and those that it loses by most."""
    return (
        _table("wins", f"Where {systems.first.name} is better most", systems, shown, 1.0),
        _table("losses", f"Where {systems.second.name} is better most", systems, shown, -1.0),
    )


def _table(name: str, title: str, systems: SystemPair, shown: int, direction: float) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for item in systems.metrics:
        for place in _furthest(item, shown, direction):
            one, other = float(item.first[place]), float(item.second[place])
            rows.append((systems.ids[place], item.metric, one, other, one - other))
    return Table(
        name=name,
        title=title,
        columns=(
            Column(name="id", title="Pair"),
            Column(name="metric", title="Metric"),
            *system_columns(systems),
            Column(name="difference", title="Difference"),
        ),
        rows=tuple(rows),
    )


def _furthest(item: Matched, shown: int, direction: float) -> list[int]:
    """Places of the pairs with the largest advantage, largest first; of equal ones those that come first."""
    advantage = np.where(np.isnan(item.advantage), -np.inf, direction * item.advantage)
    some = advantage > EQUAL
    order = np.argsort(-advantage, kind="stable")
    return [int(place) for place in order[:shown] if some[place]]
