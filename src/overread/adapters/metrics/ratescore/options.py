"""Options of the ratescore metric."""

from __future__ import annotations

from attrs import field, frozen

from overread.application.metrics.ratescore import EmptyRule
from overread.domain.affinity import Orientation, PenaltyRule

__all__ = ["RateScoreOptions"]


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
