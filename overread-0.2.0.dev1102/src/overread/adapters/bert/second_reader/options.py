"""Options of the second reader and of training one."""

from __future__ import annotations

from pathlib import Path

from attrs import field, frozen
from attrs.validators import ge, gt, lt

__all__ = ["SecondReaderOptions", "TrainingOptions"]


@frozen(kw_only=True)
class SecondReaderOptions:
    """Options of ``comparing``.

    Attributes:
        path: folder of a trained reader, as ``overread fit reader`` writes it; None for the shipped one.
        batch_size: most sentences encoded at once.
        cache: distinct sentences remembered; one takes about 5 kB.
    """

    path: Path | None = field(default=None, metadata={"argument": True})
    batch_size: int = field(default=32, validator=ge(1))
    cache: int = field(default=8_000, validator=ge(0))


@frozen(kw_only=True)
class TrainingOptions:
    """Options of training a second reader.

    Attributes:
        steps: of the optimiser.
        pairs: of one step, drawn from each set of pairs alike, but few of strangers.
        learning_rate: the highest; it rises over a hundred steps and falls to nothing.
        encoder_learning_rate: the encoder's.
        anew: begin with MiniLM's own layers and a new network rather than with a reader.
        layers: of MiniLM that the encoder has.
        dropout: share of values left out in training.
        weight_decay: of AdamW.
        held_out: share of the studies that the reader is tried on and does not learn from; 0 for none.
        seed: of the weights and of what is drawn.
    """

    steps: int = field(default=2000, validator=ge(1))
    pairs: int = field(default=20, validator=ge(2))
    learning_rate: float = field(default=1e-3, validator=gt(0))
    encoder_learning_rate: float = field(default=1e-4, validator=gt(0))
    anew: bool = False
    layers: int = field(default=2, validator=ge(1))
    dropout: float = field(default=0.15, validator=[ge(0), lt(1)])
    weight_decay: float = field(default=0.02, validator=ge(0))
    held_out: float = field(default=0.1, validator=[ge(0), lt(1)])
    seed: int = 7
