"""The medspaCy extractor's plugin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from overread.adapters.reader.medspacy.options import VERSION, MedspacyOptions
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec


def _extractor(options: MedspacyOptions, _: Components) -> Any:
    from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor

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
        )
    ]
