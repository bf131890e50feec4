"""Registers language models in GGUF files. A model is built from what its file says, and loaded when first asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from overread.adapters.llm.llamacpp.options import LlamaCppOptions
from overread.extras import install_command
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

if TYPE_CHECKING:
    from overread.adapters.llm.llamacpp._model import LlamaCppModel

__all__ = ["overread_models"]


@hookimpl
def overread_models() -> Iterable[ComponentSpec]:
    """llamacpp."""
    return (
        ComponentSpec(
            name="llamacpp",
            version="1.0",
            summary="a language model in a GGUF file, run by llama.cpp on this machine without a server",
            factory=_model,
            options=LlamaCppOptions,
            requires=("gguf", "xllamacpp"),
            install=install_command("gguf"),
        ),
    )


def _model(options: LlamaCppOptions, _: Components) -> LlamaCppModel:
    from overread.adapters.llm.llamacpp._model import LlamaCppModel

    return LlamaCppModel.create(options)
