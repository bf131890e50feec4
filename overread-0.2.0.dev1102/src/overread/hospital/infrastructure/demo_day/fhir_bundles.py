"""The day's messages of the site that speaks FHIR: bundles in the shapes of R4, R4B and R5."""

from __future__ import annotations

import base64
import html
from enum import StrEnum
from typing import Any, Final

from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.demo_day.day import Sending

__all__ = ["Shape", "bundle", "shape_of"]

_Resource = dict[str, Any]

_TYPES: Final = "http://terminology.hl7.org/CodeSystem/v2-0203"
_DICOM: Final = "http://dicom.nema.org/resources/ontology/DCM"
_STATUSES: Final = {
    ReportStatus.DRAFT: "preliminary",
    ReportStatus.PRELIMINARY: "preliminary",
    ReportStatus.PARTIAL: "partial",
    ReportStatus.FINAL: "final",
    ReportStatus.CORRECTED: "amended",
    ReportStatus.ADDENDUM: "appended",
    ReportStatus.CANCELLED: "entered-in-error",
}
_UNKNOWN_STATUS: Final = "vetted"
_PDF: Final = b"%PDF-1.4\n%%EOF\n"
_HTML_EVERY: Final = 5
_DAYS_A_YEAR: Final = 365.2425
_GENDERS: Final = {"F": "female", "M": "male"}


class Shape(StrEnum):
    """A release of FHIR; where R4 and R4B are used here, they are alike."""

    R4 = "R4"
    R4B = "R4B"
    R5 = "R5"


def shape_of(version: ReportVersion) -> Shape:
    """The release in which the examination's system writes: the site has three, taken in turn."""
    return list(Shape)[_serial(version) % len(Shape)]


def bundle(sending: Sending) -> _Resource:
    """A transaction with the report, its patient, orders and study, and the people and devices that it refers to."""
    version = sending.version
    shape = shape_of(version)
    author = _author(version, shape)
    resources = [
        _report(sending, shape),
        _patient(version.examinations[0]),
        author,
        *(_order(item, shape) for item in version.examinations),
        *(_study(item, shape) for item in version.examinations),
    ]
    if version.model:
        resources.append(_provenance(version, author))
    return {
        "resourceType": "Bundle",
        "type": "transaction",
        "entry": [{"resource": item, "request": {"method": "PUT", "url": _name(item)}} for item in resources],
    }


def _report(sending: Sending, shape: Shape) -> _Resource:
    version = sending.version
    known = sending.fault != "unknown-status"
    first = version.examinations[0]
    report: _Resource = {
        "resourceType": "DiagnosticReport",
        "id": version.filler,
        "meta": {"versionId": version.message.partition("-")[2]},
        "identifier": [_identifier("FILL", version.filler), _identifier("PLAC", version.placer)],
        "status": _STATUSES[version.status] if known else _UNKNOWN_STATUS,
        "category": [{"coding": [{"system": _DICOM, "code": first.modality}]}],
        "code": {"text": ", ".join(examination.procedure for examination in version.examinations)},
        "subject": {"reference": f"Patient/{first.patient}"},
        "basedOn": [
            {"reference": f"ServiceRequest/ORD{examination.accession}"} for examination in version.examinations
        ],
        "effectiveDateTime": _time(first.performed),
        "issued": _time(version.issued),
        _study_name(shape): [
            {"reference": f"ImagingStudy/ST{examination.accession}"} for examination in version.examinations
        ],
    }
    if version.reader:
        early = version.status in {ReportStatus.PRELIMINARY, ReportStatus.PARTIAL}
        report["performer" if early else "resultsInterpreter"] = [{"reference": f"Practitioner/{version.reader}"}]
    if sending.fault != "empty":
        report["presentedForm"] = [_form(sending)]
    return report


def _form(sending: Sending) -> _Resource:
    text = sending.version.text.text
    if sending.fault == "pdf-only":
        return {"contentType": "application/pdf", "data": base64.b64encode(_PDF).decode()}
    if _serial(sending.version) % _HTML_EVERY == 0:
        page = "".join(f"<p>{html.escape(line)}</p>" for line in text.splitlines() if line)
        return {"contentType": "text/html", "data": base64.b64encode(f"<div>{page}</div>".encode()).decode()}
    data = base64.b64encode(text.encode()).decode()
    # Cut within a group of four: no decoder can tell what the last bytes were.
    return {"contentType": "text/plain", "data": data[:-3].rstrip("=") if sending.fault == "bad-base64" else data}


def _patient(examination: Examination) -> _Resource:
    born = examination.performed
    age = examination.context.age
    resource: _Resource = {
        "resourceType": "Patient",
        "id": examination.patient,
        "identifier": [_identifier("MR", examination.patient)],
        "gender": _GENDERS[examination.context.sex or "F"],
    }
    if born is not None and age is not None:
        resource["birthDate"] = born.replace(year=born.year - int(age), month=1, day=15).date().isoformat()
    return resource


def _author(version: ReportVersion, shape: Shape) -> _Resource:
    if version.reader:
        return {"resourceType": "Practitioner", "id": version.reader, "identifier": [{"value": version.reader}]}
    name, number = version.model.rsplit(" ", 1)
    named = (
        {"name": [{"value": name, "type": "user-friendly-name"}]}
        if shape is Shape.R5
        else {"deviceName": [{"name": name, "type": "user-friendly-name"}]}
    )
    return {"resourceType": "Device", "id": name.lower(), "version": [{"value": number}], **named}


def _provenance(version: ReportVersion, device: _Resource) -> _Resource:
    return {
        "resourceType": "Provenance",
        "id": f"{version.filler}-{version.message.partition('-')[2]}",
        "target": [{"reference": f"DiagnosticReport/{version.filler}"}],
        "recorded": _time(version.issued),
        "agent": [{"who": {"reference": _name(device)}}],
    }


def _order(examination: Examination, shape: Shape) -> _Resource:
    code, reason = {"text": examination.procedure}, {"text": examination.context.indication}
    is_r5 = shape is Shape.R5
    return {
        "resourceType": "ServiceRequest",
        "id": f"ORD{examination.accession}",
        "identifier": [_identifier("ACSN", examination.accession)],
        "status": "completed",
        "intent": "order",
        "subject": {"reference": f"Patient/{examination.patient}"},
        "code": {"concept": code} if is_r5 else code,
        **({"reason": [{"concept": reason}]} if is_r5 else {"reasonCode": [reason]}),
    }


def _study(examination: Examination, shape: Shape) -> _Resource:
    coding = {"system": _DICOM, "code": examination.modality}
    return {
        "resourceType": "ImagingStudy",
        "id": f"ST{examination.accession}",
        "identifier": [_identifier("ACSN", examination.accession)],
        "status": "available",
        "subject": {"reference": f"Patient/{examination.patient}"},
        "started": _time(examination.performed),
        "modality": [{"coding": [coding]} if shape is Shape.R5 else coding],
    }


def _study_name(shape: Shape) -> str:
    return "study" if shape is Shape.R5 else "imagingStudy"


def _identifier(kind: str, value: str) -> _Resource:
    return {"type": {"coding": [{"system": _TYPES, "code": kind}]}, "value": value}


def _name(resource: _Resource) -> str:
    return f"{resource['resourceType']}/{resource['id']}"


def _time(moment: Any) -> str:
    return str(moment.isoformat())


def _serial(version: ReportVersion) -> int:
    return int(version.examinations[0].accession[1:])
