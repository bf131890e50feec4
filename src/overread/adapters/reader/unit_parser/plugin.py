"""Registers the extractor that asks a language model. The model is built when the extractor is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

from attrs import field, frozen
from attrs.validators import ge

from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

__all__ = ["LlmOptions", "overread_extractors"]

VERSION: Final = "0.1.0"


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


def _extractor(options: LlmOptions, components: Components) -> Any:
    from overread.application.asking.inquiry import Inquiry

    # The model first: if none is chosen, nobody should wait for the lexicon to hear so.
    inquiry = Inquiry(components.get("model"), components.get("answers"), options.repairs)
    from overread.adapters.reader.unit_parser._extractor import LlmUnitExtractor

    return LlmUnitExtractor.create(inquiry, options)


@hookimpl
def overread_extractors() -> Iterable[ComponentSpec]:
    """The extractor "llm"."""
    return [
        ComponentSpec(
            name="llm",
            version=VERSION,
            summary="a language model reads reports into units, as RadOT-Eval does; needs a model",
            factory=_extractor,
            options=LlmOptions,
            requires=("spacy", "medspacy", "rapidfuzz"),
            install="pip install overread",
        )
    ]
