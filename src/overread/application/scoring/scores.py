"""Scores that were kept: what a metric said of many pairs, as numbers by pair id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
from attrs import define, field

__all__ = ["COUNTED", "Floats", "MetricScores"]

Floats = npt.NDArray[np.float64] | npt.NDArray[np.float32]

COUNTED = ("category", "aspect", "severity")
"""What discrepancies are counted by."""


@define(frozen=True, kw_only=True, slots=False, eq=False)
class MetricScores:
    """What one metric said of the pairs of one system. It holds numbers and ids, no report text.

    Attributes:
        metric: its name.
        signature: everything that changes its scores; "" where that is not known.
        higher_is_better: which end of the scale is good.
        ids: every pair, scored or not, in the order of the file; distinct.
        scores: one a pair, NaN where it is unscored.
        subscores: the named numbers beside the score, one a pair each, NaN where a pair has none of that name.
        counts: discrepancies a pair, first by "category" (A to H, or "none" for what the eight do not count),
            "aspect" and "severity", then by the value of it; NaN where a pair is unscored. The inner mappings are empty
            for a metric that lists no discrepancy of any pair.
        reasons: why a pair is unscored, by its id.
    """

    metric: str
    signature: str
    higher_is_better: bool
    ids: tuple[str, ...] = field(repr=False)
    scores: Floats = field(repr=False)
    subscores: Mapping[str, Floats] = field(factory=dict, repr=False)
    counts: Mapping[str, Mapping[str, Floats]] = field(factory=dict, repr=False)
    reasons: Mapping[str, str] = field(factory=dict, repr=False)

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Index of each id."""
        return {name: index for index, name in enumerate(self.ids)}

    @property
    def unscored(self) -> dict[str, int]:
        """Number of unscored pairs by reason, the most frequent first."""
        return dict(Counter(self.reasons.values()).most_common())

    def score_by_id(self) -> dict[str, float]:
        """The score of each scored pair."""
        return _by_id(self.ids, self.scores)

    def subscore_by_id(self, name: str) -> dict[str, float]:
        """A subscore of each pair that has it. Raises `KeyError` where no pair has."""
        return _by_id(self.ids, self.subscores[name])

    def count_by_id(self, kind: str, value: str) -> dict[str, float]:
        """Discrepancies of a kind in each scored pair, for example ``("category", "A")``."""
        found = self.counts.get(kind, {}).get(value)
        return _by_id(self.ids, np.where(np.isnan(self.scores), np.nan, 0.0) if found is None else found)


def _by_id(ids: tuple[str, ...], values: Floats) -> dict[str, float]:
    return {name: float(value) for name, value in zip(ids, values.tolist(), strict=True) if value == value}  # noqa: PLR0124 - NaN alone is not itself
