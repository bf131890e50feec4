"""Severity of a discrepancy, and ReEvalMed's discrimination/robustness rule."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

__all__ = ["SIGNIFICANT_FROM", "Importance", "Severity", "gravest", "is_clinically_significant", "severity_of"]


class Severity(StrEnum):
    """Clinical significance of a discrepancy (Beyond Scalar Scores, appendix I).

    A critical discrepancy is an internal contradiction; a significant one could change what is done for the patient.
    """

    CRITICAL = "critical"
    SIGNIFICANT = "significant"
    INSIGNIFICANT = "insignificant"

    @property
    def counts_as_significant(self) -> bool:
        """Critical and significant are one class in the D/R rule (Beyond Scalar Scores, appendix C.5)."""
        return self is not Severity.INSIGNIFICANT


class Importance(StrEnum):
    """Action that a finding requires of those who care for the patient, the gravest first."""

    URGENT = "urgent"
    """Action at once."""

    ACTIONABLE = "actionable"
    """It can change care now."""

    FOLLOW_UP = "follow_up"
    """To be looked at again, or noted; nothing is done now."""

    INCIDENTAL = "incidental"
    """Of no consequence for care."""

    EXPECTED = "expected"
    """Normal for such a patient, procedure or device."""

    @property
    def weight(self) -> float:
        """The step on [0, 1], as overread weighs it (docs/decisions/0023)."""
        return _WEIGHTS[self]

    @property
    def is_actionable(self) -> bool:
        """True if the finding requires anything now."""
        return self in {Importance.URGENT, Importance.ACTIONABLE}

    @property
    def words(self) -> str:
        """The step as reasons say it."""
        return self.value.replace("_", "-")

    def moved(self, steps: int) -> Importance:
        """Importance so many steps graver, or less grave if negative; it stops at either end.

        >>> Importance.ACTIONABLE.moved(1).value, Importance.EXPECTED.moved(-1).value
        ('urgent', 'expected')
        """
        order = list(Importance)
        return order[min(max(order.index(self) - steps, 0), len(order) - 1)]


def gravest(steps: Iterable[Importance]) -> Importance:
    """The step of the most weight; there must be one.

    >>> gravest([Importance.FOLLOW_UP, Importance.URGENT]).value
    'urgent'
    """
    return max(steps, key=lambda step: step.weight)


_WEIGHTS: Final = {
    Importance.URGENT: 1.0,
    Importance.ACTIONABLE: 0.5,
    Importance.FOLLOW_UP: 0.2,
    Importance.INCIDENTAL: 0.1,
    Importance.EXPECTED: 0.05,
}

SIGNIFICANT_FROM: Final = 0.15
"""Weight of a discrepancy from which it counts as significant: one that can change care, wrong by three tenths."""

_ROUNDING: Final = 1e-9


def severity_of(weight: float) -> Severity:
    """The class of a discrepancy of this weight, on [0, 1]; a contradiction, which is critical, is told by its kind.

    >>> severity_of(0.15).value, severity_of(0.1).value
    ('significant', 'insignificant')
    """
    return Severity.SIGNIFICANT if weight >= SIGNIFICANT_FROM - _ROUNDING else Severity.INSIGNIFICANT


def is_clinically_significant(severities: Iterable[Severity]) -> bool:
    """The D/R rule: a pair is significant if any span is; a pair without spans is not (overread's choice).

    A discrimination pair is judged rightly when this is true, a robustness pair when it is false
    (Beyond Scalar Scores, section 3). The paper says nothing of a pair without a single span.

    >>> is_clinically_significant([Severity.INSIGNIFICANT]), is_clinically_significant([])
    (False, False)
    """
    return any(severity.counts_as_significant for severity in severities)
