"""Options of the second reader and of training one."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from attrs import field, frozen
from attrs.validators import ge, gt, lt

__all__ = ["SecondReaderOptions", "TrainingOptions"]


@frozen(kw_only=True)
class SecondReaderOptions:
    """Options of ``minilm``.

    Attributes:
        path: folder of a trained reader, as ``overread fit second-reader`` writes it; None for the shipped one.
        batch_size: most sentences encoded at once.
        device: "auto" (a GPU where there is one), "cpu", "cuda" or "cuda:N".
        dtype: number format of the encoder; "auto" is fp32 on the CPU, bf16 or fp16 on a GPU.
        cache: distinct sentences remembered.
    """

    path: Path | None = field(default=None, metadata={"argument": True})
    batch_size: int = field(default=128, validator=ge(1))
    device: str = "auto"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    cache: int = field(default=12_000, validator=ge(0))


@frozen(kw_only=True)
class TrainingOptions:
    """Options of training a second reader.

    Attributes:
        steps: of the optimiser.
        pairs: of one step, drawn from each set of pairs alike, but few of strangers.
        learning_rate: the highest; it rises over a hundred steps and falls to nothing.
        dropout: share of values left out in training.
        weight_decay: of AdamW.
        held_out: share of the studies that the reader is tried on and does not learn from; 0 for none.
        seed: of the weights and of what is drawn.
    """

    steps: int = field(default=2000, validator=ge(1))
    pairs: int = field(default=20, validator=ge(2))
    learning_rate: float = field(default=1e-3, validator=gt(0))
    dropout: float = field(default=0.2, validator=[ge(0), lt(1)])
    weight_decay: float = field(default=0.02, validator=ge(0))
    held_out: float = field(default=0.1, validator=[ge(0), lt(1)])
    seed: int = 7
