"""Options of the green metric."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen
from attrs.validators import ge, optional

__all__ = ["GreenOptions"]


@frozen(kw_only=True)
class GreenOptions:
    """Options of green.

    Attributes:
        prompt: file with another wording; it needs the places {reference} and {candidate}, or the paper's fields
            **Reference Report** and **Candidate Report**, and must ask for the paper's four sections.
        compat: "green-0.0.12" sends reports and reads answers as the released package does; what cannot be read is then
            a score, and nothing is repaired. A note tells where the prompt or the model's turns are others. Summaries
            then look for clusters as released, too.
        repairs: how often a model is asked again for an answer that cannot be read.
        max_tokens: of an answer at most.
        max_words: of each report that are sent; by default all, under ``compat`` 300.
        blanks: "keep" sends a report's white space as it stands, "single" a blank between two words; "auto" is "single"
            under ``compat``, else "keep". The same answers can be read both ways where both send the same.
    """

    prompt: str | None = None
    compat: Literal["none", "green-0.0.12"] = "none"
    repairs: int = field(default=1, validator=ge(0))
    max_tokens: int = field(default=1024, validator=ge(1))
    max_words: int | None = field(default=None, validator=optional(ge(1)))
    blanks: Literal["auto", "keep", "single"] = "auto"
