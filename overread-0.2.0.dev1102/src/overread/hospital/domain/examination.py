"""Examinations: what was imaged, of whom, when and where."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from attrs import field, frozen

from overread.domain.reports.report import ClinicalContext

__all__ = ["Examination", "ExaminationKey", "is_placeholder"]

_NONE: Final = frozenset({"na", "nil", "none", "null", "pending", "tba", "tbd", "temp", "unassigned", "unk", "unknown"})


def is_placeholder(name: str) -> bool:
    """Return whether an accession number or patient identifier is a placeholder that many are sent under.

    >>> [is_placeholder(number) for number in ("N/A", "000", "-", "Unknown", "A0", "10")]
    [True, True, True, True, False, False]
    """
    letters = "".join(letter for letter in name.casefold() if letter.isalnum())
    return letters in _NONE or not letters.strip("0")


@frozen(order=True)
class ExaminationKey:
    """Key that identifies one examination: an accession number is unique within a site."""

    site: str
    accession: str


@frozen(kw_only=True)
class Examination:
    """One imaging examination, as the source of a report describes it; only ``site`` and ``accession`` must be known.

    Attributes:
        site: where accession numbers come from, for example the sending facility.
        accession: accession number.
        patient: identifier of the patient at the site; never printed.
        modality: DICOM's code, for example "CT"; "" where not told.
        procedure: its name or code.
        body_part: DICOM's code or a name.
        device: station or model of the scanner.
        performed: when it was, with its time zone.
        context: age, sex and indication, as far as they are known.
    """

    site: str
    accession: str
    patient: str = field(default="", repr=False)
    modality: str = ""
    procedure: str = ""
    body_part: str = ""
    device: str = ""
    performed: datetime | None = None
    context: ClinicalContext = field(factory=ClinicalContext)

    @property
    def key(self) -> ExaminationKey:
        """Site and accession number."""
        return ExaminationKey(self.site, self.accession)
