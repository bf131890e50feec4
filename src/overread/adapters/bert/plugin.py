"""Registers the recognizer and the encoder of a user's own checkpoint. Models are loaded when they are built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from overread.adapters.bert.options import BertEncoderOptions, BertRecognizerOptions
from overread.extras import install_command
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

if TYPE_CHECKING:
    from overread.adapters.bert._encoder import BertTextEncoder
    from overread.adapters.bert._recognizer import BertEntityRecognizer

__all__ = ["overread_encoders", "overread_recognizers"]

_REQUIRES: Final = ("torch", "transformers")
_INSTALL: Final = install_command("torch")


@hookimpl
def overread_recognizers() -> Iterable[ComponentSpec]:
    """The token classifier."""
    return (
        ComponentSpec(
            name="bert",
            version="1.0",
            summary="a transformers token classifier over RaTE-NER's labels, by path or hub id (RaTE-NER-DeBERTa)",
            factory=_recognizer,
            options=BertRecognizerOptions,
            requires=_REQUIRES,
            install=_INSTALL,
        ),
    )


@hookimpl
def overread_encoders() -> Iterable[ComponentSpec]:
    """The encoder."""
    return (
        ComponentSpec(
            name="bert",
            version="1.0",
            summary="any BERT-like encoder, by path or hub id, with CLS or mean pooling (BioLORD-2023-C)",
            factory=_encoder,
            options=BertEncoderOptions,
            requires=_REQUIRES,
            install=_INSTALL,
        ),
    )


def _recognizer(options: BertRecognizerOptions, _: Components) -> BertEntityRecognizer:
    from overread.adapters.bert._recognizer import BertEntityRecognizer

    return BertEntityRecognizer.create(options)


def _encoder(options: BertEncoderOptions, _: Components) -> BertTextEncoder:
    from overread.adapters.bert._encoder import BertTextEncoder

    return BertTextEncoder.create(options)
