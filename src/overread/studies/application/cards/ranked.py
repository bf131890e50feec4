"""Ranked candidates: references with candidates of five kinds, which two people ordered from best to worst."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from attrs import field, frozen

from overread.domain.reports.report import ClinicalContext, ReportPair

__all__ = ["CANDIDATE_KINDS", "RankedCase"]

CANDIDATE_KINDS: Final = ("rewording", "small", "large", "contradiction", "boilerplate")
"""Without an error, with a small one, with a large one, the opposite of the reference, and words that say nothing."""


@frozen
class RankedCase:
    """A reference with its candidates by kind, and two people's orders of them, the best first."""

    id: str
    patient: ClinicalContext = field(repr=False)
    reference: str = field(repr=False)
    candidates: Mapping[str, str] = field(repr=False)
    orders: Sequence[Sequence[str]]

    def agreed(self) -> Iterator[tuple[str, str]]:
        """Pairs of kinds that both people order alike, the better first."""
        for one, other in combinations(CANDIDATE_KINDS, 2):
            first = {order.index(one) < order.index(other) for order in self.orders}
            if len(first) == 1:
                yield (one, other) if first.pop() else (other, one)

    def pairs(self) -> Iterator[ReportPair]:
        """The reference with each candidate; the id ends with its kind."""
        for kind in CANDIDATE_KINDS:
            yield ReportPair(
                id=self.pair_id(kind), reference=self.reference, candidate=self.candidates[kind], context=self.patient
            )

    def pair_id(self, kind: str) -> str:
        """Id of the pair with the candidate of a kind."""
        return f"{self.id} {kind}"
