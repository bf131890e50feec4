"""Registers local causal language models. The model is loaded when it is built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from attrs import field, frozen
from attrs.validators import ge, optional

from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

if TYPE_CHECKING:
    from overread.adapters.llm.causal_lm._model import CausalLanguageModel

__all__ = ["TransformersModelOptions", "overread_models"]


@frozen(kw_only=True)
class TransformersModelOptions:
    """Options of a local causal model.

    Attributes:
        path: folder of the checkpoint, or its hub id.
        adapter: folder of a LoRA adapter, as peft saves it, to apply to the model.
        chat: how the conversation is written: "template" as the tokenizer's chat template has it, "green" as
            GREEN-radllama2 is asked by its release, "plain" as bare texts with blank lines between them; "auto" is
            "template" where there is one, else "plain".
        max_context: tokens of request and answer together, at most; by default as many as the model has positions
            for. GREEN's release takes 2048.
        max_batch: requests answered together at most; changes no answer.
        batch_tokens: tokens of a batch at most, its answers at their longest included; by default 8,192 on the CPU and
            16,384 on a GPU. Changes no answer.
        device: "auto" (a GPU where there is one), "cpu", "cuda" or "cuda:N".
        dtype: number format; "auto" is fp32 on the CPU, bf16 or fp16 on a GPU.
        allow_download: whether a hub id that is not in the local cache may be fetched.
    """

    path: str = field(metadata={"argument": True})
    adapter: str | None = None
    chat: Literal["auto", "template", "green", "plain"] = "auto"
    max_context: int | None = field(default=None, validator=optional(ge(2)))
    max_batch: int = field(default=16, validator=ge(1))
    batch_tokens: int | None = field(default=None, validator=optional(ge(1)))
    device: str = "auto"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    allow_download: bool = False


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
            install="pip install torch transformers",
        ),
    )


def _model(options: TransformersModelOptions, _: Components) -> CausalLanguageModel:
    from overread.adapters.llm.causal_lm._model import CausalLanguageModel

    return CausalLanguageModel.create(options)
