"""The network that compares two reports token by token.

Every token is compared with what the other report says that is most like it (decomposable attention, Parikh et al.
2016, section 3, with several heads), together with what the first reading says of both; one layer of self-attention
over both reports follows (Vaswani et al. 2017). A question is answered by the tokens that it points at: a discrepancy,
which may point into both reports, or a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import torch
from attrs import frozen
from torch import Tensor, nn
from torch.nn import functional

from overread.adapters.bert.second_reader._questions import CATEGORIES

__all__ = ["COMPARED", "HEADS", "INPUTS", "PairNetwork", "Sizes"]

INPUTS: Final = (
    "reference",
    "candidate",
    "reference_marks",
    "candidate_marks",
    "in_reference",
    "in_candidate",
    "kinds",
    "traits",
)
"""What `PairNetwork.forward` takes, in order."""

COMPARED: Final = 96
"""Width of a token's value, and of its keys of all heads together."""

HEADS: Final = 2
"""Of the comparison."""

_SHARPNESS: Final = 12.0
_UNLIKE: Final = -1e4
_GENTLE: Final = 2.0
"""Taken off the weight's logit, so that a network begins with small weights."""


@frozen(kw_only=True)
class Sizes:
    """Widths of the network.

    Attributes:
        marks: of what the first reading says of a token.
        traits: of what is known of a question.
        kinds: number of kinds of questions told apart, that of any other included.
        compared: of a token's value, and of its keys of all heads together.
        heads: of the comparison.
        hidden: between what a comparison sees and what it says.
        judged: of a comparison.
        kind: of a kind's vector.
    """

    marks: int
    traits: int
    kinds: int
    compared: int = COMPARED
    heads: int = HEADS
    hidden: int = 160
    judged: int = 96
    kind: int = 16


class PairNetwork(nn.Module):
    """Answers questions about one pair of reports."""

    def __init__(self, sizes: Sizes, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = sizes.heads
        width, judged, heads = sizes.compared, sizes.judged, sizes.heads
        self.sharp = nn.Parameter(torch.full((heads,), _SHARPNESS))
        seen = (1 + 2 * heads) * width + heads + (1 + heads) * sizes.marks
        self.compare = nn.Sequential(
            nn.Linear(seen, sizes.hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(sizes.hidden, judged)
        )
        self.side = nn.Parameter(torch.zeros(2, judged))
        self.joint = _SelfAttention(judged, dropout)
        self.attend = nn.Linear(judged, 1)
        self.kind = nn.Embedding(sizes.kinds, sizes.kind)
        nn.init.normal_(self.kind.weight, std=0.1)
        self.body = nn.Sequential(
            nn.Linear(2 * (2 * judged + 2) + sizes.kind + sizes.traits, 2 * judged), nn.GELU(), nn.Dropout(dropout)
        )
        self.holds = nn.Linear(2 * judged, 1)
        self.weigh = nn.Linear(2 * judged, 1)
        self.category = nn.Linear(2 * judged, len(CATEGORIES))

    def forward(
        self,
        reference: Tensor,
        candidate: Tensor,
        reference_marks: Tensor,
        candidate_marks: Tensor,
        in_reference: Tensor,
        in_candidate: Tensor,
        kinds: Tensor,
        traits: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Log odds that each question holds, the weight of what is wrong there, and log odds of its category.

        Args:
            reference: keys and values of its tokens, n x (2 x compared); one token or more.
            candidate: the same of its own, m x (2 x compared); one token or more.
            reference_marks: n x marks.
            candidate_marks: m x marks.
            in_reference: 1 for the tokens that each question points at, else 0: q x n.
            in_candidate: the same of the candidate: q x m.
            kinds: of the questions, q.
            traits: of the questions, q x traits.
        """
        marks = (reference_marks, candidate_marks)
        halves = [one.chunk(2, dim=-1) for one in (reference, candidate)]
        keys: list[Tensor] = [one.unflatten(-1, (self.heads, -1)) for one, _ in halves]  # type: ignore[no-untyped-call]
        values = [value for _, value in halves]
        likeness = torch.einsum("nhd,mhd->hnm", keys[0], keys[1])
        compared = [
            self._compare(likeness, values, marks),
            self._compare(likeness.transpose(1, 2), values[::-1], marks[::-1]),
        ]
        count = reference.shape[0]
        joined = self.joint(torch.cat([compared[at] + self.side[at] for at in (0, 1)]))
        nearest = [likeness.amax(dim=(0, 2)), likeness.amax(dim=(0, 1))]
        seen = [
            *self._pool(joined[:count], nearest[0], in_reference),
            *self._pool(joined[count:], nearest[1], in_candidate),
        ]
        body = self.body(torch.cat([*seen, self.kind(kinds), traits], dim=-1))
        weight = functional.softplus(self.weigh(body).squeeze(-1) - _GENTLE)
        return self.holds(body).squeeze(-1), weight, self.category(body)

    def _compare(self, likeness: Tensor, values: Sequence[Tensor], marks: tuple[Tensor, ...]) -> Tensor:
        """Each token of one report beside what each head finds for it in the other."""
        own, other = values
        attention = (likeness * self.sharp[:, None, None]).softmax(dim=-1)
        attended = torch.einsum("hnm,md->nhd", attention, other)
        marked = torch.einsum("hnm,mk->nhk", attention, marks[1])
        here = own.unsqueeze(1)
        compared: Tensor = self.compare(
            torch.cat(
                [
                    own,
                    (here - attended).abs().flatten(1),
                    (here * attended).flatten(1),
                    likeness.amax(dim=-1).T,
                    marks[0],
                    marked.flatten(1),
                ],
                dim=-1,
            )
        )
        return compared

    def _pool(self, tokens: Tensor, nearest: Tensor, pointed: Tensor) -> list[Tensor]:
        """Pooled states of each question's tokens; zeros where it points at none."""
        some = pointed.amax(dim=1, keepdim=True)
        away = (1.0 - pointed) * _UNLIKE
        weights = (self.attend(tokens).squeeze(-1) + away).softmax(dim=-1) * some
        highest = (tokens + away.unsqueeze(-1)).amax(dim=1) * some
        mean = (nearest * pointed).sum(dim=1, keepdim=True) / pointed.sum(dim=1, keepdim=True).clamp(min=1.0)
        least = (nearest - away).amin(dim=1, keepdim=True) * some
        return [weights @ tokens, highest, mean, least]


class _SelfAttention(nn.Module):
    """A layer of a transformer, with normalisation first."""

    heads: Final = 4

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask, self.answer = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, tokens: Tensor) -> Tensor:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(0, 1)
            for part in self.ask(self.before(tokens)).chunk(3, dim=-1)
        )
        attention = (query @ key.transpose(1, 2) / query.shape[-1] ** 0.5).softmax(dim=-1)
        tokens = tokens + self.drop(self.answer((attention @ value).transpose(0, 1).flatten(1)))
        narrowed = self.narrow(functional.gelu(self.widen(self.between(tokens))))
        joined: Tensor = tokens + self.drop(narrowed)
        return joined
