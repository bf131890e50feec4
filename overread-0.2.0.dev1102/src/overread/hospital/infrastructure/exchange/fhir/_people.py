"""Author of a report: a person, or a model."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.exchange.fhir._documents import Reported
from overread.hospital.infrastructure.exchange.fhir._elements import (
    Resource,
    every,
    has_code,
    identifiers,
    typed_identifiers,
    words,
)
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["Author", "author_of", "patient_of"]

_AI_LABEL_SYSTEM: Final = "http://terminology.hl7.org/CodeSystem/v3-ObservationValue"
_AI_LABELS: Final = frozenset({"AIAST"})
_PEOPLE: Final = frozenset({"Practitioner", "PractitionerRole"})
_READERS: Final = _PEOPLE | {""}
"""An interpreter of whom nothing is told but a name is a person; a performer may be a department."""

_UNVERIFIED: Final = frozenset({ReportStatus.PRELIMINARY, ReportStatus.PARTIAL})


@frozen
class Author:
    """Author of a report, and its status in view of that."""

    reader: str
    model: str
    status: ReportStatus


def author_of(reported: Reported, status: ReportStatus) -> Author:
    """The interpreter before the performer, a person before a device.

    A device is the author where it is an interpreter or performer, or the agent of a provenance, and no person is.
    What it wrote and nobody verified is a draft.

    Raises:
        RefusedMessageError: if the report is labelled as asserted by a model, and neither person nor model is named.
    """
    report = reported.report
    interpreters, performers = reported.referred(report, "resultsInterpreter"), reported.referred(report, "performer")
    agents = [pair for item in reported.provenances() for pair in reported.referred(item, "agent.who")]
    people = [_person(reported, *pair, _READERS) for pair in interpreters]
    people += [_person(reported, *pair, _PEOPLE) for pair in performers]
    reader = next((item for item in people if item), "")
    models = [_model(*pair) for pair in [*interpreters, *performers, *agents]]
    model = "" if reader else next((item for item in models if item), "")
    if not reader and not model and has_code(every(report, "meta.security"), _AI_LABEL_SYSTEM, _AI_LABELS):
        detail = "it is labelled AIAST, but no Device among performers or provenance says which model wrote it"
        raise RefusedMessageError("unnamed-model", detail, location="DiagnosticReport.performer")
    return Author(reader, model, ReportStatus.DRAFT if model and status in _UNVERIFIED else status)


def patient_of(reported: Reported) -> tuple[str, Resource]:
    """Identifier of the patient, and the patient as far as they came along.

    The medical record number comes first, then any identifier, then the server's own id.
    """
    for reference, resource in reported.referred(reported.report, "subject"):
        patient: Resource = resource or {}
        numbers = [words(identifier, "value") for identifier in typed_identifiers(patient, "MR")]
        name = next(iter(numbers), "") or _identifier_of(reference, patient)
        return name, patient
    return "", {}


def _person(reported: Reported, reference: Resource, found: Resource | None, kinds: frozenset[str]) -> str:
    """Identifier of a practitioner, also of one in a role; "" for what is of another kind."""
    kind = _kind(reference, found)
    if kind == "PractitionerRole" and found is not None:
        inner = reported.referred(found, "practitioner")
        return next((_identifier_of(*pair) for pair in inner), "") or _identifier_of(reference, found)
    return _identifier_of(reference, found) if kind in kinds else ""


def _model(reference: Resource, found: Resource | None) -> str:
    """Name and version of a device; "" for anybody else."""
    if _kind(reference, found) != "Device":
        return ""
    device: Resource = found or {}
    name = words(device, "displayName", "deviceName.name", "name.value", "modelNumber")
    version = words(device, "version.value")
    return " ".join(filter(None, [name or _identifier_of(reference, found), version]))


def _kind(reference: Resource, found: Resource | None) -> str:
    """Kind of a resource: its own, or as the reference says, or as its URL does."""
    parts = words(reference, "reference").partition("/_history/")[0].split("/")
    return words(found, "resourceType") or words(reference, "type") or (parts[-2] if len(parts) > 1 else "")


def _identifier_of(reference: Resource, found: Resource | None = None) -> str:
    """An identifier of what is referred to: its own, the reference's, the server's, and last its name."""
    url = words(reference, "reference").partition("/_history/")[0]
    numbers = (
        words(identifier, "value") for resource in (found or {}, reference) for identifier in identifiers(resource)
    )
    known = next(numbers, "")
    local = "" if url.startswith(("#", "urn:")) else url.rpartition("/")[2]
    return known or local or words(reference, "display")
