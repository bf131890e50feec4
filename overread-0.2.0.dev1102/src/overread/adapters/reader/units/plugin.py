"""The plugin of the embedded recognizer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from overread.adapters.reader.units import VERSION
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, NoOptions


def _recognizer(_options: NoOptions, components: Components) -> Any:
    from overread.adapters.lexicon import knowledge_of
    from overread.adapters.reader.units._recognizer import UnitEntityRecognizer

    extractor = components.get("extractor")
    return UnitEntityRecognizer(extractor, knowledge_of(extractor))


@hookimpl
def overread_recognizers() -> Iterable[ComponentSpec]:
    """The recognizer that runs offline."""
    return [
        ComponentSpec(
            name="units",
            version=VERSION,
            summary="entities from the units of the extractor, offline; stands in for RaTE-NER-DeBERTa",
            factory=_recognizer,
        )
    ]
