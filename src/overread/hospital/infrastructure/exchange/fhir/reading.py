"""Diagnostic reports of FHIR as versions of reports. Nothing is fetched: what is referred to must come along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.fhir._documents import Document, Reported, open_document, parse
from overread.hospital.infrastructure.exchange.fhir._elements import Resource, every, moment, typed_identifiers, words
from overread.hospital.infrastructure.exchange.fhir._imaging import examinations_of
from overread.hospital.infrastructure.exchange.fhir._people import author_of
from overread.hospital.infrastructure.exchange.fhir._report_text import text_of
from overread.hospital.infrastructure.exchange.fhir._statuses import status_of
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["SOURCE", "read_each", "read_fhir"]

SOURCE: Final = "fhir"
"""Source of versions that came this way."""


def read_fhir(document: bytes | Mapping[str, Any], options: FhirOptions) -> list[ReportVersion]:
    """The versions of reports in a DiagnosticReport or Bundle, the oldest first where it tells; all of them or none.

    Args:
        document: JSON or XML in UTF-8, or what JSON became.
        options: of its source.

    Raises:
        RefusedMessageError: for the first report that cannot be taken, or for a document that cannot be read.
    """
    versions = []
    for outcome in read_each(document, options):
        if isinstance(outcome, RefusedMessageError):
            raise outcome
        versions.append(outcome)
    return versions


def read_each(document: bytes | Mapping[str, Any], options: FhirOptions) -> list[ReportVersion | RefusedMessageError]:
    """The same, with the refusal of a report in its place: one that cannot be taken does not keep others out.

    Raises:
        RefusedMessageError: for a document that cannot be read.
    """
    opened = open_document(parse(document, options) if isinstance(document, bytes) else document, options)
    return [_read_or_refused(report, opened, options) for report in opened.reports]


def _read_or_refused(report: Resource, document: Document, options: FhirOptions) -> ReportVersion | RefusedMessageError:
    message = _message(report, options)
    try:
        return _read(Reported(report, document), options, message)
    except RefusedMessageError as error:
        return RefusedMessageError(error.code, error.detail, location=error.location, message=message)


def _read(reported: Reported, options: FhirOptions, message: str) -> ReportVersion:
    report = reported.report
    reported.document.check(report)
    _refuse_unknown_meaning(report)
    examinations = examinations_of(reported, options)
    author = author_of(reported, status_of(report))
    text = "" if author.status is ReportStatus.CANCELLED else text_of(reported)
    if not text.strip() and author.status is not ReportStatus.CANCELLED:
        raise RefusedMessageError("no-text", "the report has no text", location="DiagnosticReport")
    return ReportVersion(
        examinations=tuple(examinations),
        status=author.status,
        text=text,
        reader=author.reader,
        model=author.model,
        filler=_number(report, "FILL"),
        placer=_number(report, "PLAC"),
        issued=moment(report, "issued", "meta.lastUpdated"),
        source=SOURCE,
        message=message,
    )


def _refuse_unknown_meaning(report: Resource) -> None:
    """A modifier extension, or rules of one's own, may turn what a report says into its opposite."""
    for name in ("implicitRules", "modifierExtension"):
        if every(report, name):
            detail = "the report has modifier extensions or implicit rules, which are not supported; send it without"
            raise RefusedMessageError("unknown-modifier", detail, location=f"DiagnosticReport.{name}")


def _number(report: Resource, kind: str) -> str:
    return next((words(identifier, "value") for identifier in typed_identifiers(report, kind)), "")


def _message(report: Resource, options: FhirOptions) -> str:
    """The resource's version at its site; "" where it has none: an id alone would make every later one a resend."""
    name, version = words(report, "id"), words(report, "meta.versionId")
    return f"{options.site}/{name}/{version}" if name and version else ""
