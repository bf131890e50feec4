"""Options of the graph metric."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from overread.application.metrics.pair_reader import MOST_UNITS

__all__ = ["GraphOptions"]


@frozen(kw_only=True)
class GraphOptions:
    """Options of graph.

    Attributes:
        level: which figure is the score: "simple", "partial" or "complete" as the RadGraph package calls them, or
            "combined", the mean of entity and relation F1.
        max_units: a report of more units is unscored as "too long".
    """

    level: Literal["simple", "partial", "complete", "combined"] = field(default="partial", metadata={"argument": True})
    max_units: int = MOST_UNITS
