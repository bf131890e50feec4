"""Status of a report: what it says, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.exchange.fhir._documents import Reported
from overread.hospital.infrastructure.exchange.fhir._elements import Resource, every, has_code, words
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["WITHDRAWN", "status_of"]

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
WITHDRAWN: Final = frozenset({"entered-in-error", "cancelled"})
"""Statuses, of any resource, of what does not count any more."""

_EXTENSION: Final = "http://hl7.org/fhir/StructureDefinition/diagnosticReport-"
_ADDENDA: Final = frozenset({f"{_EXTENSION}addendumOf", f"{_EXTENSION}extends"})
_REPLACES: Final = f"{_EXTENSION}replaces"
_ADDENDUM_DOCUMENT: Final = frozenset({"55107-7"})
_NOT_FINAL: Final = frozenset({"registered", "partial", "preliminary"})


def status_of(reported: Reported, options: FhirOptions) -> ReportStatus:
    """The status; a final report that says it adds to another is an addendum, one that replaces another a correction.

    Raises:
        RefusedMessageError: if there is nothing to read yet, or nobody knows how far the report is.
    """
    report = reported.report
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
    return _status_of_final(reported, options) if status is ReportStatus.FINAL else status


def _status_of_final(reported: Reported, options: FhirOptions) -> ReportStatus:
    related = dict(_relations(reported))
    if _is_addendum(reported.report) or "appends" in related:
        return ReportStatus.ADDENDUM
    if "replaces" not in related:
        return ReportStatus.FINAL
    replaced = related["replaces"]
    if replaced is None:
        return options.replacement
    is_early = words(replaced, "docStatus", "status") in _NOT_FINAL
    return ReportStatus.FINAL if is_early else ReportStatus.CORRECTED


def _relations(reported: Reported) -> Iterator[tuple[str, Resource | None]]:
    """Relations of a report, its document or its composition to others, with these as far as they came along."""
    for extension in every(reported.report, "extension"):
        if words(extension, "url") == _REPLACES:
            yield from (("replaces", found) for _, found in reported.referred(extension, "valueReference"))
    composition = reported.composition()
    for resource in [reported.source, *([composition] if composition is not None else [])]:
        for relation in every(resource, "relatesTo"):
            code = words(relation, "code", "type", "code.coding.code")
            targets = [
                found
                for path in ("target", "targetReference", "resourceReference")
                for _, found in reported.referred(relation, path)
            ]
            yield code, next(iter(targets), None)


def _is_addendum(report: Resource) -> bool:
    adds = not _ADDENDA.isdisjoint(words(extension, "url") for extension in every(report, "extension"))
    return adds or has_code(every(report, "code.coding"), "http://loinc.org", _ADDENDUM_DOCUMENT)
