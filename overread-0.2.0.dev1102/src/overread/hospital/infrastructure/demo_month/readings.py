"""Readings of the sample, and decisions of the adjudicator."""

from __future__ import annotations

from functools import cache

from attrs import frozen

from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.domain.reading import ReadingTask
from overread.hospital.domain.review import Radpeer, Verdict, VerdictKind
from overread.hospital.infrastructure.demo_month.tables import rows

__all__ = ["Reading", "month_readings"]


@frozen(kw_only=True)
class Reading:
    """Review of a pair by one person.

    Attributes:
        accession: number of the examination, of which there is one pair.
        reader: who.
        task: whether they read it, or decided between readers.
        radpeer: their score.
        severity: of the discrepancy that they see; None for none.
        category: of it.
    """

    accession: str
    reader: str
    task: ReadingTask
    radpeer: Radpeer
    severity: Severity | None = None
    category: ErrorCategory | None = None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The discrepancy that they name, or nothing."""
        if self.severity is None:
            return ()
        return (
            Verdict(
                kind=VerdictKind.AMEND, severity=self.severity, category=self.category, reason="The reports differ."
            ),
        )


@cache
def month_readings() -> tuple[Reading, ...]:
    """All that was said, in the order in which it was."""
    return tuple(
        Reading(
            accession=row["accession"],
            reader=row["reader"],
            task=ReadingTask(row["task"]),
            radpeer=Radpeer(row["radpeer"]),
            severity=Severity(row["severity"]) if row["severity"] else None,
            category=ErrorCategory(row["category"]) if row["category"] else None,
        )
        for row in rows("readings.csv")
    )
