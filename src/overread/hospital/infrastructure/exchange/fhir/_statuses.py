"""Status of a diagnostic report: what it says, and what it does not."""

from __future__ import annotations

from typing import Final

from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.exchange.fhir._elements import Resource, every, has_code, words
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["status_of"]

_STATUSES: Final = {
    "partial": ReportStatus.PARTIAL,
    "preliminary": ReportStatus.PRELIMINARY,
    # R5: changed before it was final.
    "modified": ReportStatus.PRELIMINARY,
    "final": ReportStatus.FINAL,
    "amended": ReportStatus.CORRECTED,
    "corrected": ReportStatus.CORRECTED,
    "appended": ReportStatus.ADDENDUM,
    "cancelled": ReportStatus.CANCELLED,
    "entered-in-error": ReportStatus.CANCELLED,
}
_ADDENDA: Final = frozenset(
    f"http://hl7.org/fhir/StructureDefinition/diagnosticReport-{name}" for name in ("addendumOf", "extends")
)
_ADDENDUM_DOCUMENT: Final = frozenset({"55107-7"})


def status_of(report: Resource) -> ReportStatus:
    """The status; a final report that says it adds to another is an addendum.

    Raises:
        RefusedMessageError: if there is nothing to read yet, or nobody knows how far the report is.
    """
    code = words(report, "status")
    if code == "registered":
        raise RefusedMessageError(
            "no-report-yet",
            "a report with the status registered must not have text",
            location="DiagnosticReport.status",
        )
    if code not in _STATUSES:
        detail = f"the status must be one of {', '.join(_STATUSES)}"
        raise RefusedMessageError("unknown-status", detail, location="DiagnosticReport.status")
    status = _STATUSES[code]
    return ReportStatus.ADDENDUM if status is ReportStatus.FINAL and _is_addendum(report) else status


def _is_addendum(report: Resource) -> bool:
    adds = not _ADDENDA.isdisjoint(words(extension, "url") for extension in every(report, "extension"))
    return adds or has_code(every(report, "code.coding"), "http://loinc.org", _ADDENDUM_DOCUMENT)
