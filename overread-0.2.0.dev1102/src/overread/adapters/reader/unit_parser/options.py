"""Options of the extractor that asks a language model."""

from __future__ import annotations

from typing import Final, Literal

from attrs import field, frozen
from attrs.validators import ge

__all__ = ["VERSION", "LlmOptions"]

VERSION: Final = "0.2.0"


@frozen(kw_only=True)
class LlmOptions:
    """Options of the extractor that asks a language model.

    Attributes:
        prompt: file with another wording; it needs the place {report}, and may have {findings}, where the lexicon's
            names of findings are put.
        repairs: how often the model is asked again for an answer that cannot be read.
        max_tokens: of an answer at most; a report of 20 statements takes about 2,500.
        on_failure: what a report is whose answer cannot be read: "unscored", or "sentences" as in RadOT-Eval, one
            unit of confidence 0.50 for each sentence.
        lexicon: folder of lexicon files that say how labels are mapped, instead of the shipped ones.
        max_characters: longest report read.
    """

    prompt: str | None = None
    repairs: int = field(default=1, validator=ge(0))
    max_tokens: int = field(default=4096, validator=ge(1))
    on_failure: Literal["unscored", "sentences"] = "unscored"
    lexicon: str | None = None
    max_characters: int = field(default=100_000, validator=ge(1))
