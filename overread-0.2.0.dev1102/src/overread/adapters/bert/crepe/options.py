"""Settings of training."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from attrs import field, frozen

__all__ = ["BertCounterOptions", "SmallCounterOptions", "TrainingOptions"]


def _within(low: float, high: float = math.inf, *, beyond: bool = False) -> Callable[[Any, Any, float], None]:
    """Validates a number: at least ``low``, or more than it where ``beyond``, and at most ``high``."""

    def check(_: Any, attribute: Any, value: float | None) -> None:
        if value is None:
            return
        if not (low < value <= high or (value == low and not beyond)):
            least = f"more than {low:g}" if beyond else f"at least {low:g}"
            most = "" if math.isinf(high) else f" and at most {high:g}"
            raise ValueError(f"{attribute.name} must be {least}{most}, not {value:g}")

    return check


@frozen(kw_only=True)
class TrainingOptions:
    """Settings of training a CREPE model.

    The paper's are the epochs, the batch, the share of validation and the 512 tokens (section 4.1), six heads and
    "mse+bce" (section 5). It does not publish its learning rate, weight decay and warm-up: these are overread's.

    Attributes:
        backbone: folder or hub id of a BERT with its tokenizer.
        heads: 6 for the categories, 2 for significant and insignificant, 1 for the total.
        loss: "mse+bce", "mse" or "poisson".
        pooling: "pooler" as released, "cls" as printed.
        validation: share of the studies held out.
        warmup: share of the steps, below 1, or a number of steps.
        schedule: of the learning rate, a name that transformers knows.
        matching: weight of a loss that teaches an encoder without pre-training to compare the reports; 0 for none, as
            in the paper.
        dropout: instead of the backbone's.
        patience: evaluations without a better Kendall tau before training stops.
        steps: between evaluations and checkpoints; 0 for one an epoch.
        trials: settings that optuna tries first; 0 for none.
        device, dtype: "auto", or as for inference.
        half: whether the model is written in half precision.
    """

    backbone: str
    heads: Literal[1, 2, 6] = 6
    loss: Literal["mse+bce", "mse", "poisson"] = "mse+bce"
    pooling: Literal["pooler", "cls"] = "pooler"
    epochs: float = field(default=10.0, validator=_within(0, beyond=True))
    batch: int = field(default=64, validator=_within(1))
    validation: float = field(default=0.1, validator=_within(0, 0.9, beyond=True))
    learning_rate: float = field(default=3e-5, validator=_within(0, 1, beyond=True))
    weight_decay: float = field(default=0.01, validator=_within(0))
    warmup: float = field(default=0.1, validator=_within(0))
    schedule: str = "linear"
    matching: float = field(default=0.0, validator=_within(0))
    dropout: float | None = field(default=None, validator=_within(0, 0.9))
    patience: int = field(default=3, validator=_within(1))
    steps: int = field(default=0, validator=_within(0))
    max_tokens: int = field(default=512, validator=_within(16))
    seed: int = 7
    trials: int = field(default=0, validator=_within(0))
    device: str = "auto"
    dtype: str = "auto"
    half: bool = False


@frozen(kw_only=True)
class SmallCounterOptions:
    """Options of every error counter.

    Attributes:
        pooling: "pooler" as released (dense and tanh over [CLS]) or "cls" as the paper prints; by default what the
            checkpoint was trained with.
        long: a pair of more than ``max_tokens`` is cut as released ("truncate", the longer report first), or read in
            "windows" whose counts are added.
        max_tokens: of a pair, special ones included; by default 512, or as many as the model has positions for.
        max_batch: pairs in a batch at most; changes no answer.
        batch_tokens: tokens in a batch at most, padding included; by default 1,024 on the CPU and 16,384 on a GPU.
            Changes no answer.
        device: "auto" (a GPU where there is one), "cpu", "cuda" or "cuda:N".
        dtype: "auto" (bf16 or fp16 on a GPU; on the CPU bf16 for a model of 50 million weights or more where the
            processor multiplies it itself, else fp32), "fp32", "bf16" or "fp16".
        compile: whether torch.compile speeds the model up.
        backend: "torch", or "onnx" for ONNX Runtime on the CPU.
        quantize: "int8" has ONNX Runtime compute with int8 weights.
        onnx_folder: where exported models are kept; by default they are exported anew by each process.
    """

    pooling: Literal["pooler", "cls"] | None = None
    long: Literal["truncate", "windows"] = "truncate"
    max_tokens: int | None = None
    max_batch: int = 64
    batch_tokens: int | None = None
    device: str = "auto"
    dtype: str = "auto"
    compile: bool = False
    backend: Literal["torch", "onnx"] = "torch"
    quantize: Literal["none", "int8"] = "none"
    onnx_folder: str | None = None


@frozen(kw_only=True)
class BertCounterOptions(SmallCounterOptions):
    """Options of a counter from a folder.

    Attributes:
        path: folder of a checkpoint in the layout of CREPE-BiomedBERT, or as ``overread fit crepe`` writes it.
    """

    path: str = field(metadata={"argument": True})
