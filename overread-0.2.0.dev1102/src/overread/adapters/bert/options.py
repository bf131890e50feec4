"""Options of the recognizer and the encoder of a user's own checkpoint."""

from __future__ import annotations

from typing import Final, Literal

from attrs import field, frozen
from attrs.validators import ge

__all__ = ["RELEASES", "BertEncoderOptions", "BertRecognizerOptions"]

RELEASES: Final = ("ratescore-0.6.0",)
"""Released packages that recognizer and encoder can do their part for."""


@frozen(kw_only=True)
class BertRecognizerOptions:
    """Options of the token classifier.

    Attributes:
        path: folder of the checkpoint, or its hub id.
        max_length: most tokens read at once; a longer sentence is read in pieces.
        batch_size: most sentences read at once.
        device: "auto" (a GPU where there is one), "cpu", "cuda" or "cuda:N".
        dtype: number format; "auto" is bf16 or fp16 on a GPU, and on the CPU bf16 for a model of 50 million weights or
            more where the processor multiplies it itself, else fp32. Under ``compat`` it is fp32.
        compile: whether to compile the model first, which pays for many reports.
        cache: distinct sentences remembered.
    """

    path: str = field(metadata={"argument": True})
    max_length: int = field(default=512, validator=ge(8))
    batch_size: int = field(default=32, validator=ge(1))
    device: str = "auto"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    compile: bool = False
    cache: int = field(default=20_000, validator=ge(0))


@frozen(kw_only=True)
class BertEncoderOptions:
    """Options of the encoder.

    Attributes:
        path: folder of the checkpoint, or its hub id.
        pooling: "cls" takes the first token's state, as the release does with BioLORD; "mean" averages all tokens'.
        max_length: most tokens of a text that are read; the release reads 30.
        batch_size: most texts embedded at once.
        device: "auto" (a GPU where there is one), "cpu", "cuda" or "cuda:N".
        dtype: number format; "auto" is bf16 or fp16 on a GPU, and on the CPU bf16 for a model of 50 million weights or
            more where the processor multiplies it itself, else fp32. Under ``compat`` it is fp32.
        cache: distinct texts remembered.
    """

    path: str = field(metadata={"argument": True})
    pooling: Literal["cls", "mean"] = "cls"
    max_length: int = field(default=30, validator=ge(3))
    batch_size: int = field(default=128, validator=ge(1))
    device: str = "auto"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    cache: int = field(default=20_000, validator=ge(0))
