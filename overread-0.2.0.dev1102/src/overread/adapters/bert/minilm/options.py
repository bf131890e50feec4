"""Options of MiniLM."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen
from attrs.validators import ge

__all__ = ["MiniLmOptions"]


@frozen(kw_only=True)
class MiniLmOptions:
    """Options of MiniLM.

    Attributes:
        max_length: most tokens of a text that are read.
        batch_size: most texts embedded at once.
        device: "auto" (a GPU where there is one), "cpu", "cuda" or "cuda:N".
        dtype: number format; "auto" is fp32 on the CPU, bf16 or fp16 on a GPU.
        cache: distinct texts remembered.
    """

    max_length: int = field(default=64, validator=ge(3))
    batch_size: int = field(default=128, validator=ge(1))
    device: str = "auto"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    cache: int = field(default=20_000, validator=ge(0))
