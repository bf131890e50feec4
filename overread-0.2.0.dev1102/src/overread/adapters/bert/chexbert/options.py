"""Options of CheXbert."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen
from attrs.validators import ge

__all__ = ["CheXbertOptions"]


@frozen(kw_only=True)
class CheXbertOptions:
    """Options of chexbert.

    Attributes:
        path: folder with chexbert.pth as published, beside config.json and the tokenizer of bert-base-uncased, on which
            it was built; there is no default.
        uncertain: whether an observation that is left open counts as asserted ("positive", as F1CheXbert has it) or
            not ("negative").
        long: a report of more tokens than the model reads is cut and marked, as released without a mark ("truncate"),
            or unscored ("refuse").
        batch_size: most reports read at once.
        device: "auto" (a GPU where there is one), "cpu", "cuda" or "cuda:N".
        dtype: number format; "auto" is fp32 on the CPU, bf16 or fp16 on a GPU.
        cache: distinct reports whose labels are remembered.
    """

    path: str | None = field(default=None, metadata={"argument": True})
    uncertain: Literal["positive", "negative"] = "positive"
    long: Literal["truncate", "refuse"] = "truncate"
    batch_size: int = field(default=32, validator=ge(1))
    device: str = "auto"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    cache: int = field(default=1024, validator=ge(0))
