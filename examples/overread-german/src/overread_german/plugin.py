"""The plugin: light, for `overread plugins` imports it; spaCy and ConText are loaded by the factory."""

from __future__ import annotations

from collections.abc import Iterable

from overread.application.ports import UnitExtractor
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, NoOptions


def _factory(options: NoOptions, components: Components) -> UnitExtractor:
    from overread_german._reader import GermanExtractor
    from overread_german._words import load_words

    return GermanExtractor(load_words())


GERMAN = ComponentSpec(
    name="german",
    version="0.1.0",
    summary="German chest reports, by a small lexicon and ConText",
    factory=_factory,
    requires=("spacy", "medspacy"),
    install="pip install overread-german",
)


@hookimpl
def overread_extractors() -> Iterable[ComponentSpec]:
    """List what this package offers."""
    return [GERMAN]
