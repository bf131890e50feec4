"""Training a second reader: logistic loss over judged claims, the encoder left as it is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
import torch
from attrs import frozen
from sklearn.metrics import roc_auc_score
from torch import nn

from overread.adapters.bert.second_reader._claims import kind_of
from overread.adapters.bert.second_reader._encoding import SentenceEncoder, encode_claims
from overread.adapters.bert.second_reader._network import ClaimNetwork, EncodedPair, Sizes
from overread.adapters.bert.second_reader.options import TrainingOptions
from overread.application.training.judged_claims import JudgedClaim
from overread.domain.annotation import STRANGERS
from overread.domain.discrepancy import EVEN

__all__ = ["Figures", "Trained", "train"]

_FEWEST: Final = 15
"""Claims of a kind that it takes to tell it apart."""

_WARM_UP: Final = 100
_GENTLEST: Final = 0.02
"""Share of the learning rate that is left in the end."""


@frozen(kw_only=True)
class Figures:
    """How a reader did on claims of studies that it did not learn from.

    Attributes:
        claims: how many.
        auc: chance that a claim that holds is called likelier than one that does not; NaN without both.
        precision, recall: of calling a claim that is likelier than not one that holds.
    """

    claims: int
    auc: float
    precision: float
    recall: float


@frozen(kw_only=True)
class Trained:
    """A network, the kinds that it tells apart, how it did, and how many claims it learned from."""

    network: ClaimNetwork
    kinds: tuple[str, ...]
    figures: Figures
    claims: int
    pairs: int


@frozen(eq=False)
class _Labelled:
    pair: EncodedPair
    holds: Sequence[bool]
    source: str


def train(
    judged: Sequence[JudgedClaim],
    encoder: SentenceEncoder,
    options: TrainingOptions,
    on_step: Callable[[int, int], None] | None = None,
) -> Trained:
    """Trains a network on claims of marked pairs.

    Args:
        judged: in any order.
        encoder: of the reports.
        options: of the training.
        on_step: called with steps done and steps in all.
    """
    torch.manual_seed(options.seed)
    draw = random.Random(options.seed)  # noqa: S311 - the order of the pairs is no secret
    counts = Counter(kind_of(each.claim) for each in judged)
    kinds = tuple(sorted(kind for kind, count in counts.items() if count >= _FEWEST))
    studies = sorted({each.study for each in judged})
    kept_apart = set(draw.sample(studies, int(options.held_out * len(studies))))
    learned = _labelled([each for each in judged if each.study not in kept_apart], encoder, kinds)
    tried = _labelled([each for each in judged if each.study in kept_apart], encoder, kinds)
    network = ClaimNetwork(Sizes(states=encoder.width, kinds=len(kinds)), options.dropout)
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay)
    batches = _batches(learned, options.pairs, draw)
    network.train()
    for step in range(options.steps):
        for group in optimizer.param_groups:
            group["lr"] = (
                options.learning_rate * min(1.0, (step + 1) / _WARM_UP) * max(_GENTLEST, 1 - step / options.steps)
            )
        batch = next(batches)
        holds = torch.tensor([float(each) for labelled in batch for each in labelled.holds])
        loss = nn.functional.binary_cross_entropy_with_logits(network([each.pair for each in batch]), holds)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        if on_step is not None:
            on_step(step + 1, options.steps)
    network.eval()
    return Trained(
        network=network,
        kinds=kinds,
        figures=_figures(network, tried),
        claims=sum(len(each.holds) for each in learned),
        pairs=len(learned),
    )


def _labelled(judged: Sequence[JudgedClaim], encoder: SentenceEncoder, kinds: Sequence[str]) -> list[_Labelled]:
    pairs = encode_claims(encoder, [each.claim for each in judged], kinds)
    return [
        _Labelled(pair, [judged[number].holds for number in pair.numbers], judged[pair.numbers[0]].source)
        for pair in pairs
    ]


def _batches(labelled: Sequence[_Labelled], size: int, draw: random.Random) -> Iterator[list[_Labelled]]:
    """Batches without end: a like share of each set of pairs, and one pair of strangers."""
    sets: dict[str, list[_Labelled]] = {}
    for each in labelled:
        sets.setdefault(each.source, []).append(each)
    few = sets.pop(STRANGERS, [])
    drawn = [_drawn(each, draw) for each in sets.values()]
    shares = [size // len(drawn) + (number < size % len(drawn)) for number in range(len(drawn))]
    strange = _drawn(few, draw) if few else None
    while True:
        batch = [next(pairs) for pairs, share in zip(drawn, shares, strict=True) for _ in range(share)]
        yield batch if strange is None else [*batch, next(strange)]


def _drawn(pairs: Sequence[_Labelled], draw: random.Random) -> Iterator[_Labelled]:
    while True:
        yield from draw.sample(pairs, len(pairs))


def _figures(network: ClaimNetwork, tried: Sequence[_Labelled]) -> Figures:
    with torch.inference_mode():
        called = [float(p) for each in tried for p in torch.sigmoid(network([each.pair])).tolist()]
    holds = np.array([held for each in tried for held in each.holds], dtype=bool)
    likely = np.array(called) >= EVEN
    right = int((likely & holds).sum())
    return Figures(
        claims=len(holds),
        auc=float(roc_auc_score(holds, called)) if 0 < holds.sum() < len(holds) else float("nan"),
        precision=right / max(1, int(likely.sum())),
        recall=right / max(1, int(holds.sum())),
    )
