"""Splitting labelled pairs by study, so that no reference is on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, TypeVar

import numpy as np

from overread.exceptions import ConfigurationError

__all__ = ["split_by_study"]

_FEWEST_STUDIES: Final = 2


class _OfAStudy(Protocol):
    @property
    def study(self) -> str: ...


T = TypeVar("T", bound=_OfAStudy)


def split_by_study(pairs: Sequence[T], share: float, seed: int, *, what: str = "pairs") -> tuple[list[T], list[T]]:
    """Pairs to train on and pairs to validate on, no study on both sides; at least one study on each.

    Args:
        pairs: labelled ones.
        share: of the studies that go to validation, above 0 and below 1.
        seed: of the draw.
        what: they are, for the message.

    Raises:
        ConfigurationError: if there are not two studies.
    """
    studies = list(dict.fromkeys(pair.study for pair in pairs))
    if len(studies) < _FEWEST_STUDIES:
        raise ConfigurationError([f"the {what} all come from one study; validation needs a second one"])
    order = np.random.default_rng(seed).permutation(len(studies))
    held = {studies[i] for i in order[: min(max(1, round(share * len(studies))), len(studies) - 1)]}
    return [pair for pair in pairs if pair.study not in held], [pair for pair in pairs if pair.study in held]
