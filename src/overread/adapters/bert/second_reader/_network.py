"""The network: decomposable attention (Parikh et al. 2016, section 3) between token states of two reports.

Every token of a report is compared with what the other report says that is most like it; a claim is judged by the
comparisons of the tokens that it points at, in one report or both, and by what kind of claim it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from attrs import define, frozen
from torch import Tensor, nn

from overread.adapters.bert.second_reader._claims import TRAITS

__all__ = ["ClaimNetwork", "EncodedClaim", "EncodedPair", "EncodedReport", "Sizes"]


@frozen(kw_only=True)
class Sizes:
    """Widths of the network.

    Attributes:
        states: of a token's state.
        kinds: number of kinds of claims told apart; 0 stands for any other.
        compared: in which tokens are compared.
        judged: of a comparison.
        kind: of a kind's vector.
    """

    states: int
    kinds: int
    compared: int = 128
    judged: int = 64
    kind: int = 16


@define(eq=False)
class EncodedReport:
    """A report's tokens.

    Attributes:
        sentences: states of each sentence's tokens (tokens x width), shared by the reports that it stands in.
        offsets: characters that each token covers (tokens x 2).
    """

    sentences: Sequence[Tensor]
    offsets: npt.NDArray[np.int64]

    @property
    def states(self) -> Tensor:
        """States of all tokens, in single precision; of one sentence or more."""
        return torch.cat(list(self.sentences)).float()


@define(eq=False)
class EncodedClaim:
    """A claim: indices of its tokens in the reference and in the candidate, its kind by number, and its traits."""

    tokens: tuple[Tensor, Tensor]
    kind: int
    traits: Sequence[float]


@define(eq=False)
class EncodedPair:
    """Both reports, and claims of them, with the number that each has among all that were asked."""

    reports: tuple[EncodedReport, EncodedReport]
    claims: Sequence[EncodedClaim]
    numbers: Sequence[int]


class ClaimNetwork(nn.Module):
    """Judges claims; gives the log odds that each is confirmed."""

    def __init__(self, sizes: Sizes, dropout: float = 0.0) -> None:
        super().__init__()
        width, judged = sizes.compared, sizes.judged
        self.states = nn.Dropout(dropout)
        self.key = nn.Linear(sizes.states, width, bias=False)
        nn.init.orthogonal_(self.key.weight)
        self.value = nn.Linear(sizes.states, width)
        self.compare = nn.Sequential(
            nn.Linear(4 * width + 1, width), nn.GELU(), nn.Dropout(dropout), nn.Linear(width, judged)
        )
        self.attend = nn.Linear(judged, 1)
        self.kind = nn.Embedding(sizes.kinds + 1, sizes.kind)
        nn.init.normal_(self.kind.weight, std=0.1)
        self.judge = nn.Sequential(
            nn.Linear(2 * (judged + 2) + sizes.kind + TRAITS, judged),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(judged, 1),
        )
        self.sharpness = nn.Parameter(torch.tensor(12.0))
        self._empty = judged + 2

    def forward(self, pairs: Sequence[EncodedPair]) -> Tensor:
        """Log odds of all claims of all pairs, in order; one claim or more."""
        seen, kinds, traits = [], [], []
        for pair in pairs:
            sides = self._compared(*pair.reports)
            for claim in pair.claims:
                seen.append(torch.cat([self._seen(side, at) for side, at in zip(sides, claim.tokens, strict=True)]))
                kinds.append(claim.kind)
                traits.append(claim.traits)
        device = self.key.weight.device
        known = [
            self.kind(torch.tensor(kinds, device=device)),
            torch.tensor(traits, device=device, dtype=torch.float32),
        ]
        logits: Tensor = self.judge(torch.cat([torch.stack(seen), *known], dim=-1)).squeeze(-1)
        return logits

    def _compared(self, reference: EncodedReport, candidate: EncodedReport) -> tuple[_Side | None, _Side | None]:
        if not len(reference.offsets) or not len(candidate.offsets):
            return None, None
        ours, theirs = self.states(reference.states), self.states(candidate.states)
        keys = [nn.functional.normalize(self.key(states), dim=-1) for states in (ours, theirs)]
        values = [self.value(states) for states in (ours, theirs)]
        likeness = keys[0] @ keys[1].T
        return self._side(likeness, values[0], values[1]), self._side(likeness.T, values[1], values[0])

    def _side(self, likeness: Tensor, own: Tensor, other: Tensor) -> _Side:
        """Each token of one report compared with what is most like it in the other."""
        found = (likeness * self.sharpness).softmax(dim=-1) @ other
        nearest = likeness.max(dim=-1, keepdim=True).values
        compared = self.compare(torch.cat([own, found, (own - found).abs(), own * found, nearest], dim=-1))
        return _Side(compared, self.attend(compared).squeeze(-1), nearest.squeeze(-1))

    def _seen(self, side: _Side | None, tokens: Tensor) -> Tensor:
        """A claim as its tokens of one report show it; nothing where it points at none there."""
        if side is None or not len(tokens):
            return torch.zeros(self._empty, device=self.key.weight.device)
        weights = side.attention[tokens].softmax(dim=0)
        nearest = side.nearest[tokens]
        joined = (weights.unsqueeze(-1) * side.compared[tokens]).sum(dim=0)
        return torch.cat([joined, torch.stack([nearest.mean(), nearest.min()])])


@frozen(eq=False)
class _Side:
    """Tokens of a report: their comparisons, how much each counts, and how near the other report comes."""

    compared: Tensor
    attention: Tensor
    nearest: Tensor
