"""Examinations that a report is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from overread.domain.reports.report import ClinicalContext
from overread.hospital.domain.examination import Examination, ExaminationKey
from overread.hospital.infrastructure.exchange.fhir._documents import Reported
from overread.hospital.infrastructure.exchange.fhir._elements import (
    Resource,
    every,
    has_code,
    identifiers,
    moment,
    typed_identifiers,
    words,
)
from overread.hospital.infrastructure.exchange.fhir._people import patient_of
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.imaging import SECTIONS, age_at
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["DICOM", "IMAGING", "SERVICES", "examinations_of"]

DICOM: Final = "http://dicom.nema.org/resources/ontology/DCM"
SERVICES: Final = "http://terminology.hl7.org/CodeSystem/v2-0074"
IMAGING: Final = frozenset({*SECTIONS, "IMG", "RAD", "RX", "XRC", "CUS", "NRS"})
"""Sections of `SERVICES` that make images."""

_Told = Sequence[tuple[Resource, Sequence[ExaminationKey]]]
"""Orders or studies, each with the accession numbers that it has."""


def examinations_of(reported: Reported, options: FhirOptions) -> list[Examination]:
    """One examination for each accession number, in the order given.

    The report's own accession numbers are taken; without any those of its orders, and last those of its studies.

    Raises:
        RefusedMessageError: if no accession number is told, or the report is of another service than imaging.
    """
    report = reported.report
    services = [service for service in every(report, "category.coding") if words(service, "system") == SERVICES]
    if services and not has_code(services, SERVICES, IMAGING):
        detail = "the report is from a diagnostic service other than imaging"
        raise RefusedMessageError("not-imaging", detail, location="DiagnosticReport.category")
    orders = _referred_resources(reported, options, "basedOn")
    studies = _referred_resources(reported, options, "imagingStudy", "study")
    own = _accessions(report, options)
    keys = list(dict.fromkeys(own or _keys(orders) or _keys(studies)))
    if not keys:
        detail = (
            "an identifier of type ACSN is missing; give it on the report, its order (basedOn) or its imaging study"
        )
        raise RefusedMessageError("no-accession", detail, location="DiagnosticReport.identifier")
    alone = len(keys) == 1
    return [
        _examination(reported, key, _that_of(key, orders, alone=alone), _that_of(key, studies, alone=alone))
        for key in keys
    ]


def _referred_resources(reported: Reported, options: FhirOptions, *paths: str) -> _Told:
    pairs = [pair for path in paths for pair in reported.referred(reported.report, path)]
    return [(resource or {}, _accessions(resource or reference, options)) for reference, resource in pairs]


def _keys(told: _Told) -> list[ExaminationKey]:
    return [key for _, keys in told for key in keys]


def _that_of(key: ExaminationKey, told: _Told, *, alone: bool) -> Resource:
    """The order or study of an accession number; of a number that stands alone also one that does not say its own."""
    return next((resource for resource, keys in told if key in keys or (alone and not keys)), {})


def _accessions(resource: Resource, options: FhirOptions) -> list[ExaminationKey]:
    typed = typed_identifiers(resource, "ACSN")
    numbers = [
        identifier for identifier in identifiers(resource) if words(identifier, "system") in options.accession_systems
    ]
    accessions = [*typed, *(identifier for identifier in numbers if identifier not in typed)]
    return [
        ExaminationKey(options.sites.get(words(identifier, "system"), options.site), words(identifier, "value"))
        for identifier in accessions
    ]


def _examination(reported: Reported, key: ExaminationKey, order: Resource, study: Resource) -> Examination:
    report = reported.report
    performed = moment(report, "effectiveDateTime", "effectivePeriod.start") or moment(study, "started")
    name, patient = patient_of(reported)
    devices = reported.resources(study, "series.performer.actor")
    return Examination(
        site=key.site,
        accession=key.accession,
        patient=name,
        modality=_modality(report, study),
        procedure=words(order, *_concept_paths("code"), *_concept_paths("code.concept"))
        or words(report, *_concept_paths("code")),
        body_part=words(study, "series.bodySite.display", *_concept_paths("series.bodySite.concept"))
        or words(order, *_concept_paths("bodySite")),
        device=next((words(device, "displayName", "deviceName.name", "name.value", "id") for device in devices), ""),
        performed=performed,
        context=ClinicalContext(
            age=age_at(words(patient, "birthDate"), performed or moment(report, "issued")),
            sex=words(patient, "gender") or None,
            indication=words(order, *_concept_paths("reasonCode"), *_concept_paths("reason.concept")) or None,
        ),
    )


def _concept_paths(path: str) -> tuple[str, ...]:
    """Paths to the words of a codeable concept, the best first."""
    return f"{path}.text", f"{path}.coding.display", f"{path}.coding.code"


def _modality(report: Resource, study: Resource) -> str:
    """DICOM's code: the study's, or one among the report's categories and codes; never read out of a name."""
    study_code = words(
        study, "modality.coding.code", "modality.code", "series.modality.coding.code", "series.modality.code"
    )
    codings = [*every(report, "category.coding"), *every(report, "code.coding")]
    dicom = (words(coding, "code") for coding in codings if words(coding, "system") == DICOM)
    services = (SECTIONS.get(words(coding, "code"), "") for coding in codings if words(coding, "system") == SERVICES)
    return study_code or next(filter(None, dicom), "") or next(filter(None, services), "")
