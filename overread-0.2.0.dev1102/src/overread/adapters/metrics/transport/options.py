"""Options of the transport metrics."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

__all__ = ["NotationOptions", "RadotOptions"]


@frozen(kw_only=True)
class RadotOptions:
    """Options of radot.

    Attributes:
        preset: "importance", the default; "fast", the same without a second reader; or a fitted readout with the plans
            and costs it was fitted on: "relaxed", "debiased", or "paper", the published mode.
        cost: "importance" weighs findings by what they ask for, "relation" lets their meaning guide the costs,
            "table-ii" compares labels and words as RadOT-Eval's Table II; by default what the readout was made for.
        max_units: a report of more units is unscored as "too long".
        lexicon: folder of lexicon files that say how findings are related; by default those the extractor reads with.
    """

    preset: Literal["importance", "fast", "relaxed", "debiased", "paper"] | None = field(
        default=None, metadata={"argument": True}
    )
    cost: Literal["importance", "relation", "table-ii"] | None = None
    max_units: int = 300
    lexicon: str | None = None


@frozen(kw_only=True)
class NotationOptions:
    """Options of notation.

    Attributes:
        preset: "fast" leaves out the second reader.
        max_units: a report of more units is unscored as "too long".
        lexicon: folder of lexicon files that say how findings are related and what they ask for; by default those
            the extractor reads with.
    """

    preset: Literal["fast"] | None = field(default=None, metadata={"argument": True})
    max_units: int = 300
    lexicon: str | None = None
