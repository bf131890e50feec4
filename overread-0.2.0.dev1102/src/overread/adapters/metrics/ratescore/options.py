"""Options of the ratescore metric."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from overread.application.metrics.ratescore import EmptyRule
from overread.domain.entities.affinity import Orientation, PenaltyRule

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
        compat: "ratescore-0.6.0" reads, matches and scores to the last digit as the released package does, with the
            same checkpoints; "empty" is then "release".
    """

    table: str | None = field(default=None, metadata={"argument": True})
    orientation: Orientation | None = None
    penalty: PenaltyRule | None = None
    empty: EmptyRule = EmptyRule.ZERO
    compat: Literal["none", "ratescore-0.6.0"] = "none"
