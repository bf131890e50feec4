"""Registers local causal language models. The model is loaded when it is built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from overread.adapters.llm.causal_lm.options import TransformersModelOptions
from overread.extras import install_command
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

if TYPE_CHECKING:
    from overread.adapters.llm.causal_lm.model import CausalLanguageModel

__all__ = ["overread_models"]


@hookimpl
def overread_models() -> Iterable[ComponentSpec]:
    """The local causal model."""
    return (
        ComponentSpec(
            name="transformers",
            version="1.0",
            summary="a causal language model on this machine, from a folder or the hub's cache (GREEN-radllama2-7b)",
            factory=_model,
            options=TransformersModelOptions,
            requires=("torch", "transformers"),
            install=install_command("torch"),
        ),
    )


def _model(options: TransformersModelOptions, _: Components) -> CausalLanguageModel:
    from overread.adapters.llm.causal_lm.model import CausalLanguageModel

    return CausalLanguageModel.create(options)
