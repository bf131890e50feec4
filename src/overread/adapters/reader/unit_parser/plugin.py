"""Registers the extractor that asks a language model. The model is built when the extractor is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from overread.adapters.reader.unit_parser.options import VERSION, LlmOptions
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

__all__ = ["overread_extractors"]


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
        )
    ]
