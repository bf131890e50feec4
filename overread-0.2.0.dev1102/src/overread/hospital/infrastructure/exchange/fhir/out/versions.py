"""Versions of reports as diagnostic reports: what issues and scores are about."""

from __future__ import annotations

import base64
from typing import Any, Final

from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import KeptVersion, ReportStatus
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.out.parts import (
    AI_LABEL,
    Resource,
    code,
    make_identifier_reference,
    make_resource,
    moment,
)

__all__ = ["patient_of", "report_of"]

_IDENTIFIERS: Final = "http://terminology.hl7.org/CodeSystem/v2-0203"
_DICOM: Final = "http://dicom.nema.org/resources/ontology/DCM"
_STATUSES: Final = {
    ReportStatus.DRAFT: "preliminary",
    ReportStatus.PRELIMINARY: "preliminary",
    ReportStatus.PARTIAL: "partial",
    ReportStatus.FINAL: "final",
    ReportStatus.CORRECTED: "corrected",
    ReportStatus.ADDENDUM: "appended",
    ReportStatus.CANCELLED: "cancelled",
}


def report_of(kept: KeptVersion, output: FhirOutput) -> Resource:
    """A version with its numbers, status and times; its text where texts go along and it is still kept."""
    version, first = kept.version, kept.version.examinations[0] if kept.version.examinations else None
    numbers = [
        *(
            _number("ACSN", examination.accession) | {"assigner": {"display": examination.site}}
            for examination in version.examinations
        ),
        *(_number("FILL", version.filler) for _ in version.filler[:1]),
        *(_number("PLAC", version.placer) for _ in version.placer[:1]),
    ]
    reader = make_identifier_reference("Practitioner", version.reader)
    elements: dict[str, Any] = {
        "meta": {"security": [AI_LABEL]} if version.model else None,
        "identifier": numbers,
        "status": _STATUSES[version.status],
        "category": [code(_DICOM, first.modality)] if first and first.modality else None,
        "code": {"text": (first.procedure if first else "") or "Diagnostic imaging report"},
        "subject": make_identifier_reference("Patient", first.patient if first else ""),
        "effectiveDateTime": moment(first.performed) if first else None,
        "issued": moment(version.issued or kept.arrived),
        "resultsInterpreter": [reader] if reader else None,
        "presentedForm": _form(kept) if output.with_text and kept.has_text else None,
    }
    return make_resource("DiagnosticReport", f"version/{kept.number}", output, elements)


def _number(kind: str, value: str) -> Resource:
    return {"type": code(_IDENTIFIERS, kind), "value": value}


def _form(kept: KeptVersion) -> list[Resource]:
    text = kept.version.text.text
    data = base64.b64encode(text.encode()).decode()
    return [{"contentType": "text/plain; charset=utf-8", "data": data}] if text.strip() else []


def patient_of(examinations: tuple[Examination, ...]) -> Resource | None:
    """The patient of examinations, by the identifier that their site knows them by."""
    return make_identifier_reference(
        "Patient", next((examination.patient for examination in examinations if examination.patient), "")
    )
