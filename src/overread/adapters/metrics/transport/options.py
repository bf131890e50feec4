"""Options of the transport metrics."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

__all__ = ["NotationOptions", "RadotOptions"]


@frozen(kw_only=True)
class RadotOptions:
    """Options of radot.

    Attributes:
        cost: "relation" lets the meaning of findings guide the costs, "table-ii" compares labels and words as
            RadOT-Eval's Table II; by default the one the readout was fitted with.
        max_units: a report of more units is unscored as "too long".
        lexicon: folder of lexicon files that say how findings are related; by default those the extractor reads with.
    """

    cost: Literal["relation", "table-ii"] | None = None
    max_units: int = 300
    lexicon: str | None = None


@frozen(kw_only=True)
class NotationOptions:
    """Options of notation.

    Attributes:
        max_units: a report of more units is unscored as "too long".
        lexicon: folder of lexicon files that say how findings are related and what they ask for; by default those
            the extractor reads with.
    """

    max_units: int = 300
    lexicon: str | None = None
