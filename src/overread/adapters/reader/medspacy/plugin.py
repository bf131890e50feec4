"""The medspaCy extractor's plugin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from attrs import field, frozen

from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

VERSION: Final = "1.0"


@frozen(kw_only=True)
class MedspacyOptions:
    """Options of the medspaCy extractor.

    Attributes:
        lexicon: folder of lexicon files to read instead of the shipped ones.
        max_characters: longest report read.
        sentence_cache: distinct sentences remembered.
        report_cache: distinct reports remembered.
    """

    lexicon: str | None = field(default=None, metadata={"argument": True})
    max_characters: int = 100_000
    sentence_cache: int = 100_000
    report_cache: int = 4096


def _extractor(options: MedspacyOptions, _: Components) -> Any:
    from overread.adapters.reader.medspacy._extractor import MedspacyUnitExtractor

    return MedspacyUnitExtractor.create(options)


@hookimpl
def overread_extractors() -> Iterable[ComponentSpec]:
    """The default extractor."""
    return [
        ComponentSpec(
            name="medspacy",
            version=VERSION,
            summary="rules over overread's lexicon, with medspaCy's ConText for negation and doubt (English)",
            factory=_extractor,
            options=MedspacyOptions,
            requires=("spacy", "medspacy"),
            install="pip install overread",
        )
    ]
