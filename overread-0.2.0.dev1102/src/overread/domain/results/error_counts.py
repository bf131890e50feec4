"""Predicted error counts: what CREPE's heads say of a pair (Cho et al. 2025)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from attrs import evolve, field, frozen

from overread.domain.vocabulary.equality import numbers
from overread.domain.vocabulary.taxonomy import REXVAL_SIX

__all__ = ["CATEGORY_HEADS", "HEAD_NAMES", "ErrorCounts", "clamp_counts", "softplus"]

CATEGORY_HEADS: tuple[str, ...] = tuple(category.value for category in REXVAL_SIX)
"""Names of the published model's six heads, A to F (CREPE section 3.1)."""

HEAD_NAMES: Mapping[int, tuple[str, ...]] = {1: ("total",), 2: ("significant", "insignificant"), 6: CATEGORY_HEADS}
"""What the heads of a model with one, two or six predict (CREPE section 5.1)."""


@frozen(kw_only=True)
class ErrorCounts:
    """Predicted errors of one candidate.

    Attributes:
        counts: predicted number of errors by head, A to F in the published model; 0 or more.
        presence: probability that there is any error of the kind, where the model has presence heads. The published
            score does not use it (CREPE section 3.2).
        tokens: of both reports together, with the model's special tokens.
        unseen: how many of them the model did not see.
        windows: passes through the model the pair took; more than one where long reports were read in parts.
    """

    counts: Mapping[str, float] = field(eq=numbers)
    presence: Mapping[str, float] = field(factory=dict, eq=numbers)
    tokens: int = 0
    unseen: int = 0
    windows: int = 1

    @property
    def total(self) -> float:
        """CREPE's score, the sum of the counts (equations 1 and 8); lower is better."""
        return math.fsum(self.counts.values())

    @property
    def none(self) -> ErrorCounts:
        """The same without any error."""
        return evolve(self, counts=dict.fromkeys(self.counts, 0.0), presence=dict.fromkeys(self.presence, 0.0))


def clamp_counts(heads: Sequence[float]) -> tuple[float, ...]:
    """Counts from heads trained on squared error: a negative one is no error. What is no number stays none.

    >>> clamp_counts([1.5, -0.25])
    (1.5, 0.0)
    """
    return tuple(0.0 if head < 0 else float(head) for head in heads)


def softplus(heads: Sequence[float]) -> tuple[float, ...]:
    """Counts from heads trained on Poisson likelihood: log(1 + exp(head)).

    >>> [round(count, 4) for count in softplus([0.0, 800.0])]
    [0.6931, 800.0]
    """
    return tuple(max(head, 0.0) + math.log1p(math.exp(-abs(head))) for head in map(float, heads))
