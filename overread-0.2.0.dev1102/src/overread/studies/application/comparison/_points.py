"""Points of scatter plots: all, or so many that a page can hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from overread.domain.results.scores import Floats

__all__ = ["sample_points"]

_MOST: Final = 2_000
_SEED: Final = 2_000


def sample_points(
    first: Floats, second: Floats, ids: Sequence[str]
) -> tuple[tuple[tuple[float, float, str], ...], str]:
    """The points that have both numbers, and a remark where only some of them are given."""
    there = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
    total = len(there)
    if total > _MOST:
        there = np.sort(np.random.default_rng(_SEED).choice(there, _MOST, replace=False))
    points = tuple((float(first[i]), float(second[i]), ids[i]) for i in there.tolist())
    return points, f"{_MOST:,} of {total:,} pairs, drawn at random" if total > _MOST else ""
