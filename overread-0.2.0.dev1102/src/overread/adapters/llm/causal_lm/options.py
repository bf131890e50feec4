"""Options of local causal language models."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen
from attrs.validators import ge, optional

__all__ = ["TransformersModelOptions"]


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
