"""Pairs with verdicts that stand, to learn from in tests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.standing_pairs import StandingPair
from overread.hospital.domain.judgement import NamedDiscrepancy
from overread.hospital.domain.standing_verdicts import Ground

__all__ = ["MINOR", "WRONG", "standing"]

WRONG = NamedDiscrepancy(severity=Severity.SIGNIFICANT, category=ErrorCategory.LOCATION)
MINOR = NamedDiscrepancy(severity=Severity.INSIGNIFICANT, category=ErrorCategory.SEVERITY)


def standing(number: int, *named: NamedDiscrepancy, **more: Any) -> StandingPair:
    """A pair of a patient of its own."""
    told: dict[str, Any] = {
        "report_pair": ReportPair(id=f"{number}", reference="No effusion.", candidate="No effusion."),
        "site": "north",
        "performed": datetime(2026, 10, 1 + number % 28, 12, tzinfo=UTC),
        "patient": f"p{number}",
        "ground": Ground.AGREED,
        **more,
    }
    return StandingPair(number=number, named=named, **told)
