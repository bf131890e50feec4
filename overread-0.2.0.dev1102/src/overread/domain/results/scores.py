"""Scores of a metric for many pairs, as numbers by pair: no report text, no evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from attrs import cmp_using, define, evolve, field

__all__ = ["COUNTED", "DISTRIBUTED", "GRADES", "Floats", "MetricScores"]

Floats = npt.NDArray[np.float64] | npt.NDArray[np.float32]

COUNTED: Final = ("category", "aspect", "severity")
"""What discrepancies are counted by."""

GRADES: Final = ("significant", "insignificant")
"""Discrepancies that could change care, and those that could not."""

DISTRIBUTED: Final = "distributed with the set"
"""Source of scores that come with a benchmark."""

_NO_SCORE: Final = "no score"


def _same(one: Any, other: Any) -> bool:
    """Return whether two arrays, or mappings of them, hold the same, including NaN."""
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    return one is other or (one is not None and other is not None and np.array_equal(one, other, equal_nan=True))


_BY_VALUE: Final = cmp_using(eq=_same)


@define(frozen=True, kw_only=True, slots=False)
class MetricScores:
    """Scores of one metric for some pairs. Arrays hold one number per pair, NaN where there is none.

    Attributes:
        metric: its name; in tables also the row's.
        higher_is_better: which end of the scale is good.
        ids: every pair, scored or not, in the order of the data; distinct.
        scores: NaN where a pair is unscored.
        signature: everything that changes its scores; "" if unknown.
        source: where they come from, in words; "" for scores made now.
        subscores: the named numbers beside the score.
        counts: discrepancies per pair, first by "category" (A to H, or "none" for what the eight do not count),
            "aspect" and "severity", then by its value. For results in memory, not from a file, also by "significant"
            and "insignificant", each then by category. The inner mappings are empty for a metric that lists no
            discrepancy of any pair.
        verdicts: 1 where the metric names a significant discrepancy, else 0; None for one that lists none.
        reference_units: number of clinical units that the metric read in the reference; None if unknown.
        reasons: why a pair is unscored, by its id.
        counts_of: the metric whose errors these scores count, significant or not, where they are not a metric's own.
    """

    metric: str
    higher_is_better: bool
    ids: tuple[str, ...] = field(repr=False)
    scores: Floats = field(repr=False, eq=_BY_VALUE)
    signature: str = ""
    source: str = ""
    subscores: Mapping[str, Floats] = field(factory=dict, repr=False, eq=_BY_VALUE)
    counts: Mapping[str, Mapping[str, Floats]] = field(factory=dict, repr=False, eq=_BY_VALUE)
    verdicts: Floats | None = field(default=None, repr=False, eq=_BY_VALUE)
    reference_units: Floats | None = field(default=None, repr=False, eq=_BY_VALUE)
    reasons: Mapping[str, str] = field(factory=dict, repr=False)
    counts_of: str = ""

    @classmethod
    def distributed(cls, metric: str, by_id: Mapping[str, float], *, higher_is_better: bool) -> MetricScores:
        """Scores that come with a benchmark; a pair without one is not in them."""
        scores = np.fromiter(by_id.values(), dtype=np.float64, count=len(by_id))
        return cls(
            metric=metric, higher_is_better=higher_is_better, ids=tuple(by_id), scores=scores, source=DISTRIBUTED
        )

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Index of each id."""
        return {name: index for index, name in enumerate(self.ids)}

    @property
    def unscored(self) -> dict[str, int]:
        """Number of unscored pairs by reason, the most frequent first."""
        missing = np.flatnonzero(np.isnan(self.scores)).tolist()
        return dict(Counter(self.reasons.get(self.ids[index], _NO_SCORE) for index in missing).most_common())

    def on(self, values: Floats, ids: tuple[str, ...]) -> Floats:
        """Numbers of the metric's pairs for the pairs asked for, NaN for those that it does not hold."""
        if ids == self.ids:
            return values
        if not self.ids:
            return np.full(len(ids), np.nan)
        places = np.fromiter((self.place.get(name, -1) for name in ids), dtype=np.int64, count=len(ids))
        return np.where(places >= 0, values[places], np.nan)

    def over(self, ids: tuple[str, ...], *, absent: str = _NO_SCORE) -> MetricScores:
        """The same for other pairs, in their order; those that are not held are unscored for the reason given."""
        if ids == self.ids:
            return self
        reasons = {name: self.reasons.get(name, absent if name not in self.place else "") for name in ids}
        units = self.reference_units
        return evolve(
            self,
            ids=ids,
            scores=self.on(self.scores, ids),
            subscores={name: self.on(values, ids) for name, values in self.subscores.items()},
            counts={
                kind: {name: self.on(values, ids) for name, values in by_value.items()}
                for kind, by_value in self.counts.items()
            },
            verdicts=None if self.verdicts is None else self.on(self.verdicts, ids),
            reference_units=None if units is None else self.on(units, ids),
            reasons={name: reason for name, reason in reasons.items() if reason},
        )

    def count(self, kind: str, value: str) -> Floats:
        """Discrepancies of a kind, for example ``("category", "A")``: 0 where a scored pair has none."""
        counted = self.counts.get(kind, {}).get(value)
        return np.where(np.isnan(self.scores), np.nan, 0.0) if counted is None else counted

    def score_by_id(self) -> dict[str, float]:
        """The score of each scored pair."""
        return self._by_id(self.scores)

    def subscore_by_id(self, name: str) -> dict[str, float]:
        """A subscore of each pair that has it. Raises `KeyError` where no pair has."""
        return self._by_id(self.subscores[name])

    def _by_id(self, values: Floats) -> dict[str, float]:
        there = np.flatnonzero(~np.isnan(values)).tolist()
        return {self.ids[index]: float(values[index]) for index in there}
