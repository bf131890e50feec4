"""How much a discrepancy matters, and ReEvalMed's discrimination/robustness rule."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

__all__ = ["Actionability", "Severity", "is_clinically_significant"]


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


class Actionability(StrEnum):
    """What a finding asks of those who care for the patient."""

    URGENT = "urgent"
    ACTIONABLE = "actionable"
    NON_ACTIONABLE = "non_actionable"
    EXPECTED = "expected"

    @property
    def is_actionable(self) -> bool:
        """Whether the finding asks for anything at all."""
        return self in {Actionability.URGENT, Actionability.ACTIONABLE}


def is_clinically_significant(severities: Iterable[Severity]) -> bool:
    """The D/R rule: a pair is significant if any span is; a pair without spans is not (overread's choice).

    A discrimination pair is judged rightly when this is true, a robustness pair when it is false
    (Beyond Scalar Scores, section 3). The paper says nothing of a pair without a single span.

    >>> is_clinically_significant([Severity.INSIGNIFICANT]), is_clinically_significant([])
    (False, False)
    """
    return any(severity.counts_as_significant for severity in severities)
