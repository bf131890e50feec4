"""Discrepancies: what a candidate report says differently from its reference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from attrs import evolve, field, frozen

from overread.domain.reports.report import Span
from overread.domain.vocabulary.equality import in_tuple, number
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType

__all__ = ["EVEN", "UNLIKELY", "Discrepancy", "count_by_category", "expected_errors"]

EVEN: Final = 0.5
"""Probability below which a discrepancy is doubtful: it counts among the insignificant ones."""

UNLIKELY: Final = 0.3
"""Probability below which a discrepancy counts for nothing: many of them would otherwise add up to an error."""


@frozen(kw_only=True)
class Discrepancy:
    """One difference between a candidate and its reference. It holds offsets; only ``explanation`` may quote a report.

    Attributes:
        category: A to H, or None for what the eight categories do not count.
        aspect, type: ReEvalMed's aspect, and the direction of the change.
        severity: clinical significance; ``reason`` says in words why.
        importance: what the finding asks for in this patient; None where whoever found it does not weigh it.
        extent: how wrong it is, on [0, 1]; 1 is a finding asserted against denied. None with the importance.
        probability: how likely it is that somebody who reads both reports confirms it; 1 where nobody was asked.
        finding: lexicon id of the finding concerned, "" for a sentence no rule covers; ``side`` is left, right or both
            where the report that names it says so.
        reference_spans, candidate_spans: where it stands in each report; empty where that report is silent.
        explanation: what a judge says of it in its own words. It may quote a report, so it is neither printed in a
            repr nor written into a result's record, and two discrepancies that differ in it alone are equal.
    """

    category: ErrorCategory | None
    aspect: ErrorAspect
    type: ErrorType | None
    severity: Severity
    reason: str
    finding: str
    side: str = ""
    reference_spans: tuple[Span, ...] = field(default=(), converter=in_tuple)
    candidate_spans: tuple[Span, ...] = field(default=(), converter=in_tuple)
    explanation: str = field(default="", repr=False, eq=False)
    importance: Importance | None = None
    extent: float | None = field(default=None, eq=number)
    probability: float = field(default=1.0, eq=number)

    @property
    def label(self) -> str:
        """Name of its category in plain words, or of its aspect where none of the eight categories counts it."""
        return self.category.label if self.category else self.aspect.value

    @property
    def weight(self) -> float | None:
        """Importance times extent, on [0, 1]; None where it was not weighed."""
        return None if self.importance is None or self.extent is None else self.importance.weight * self.extent

    @property
    def expectation(self) -> float:
        """Expected count: its probability, or 0 if it is unlikely."""
        return self.probability if self.probability >= UNLIKELY else 0.0

    @property
    def risk(self) -> float:
        """Contribution to the risk of its pair: its weight times its expectation."""
        return (self.weight or 0.0) * self.expectation

    @property
    def is_doubtful(self) -> bool:
        """True if it is likelier not to be a discrepancy."""
        return self.probability < EVEN

    def joined_with(self, other: Discrepancy) -> Discrepancy:
        """This discrepancy with the other's spans, and the graver of the two severities and its reason."""
        graver = min(self, other, key=lambda d: list(Severity).index(d.severity))
        return evolve(
            graver,
            reference_spans=tuple(dict.fromkeys(self.reference_spans + other.reference_spans)),
            candidate_spans=tuple(dict.fromkeys(self.candidate_spans + other.candidate_spans)),
        )


def expected_errors(discrepancies: Iterable[Discrepancy]) -> float:
    """Number of discrepancies of the eight categories that somebody who reads both reports would confirm.

    The sum of their expectations, however little each matters; their plain number where nobody read again.
    """
    return sum((d.expectation for d in discrepancies if d.category is not None), 0.0)


def count_by_category(discrepancies: Iterable[Discrepancy]) -> dict[ErrorCategory, int]:
    """Number of discrepancies in each of the eight categories, zeros included."""
    counts = dict.fromkeys(ErrorCategory, 0)
    for discrepancy in discrepancies:
        if discrepancy.category is not None:
            counts[discrepancy.category] += 1
    return counts
