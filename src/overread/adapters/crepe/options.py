"""Settings of training."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

__all__ = ["TrainingOptions"]


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
    epochs: float = 10.0
    batch: int = 64
    validation: float = 0.1
    learning_rate: float = 3e-5
    weight_decay: float = 0.01
    warmup: float = 0.1
    schedule: str = "linear"
    matching: float = 0.0
    dropout: float | None = None
    patience: int = 3
    steps: int = 0
    max_tokens: int = 512
    seed: int = 7
    trials: int = 0
    device: str = "auto"
    dtype: str = "auto"
    half: bool = False
