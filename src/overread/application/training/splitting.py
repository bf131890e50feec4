"""Splitting labelled pairs by study, so that no reference is on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np

__all__ = ["split_by_study"]


class _OfAStudy(Protocol):
    @property
    def study(self) -> str: ...


T = TypeVar("T", bound=_OfAStudy)


def split_by_study(pairs: Sequence[T], share: float, seed: int) -> tuple[list[T], list[T]]:
    """Pairs to train on and pairs to validate on, no study on both sides; at least one study on each.

    Args:
        pairs: of two studies or more.
        share: of the studies that go to validation, above 0 and below 1.
        seed: of the draw.
    """
    studies = list(dict.fromkeys(pair.study for pair in pairs))
    order = np.random.default_rng(seed).permutation(len(studies))
    held = {studies[i] for i in order[: min(max(1, round(share * len(studies))), len(studies) - 1)]}
    return [pair for pair in pairs if pair.study not in held], [pair for pair in pairs if pair.study in held]
