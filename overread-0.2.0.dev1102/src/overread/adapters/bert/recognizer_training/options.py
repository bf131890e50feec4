"""Settings of training a recogniser of entities."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen
from attrs.validators import ge, gt, le, optional

__all__ = ["RecognizerTrainingOptions"]


@frozen(kw_only=True)
class RecognizerTrainingOptions:
    """Settings of training a recogniser of entities.

    The paper's are the two heads, their learning rates, the batch, the epochs, the layers of 3,096 and the 8 words of a
    span (Zhao et al. 2024, appendix A.9). The width of 150, the dropout, the warm-up and the learning rate of a span
    head are PURE's, whose setting the paper follows. Weight decay, patience and the share held out are overread's.

    Attributes:
        backbone: folder or hub id of a BERT-like encoder with its tokenizer.
        head: "token" labels each token (IOB), "span" types each run of words.
        learning_rate: by default 1e-5 with the token head, 6e-6 with the span head.
        head_learning_rate: of the span head; the token head has the encoder's.
        epochs: passes over the texts at most.
        batch: sentences at once.
        validation: share of the studies held out where no texts are named for it.
        warmup: share of the steps, below 1, or a number of steps.
        weight_decay: of all weights but biases and norms.
        patience: evaluations without a better F1 before training stops.
        steps: between evaluations and checkpoints; 0 for one an epoch.
        max_tokens: of a sentence; a longer one is learned in pieces.
        max_words: of a span.
        hidden: width of the span head's two hidden layers.
        width: of the embedding of a span's length.
        dropout: within the span head.
        seed: of the weights, the order and what is held out.
        device, dtype: "auto", or as for inference.
    """

    backbone: str
    head: Literal["token", "span"] = "token"
    learning_rate: float | None = field(default=None, validator=optional([gt(0), le(1)]))
    head_learning_rate: float = field(default=5e-4, validator=[gt(0), le(1)])
    epochs: float = field(default=10.0, validator=gt(0))
    batch: int = field(default=96, validator=ge(1))
    validation: float = field(default=0.1, validator=[gt(0), le(0.9)])
    warmup: float = field(default=0.1, validator=ge(0))
    weight_decay: float = field(default=0.01, validator=ge(0))
    patience: int = field(default=3, validator=ge(1))
    steps: int = field(default=0, validator=ge(0))
    max_tokens: int = field(default=512, validator=ge(8))
    max_words: int = field(default=8, validator=ge(1))
    hidden: int = field(default=3096, validator=ge(1))
    width: int = field(default=150, validator=ge(1))
    dropout: float = field(default=0.2, validator=[ge(0), le(0.9)])
    seed: int = field(default=7, validator=ge(0))
    device: str = "auto"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"

    @property
    def rate(self) -> float:
        """The learning rate of the encoder."""
        return self.learning_rate or {"token": 1e-5, "span": 6e-6}[self.head]
