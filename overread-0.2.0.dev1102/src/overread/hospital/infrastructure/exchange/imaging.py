"""Details of an examination that HL7 v2, FHIR and DICOM state in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Final

from overread.domain.reports.report import OLDEST

__all__ = ["REPORT_CODES", "SECTIONS", "age_at"]

SECTIONS: Final[Mapping[str, str]] = {"CT": "CT", "NMR": "MR", "NMS": "NM", "RUS": "US", "VUS": "US", "OUS": "US"}
"""Sections of a diagnostic service (HL7's table 0074) that are one modality; radiology at large, or X-ray, is not."""

REPORT_CODES: Final = frozenset(
    {
        "18748-4",  # diagnostic imaging study
        "68604-8",  # radiology diagnostic study note
        "18747-6",  # CT
        "18755-9",  # MR
        "18756-7",  # MR of the spine
        "18757-5",  # nuclear medicine
        "18758-3",  # PET
        "18760-9",  # ultrasound
        "25045-6",  # CT, unspecified body region
        "25056-3",  # MR, unspecified body region
        "25061-3",  # ultrasound, unspecified body region
    }
)
"""LOINC's codes of documents that are reports on imaging."""

_DAYS_A_YEAR: Final = 365.2425


def age_at(born: str, at: datetime | None) -> float | None:
    """Age in years, to two digits; None where the day or the moment is not known, or they do not fit each other.

    Args:
        born: a whole date of ISO 8601, with hyphens or without.
        at: when the age is wanted.

    >>> age_at("19600301", datetime(2026, 3, 1)), age_at("1960-03", datetime(2026, 3, 1))
    (66.0, None)
    """
    if at is None:
        return None
    try:
        years = (at.date() - date.fromisoformat(born)).days / _DAYS_A_YEAR
    except ValueError:
        return None
    return round(years, 2) if 0 <= years <= OLDEST else None
