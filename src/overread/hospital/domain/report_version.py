"""Versions of reports: each is kept as it arrived, since most systems write the final over the preliminary."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from overread.domain.reports.report import Report
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.members import member_of
from overread.exceptions import InputError
from overread.hospital.domain.examination import Examination, ExaminationKey

__all__ = ["EARLY", "FINISHED", "KeptVersion", "ReportStatus", "ReportVersion"]


class ReportStatus(StrEnum):
    """Stage that a report has reached."""

    DRAFT = "draft"
    """Written by a model; nobody has read it."""

    PRELIMINARY = "preliminary"
    """Read, not yet verified: a resident's report, or a first reading at night."""

    PARTIAL = "partial"
    """Some of it is there; the rest is to come."""

    FINAL = "final"
    """Verified and signed."""

    CORRECTED = "corrected"
    """Final, and changed after it was signed."""

    ADDENDUM = "addendum"
    """An addition to a final report, which stands beside it."""

    CANCELLED = "cancelled"
    """Withdrawn, or entered in error."""


EARLY: Final = (ReportStatus.DRAFT, ReportStatus.PRELIMINARY, ReportStatus.PARTIAL)
"""Stages that a final report is still to follow."""

FINISHED: Final = (ReportStatus.FINAL, ReportStatus.CORRECTED)
"""Stages of a report that was signed."""


def _report(value: Report | str) -> Report:
    if not isinstance(value, (Report, str)):
        raise InputError("text", "is not text", remedy="give a text, or an overread.Report")
    return value if isinstance(value, Report) else Report(value)


@frozen(kw_only=True)
class ReportVersion:
    """A report as one message brought it.

    Attributes:
        examinations: that it reports on, one or more: some reports cover several accession numbers.
        status: as the source says, never guessed.
        text: a `Report`, exactly as given, sections and all; a plain text becomes one.
        reader: identifier of who wrote or signed it; "" where not told.
        coauthors: identifiers of others who the source says had a part in it, such as the resident of an attending's
            report. Rates are told by reader alone; a conflict of interest is everybody's who is named.
        model: name and version of the model that wrote it; "" for a person.
        filler: the reporting system's number of this report; versions of one report share it. "" where not told.
        placer: the ordering system's number.
        issued: when this version was made, with its time zone.
        source: by which way it came, for example "hl7", "fhir", "folder" or "http"; "" for a host's own.
        message: the source's identifier of the message or resource version, by which a resend is known.

    Raises:
        InputError: if the status is no `ReportStatus`, or the text none.
    """

    examinations: tuple[Examination, ...] = field(converter=in_tuple)
    status: ReportStatus = field(validator=member_of(ReportStatus))
    text: Report = field(converter=_report)
    reader: str = ""
    coauthors: tuple[str, ...] = field(default=(), converter=in_tuple)
    model: str = ""
    filler: str = ""
    placer: str = ""
    issued: datetime | None = None
    source: str = ""
    message: str = ""

    @property
    def keys(self) -> tuple[ExaminationKey, ...]:
        """Keys of the examinations."""
        return tuple(examination.key for examination in self.examinations)

    @property
    def authors(self) -> tuple[str, ...]:
        """Everybody who is named as an author, the reader first."""
        return tuple(dict.fromkeys(filter(None, (self.reader, *self.coauthors))))


@frozen(kw_only=True)
class KeptVersion:
    """A version that is stored.

    Attributes:
        number: the store's, growing with arrival.
        arrived: when it was stored, in UTC.
        version: what arrived. Its text is blank once it is no longer kept, which ``has_text`` tells.
        digest: by which the store knows equal texts, also when they are no longer kept; "" where it has none.
        patients: by which the store knows whose each of its examinations is said to be, in their order, as merges have
            it by now; "" where it is not told, and none of them where the store has none.
    """

    number: int
    arrived: datetime
    version: ReportVersion
    has_text: bool = True
    digest: str = field(default="", repr=False, eq=False)
    patients: tuple[str, ...] = field(default=(), converter=in_tuple, repr=False, eq=False)
