"""Options of the label metric."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from attrs import field, frozen

__all__ = ["LabelOptions"]


@frozen(kw_only=True)
class LabelOptions:
    """Options of labels.

    Attributes:
        table: a .toml file of findings by label in place of the shipped one.
        uncertain: whether an observation that is left open counts as asserted ("positive", as F1CheXbert has it) or
            not ("negative").
        lexicon: folder of lexicon files that say how findings are related; by default those the extractor reads with.
    """

    table: Path | None = field(default=None, metadata={"argument": True})
    uncertain: Literal["positive", "negative"] = "positive"
    lexicon: str | None = None
