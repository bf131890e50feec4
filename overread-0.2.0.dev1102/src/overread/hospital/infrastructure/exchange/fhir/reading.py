"""Reports of FHIR as versions of reports, and what else a document tells. Nothing is fetched here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.fhir._documents import Document, Reported, open_document, parse
from overread.hospital.infrastructure.exchange.fhir._elements import Resource, every, moment, typed_identifiers, words
from overread.hospital.infrastructure.exchange.fhir._imaging import examinations_of
from overread.hospital.infrastructure.exchange.fhir._notifications import Notification, notification_of
from overread.hospital.infrastructure.exchange.fhir._other_reports import as_report, place_in
from overread.hospital.infrastructure.exchange.fhir._patient_links import merges_of
from overread.hospital.infrastructure.exchange.fhir._people import author_of
from overread.hospital.infrastructure.exchange.fhir._report_text import text_of
from overread.hospital.infrastructure.exchange.fhir._statuses import status_of
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["SOURCE", "FhirContent", "identity_of", "parse_fhir", "read_each", "read_fhir", "read_fhir_content"]

SOURCE: Final = "fhir"
"""Source of versions that came this way."""

_REPORT: Final = "DiagnosticReport"
_ID: Final = re.compile(r"[A-Za-z0-9.-]{1,64}")


@frozen(kw_only=True)
class FhirContent:
    """Contents of a document.

    Attributes:
        versions: of reports, the oldest first where the document tells.
        merges: of patients.
        notification: of a subscription, if it is one.
    """

    versions: tuple[ReportVersion, ...] = field(default=(), converter=in_tuple)
    merges: tuple[PatientMerge, ...] = field(default=(), converter=in_tuple)
    notification: Notification | None = None


def parse_fhir(document: bytes, options: FhirOptions) -> Resource:
    """A resource as JSON has it, of JSON or XML in UTF-8.

    Raises:
        RefusedMessageError: if it is too large or cannot be read.
    """
    return parse(document, options)


def identity_of(resource: Resource) -> tuple[str, str]:
    """Id and version of a resource, "" for each that it lacks or that FHIR would not have."""
    name, version = words(resource, "id"), words(resource, "meta.versionId")
    return name if _ID.fullmatch(name) else "", version if _ID.fullmatch(version) else ""


def read_fhir(document: bytes | Mapping[str, Any], options: FhirOptions) -> list[ReportVersion]:
    """The versions of reports in a resource or Bundle, the oldest first where it tells; all of them or none.

    Args:
        document: JSON or XML in UTF-8, or what JSON became.
        options: of its source.

    Raises:
        RefusedMessageError: for the first report that cannot be taken, or for a document that cannot be read.
    """
    return _versions(read_each(document, options))


def read_fhir_content(
    document: bytes | Mapping[str, Any], options: FhirOptions, *, alone: str | None = None
) -> FhirContent:
    """Everything that a document tells, merges of patients and notifications of subscriptions included.

    Args:
        document: JSON or XML in UTF-8, or what JSON became.
        options: of its source.
        alone: type of the resource that it must be, None for any.

    Raises:
        RefusedMessageError: for the first thing that cannot be taken, or for a document that cannot be read.
    """
    root = parse(document, options) if isinstance(document, bytes) else document
    if alone is not None and words(root, "resourceType") != alone:
        raise RefusedMessageError("not-a-report", f"this address takes a {alone}", location="resourceType")
    notification = notification_of(root)
    if notification is not None and (notification.is_sign_of_life or not notification.has_events):
        return FhirContent(notification=notification)
    opened = open_document(root, options)
    if words(root, "resourceType") == "Patient":
        opened.check(root)
    elif not (opened.reports or opened.patients or notification is not None):
        raise _no_report(root)
    versions = _versions([_read_or_refused(report, opened, options) for report in opened.reports])
    return FhirContent(versions=versions, merges=merges_of(opened, options), notification=notification)


def read_each(document: bytes | Mapping[str, Any], options: FhirOptions) -> list[ReportVersion | RefusedMessageError]:
    """The same, with the refusal of a report in its place: one that cannot be taken does not keep others out.

    Raises:
        RefusedMessageError: for a document that cannot be read.
    """
    root = parse(document, options) if isinstance(document, bytes) else document
    opened = open_document(root, options)
    if not opened.reports:
        raise _no_report(root)
    return [_read_or_refused(report, opened, options) for report in opened.reports]


def _versions(outcomes: list[ReportVersion | RefusedMessageError]) -> list[ReportVersion]:
    versions = []
    for outcome in outcomes:
        if isinstance(outcome, RefusedMessageError):
            raise outcome
        versions.append(outcome)
    return versions


def _no_report(root: Resource) -> RefusedMessageError:
    location = "Bundle.entry" if words(root, "resourceType") == "Bundle" else ""
    detail = "there is no DiagnosticReport, no DocumentReference, and no document that begins with a Composition"
    return RefusedMessageError("not-a-report", detail, location=location)


def _read_or_refused(source: Resource, document: Document, options: FhirOptions) -> ReportVersion | RefusedMessageError:
    message = _message(source, options)
    try:
        return _read(Reported(as_report(source, document, options), document, source), options, message)
    except RefusedMessageError as error:
        told = place_in(source, error)
        return RefusedMessageError(told.code, told.detail, location=told.location, message=message)


def _read(reported: Reported, options: FhirOptions, message: str) -> ReportVersion:
    report = reported.report
    reported.document.check(reported.source)
    _refuse_unknown_meaning(reported.source)
    examinations = examinations_of(reported, options)
    author = author_of(reported, status_of(reported, options))
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


def _refuse_unknown_meaning(resource: Resource) -> None:
    """A modifier extension, or rules of one's own, may turn what a report says into its opposite."""
    for name in ("implicitRules", "modifierExtension"):
        if every(resource, name):
            detail = "the report has modifier extensions or implicit rules, which are not supported; send it without"
            raise RefusedMessageError("unknown-modifier", detail, location=f"{_REPORT}.{name}")


def _number(report: Resource, kind: str) -> str:
    return next((words(identifier, "value") for identifier in typed_identifiers(report, kind)), "")


def _message(resource: Resource, options: FhirOptions) -> str:
    """The resource's version at its site; "" where it has none: an id alone would make every later one a resend."""
    kind, name, version = words(resource, "resourceType"), words(resource, "id"), words(resource, "meta.versionId")
    own = f"{name}/{version}" if kind == _REPORT else f"{kind}/{name}/{version}"
    return f"{options.site}/{own}" if name and version else ""
