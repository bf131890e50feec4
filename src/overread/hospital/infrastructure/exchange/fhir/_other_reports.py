"""Reports that are no DiagnosticReport: a DocumentReference, or the Composition of a document, in its shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from overread.hospital.infrastructure.exchange.fhir._documents import Document
from overread.hospital.infrastructure.exchange.fhir._elements import (
    WITHDRAWN,
    Resource,
    every,
    has_code,
    kind_of,
    words,
)
from overread.hospital.infrastructure.exchange.fhir._imaging import DICOM, IMAGING, SERVICES
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.imaging import REPORT_CODES
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["as_report", "place_in"]

_LOINC: Final = "http://loinc.org"
_RADIOLOGY: Final = REPORT_CODES | {
    "85430-7",  # diagnostic imaging record
    "18726-0",  # radiology studies
    "55107-7",  # addendum
    "LP29684-5",  # the class radiology, as a category
}
"""LOINC's types of documents that are reports on imaging; `FhirOptions.document_types` adds those of a source."""

_SIGNING: Final = frozenset({"professional", "legal", "official"})
"""Modes of attesting in which somebody answers for what is said."""

_ORDER_SECTIONS: Final = frozenset({"55115-0", "18726-0"})
"""LOINC's sections of a document whose entries are its order and its study; those of a comparison are others'."""

_ORDER_TITLES: Final = frozenset({"imaging order", "imaging study", "order", "requested imaging studies"})
"""Titles of such sections where they have no code, in small letters: LOINC's and those of HL7 Europe's guide."""

_PLACES: Final[Mapping[str, Mapping[str, str]]] = {
    "DocumentReference": {
        "status": "docStatus",
        "presentedForm": "content.attachment",
        "performer": "author",
        "resultsInterpreter": "authenticator",
        "category": "type",
    },
    "Composition": {"performer": "author", "resultsInterpreter": "attester", "category": "type"},
}
_NO_ACCESSION: Final = (
    "an identifier of type ACSN is missing; give it on the document, or on the order or imaging study that it names "
    "(DocumentReference: context.related or basedOn; Composition: event.detail, or the entries of the section 55115-0)"
)


@frozen(repr=False)
class _Parts:
    """Elements of a document that are named differently from a report's."""

    status: str
    signed_by: list[Resource]
    period: list[Resource]
    related: list[Resource]
    forms: list[Resource]


def as_report(resource: Resource, document: Document, options: FhirOptions) -> Resource:
    """A report in the shape of a DiagnosticReport; one that has it already is given back.

    Raises:
        RefusedMessageError: if a resource is none, or is not about imaging.
    """
    kind = words(resource, "resourceType")
    if kind not in _PLACES:
        return resource
    document.check(resource)
    events = _events(resource)
    _refuse_other_services(resource, events, options)
    parts = _of_reference(resource, document) if kind == "DocumentReference" else _of_composition(resource)
    studies, orders = _studies_and_orders(parts.related, document)
    procedures = [event for event in events if not _is_modality(event)]
    report = {
        "resourceType": "DiagnosticReport",
        "id": words(resource, "id"),
        "meta": resource.get("meta"),
        "contained": resource.get("contained"),
        "text": resource.get("text"),
        "identifier": [*every(resource, "identifier"), *every(resource, "masterIdentifier")],
        "status": parts.status,
        "category": [*every(resource, "category"), *(event for event in events if _is_modality(event))],
        "code": procedures[0] if procedures else resource.get("type"),
        "subject": resource.get("subject"),
        "effectivePeriod": parts.period[:1],
        "issued": words(resource, "date"),
        "basedOn": orders,
        "imagingStudy": studies,
        "resultsInterpreter": parts.signed_by,
        "performer": every(resource, "author"),
        "presentedForm": parts.forms,
    }
    return {name: value for name, value in report.items() if value}


def place_in(resource: Resource, error: RefusedMessageError) -> RefusedMessageError:
    """The same refusal with the place as the resource names it that the report was made of."""
    kind = words(resource, "resourceType")
    if kind not in _PLACES:
        return error
    told = error.told_at(detail=_NO_ACCESSION) if error.code == "no-accession" else error
    root, _, path = error.location.partition(".")
    if root != "DiagnosticReport":
        return told
    name, dot, rest = path.partition(".")
    return told.told_at(location=f"{kind}.{_PLACES[kind].get(name, name)}{dot}{rest}" if name else kind)


def _of_reference(resource: Resource, document: Document) -> _Parts:
    context = [node for node in every(resource, "context") if "reference" not in node and "identifier" not in node]
    related = [node for node in every(resource, "context") if node not in context]  # R5
    status = "entered-in-error" if words(resource, "status") in WITHDRAWN else words(resource, "docStatus")
    return _Parts(
        status=status,
        signed_by=[*every(resource, "authenticator"), *_signers(resource)],
        period=[*every(context, "period"), *every(resource, "period")] if not context else every(context[0], "period"),
        related=[
            *(every(context[0], "related") if context else related),
            *every(resource, "basedOn"),
            *_extended(resource),
        ],
        forms=[_with_data(form, document) for form in every(resource, "content.attachment")],
    )


def _of_composition(resource: Resource) -> _Parts:
    details = every(resource, "event.detail")
    sections = [section for section in every(resource, "section") if _is_about_order(section)]
    return _Parts(
        status=words(resource, "status"),
        signed_by=_signers(resource),
        period=every(resource, "event.period"),
        related=[
            *(detail["reference"] if isinstance(detail.get("reference"), Mapping) else detail for detail in details),
            *_extended(resource),
            *(entry for section in sections for entry in every(section, "entry")),
        ],
        forms=[],
    )


def _is_about_order(section: Resource) -> bool:
    """Return whether the entries of a section are the document's order or study; a code goes before a title."""
    codings = every(section, "code.coding")
    if codings:
        return has_code(codings, _LOINC, _ORDER_SECTIONS)
    return words(section, "title").strip().casefold() in _ORDER_TITLES


def _signers(resource: Resource) -> list[Resource]:
    attesters = every(resource, "attester")
    return [
        party
        for attester in attesters
        if words(attester, "mode", "mode.coding.code") in _SIGNING
        for party in every(attester, "party")
    ]


def _extended(resource: Resource) -> list[Resource]:
    """Orders that an extension names, as R5's basedOn and the guide of HL7 Europe do in R4."""
    extensions = every(resource, "extension")
    return [
        reference
        for extension in extensions
        if "basedon" in words(extension, "url").casefold()
        for reference in every(extension, "valueReference")
    ]


def _with_data(form: Resource, document: Document) -> Resource:
    """An attachment with the data of the Binary that its URL names, if that came along."""
    binary = next(iter(document.known.get(words(form, "url"), ())), None)
    if words(form, "data") or words(binary, "resourceType") != "Binary" or binary is None:
        return form
    document.check(binary)
    kind = words(form, "contentType") or words(binary, "contentType")
    return {**form, "contentType": kind, "data": words(binary, "data")}


def _studies_and_orders(related: list[Resource], document: Document) -> tuple[list[Resource], list[Resource]]:
    """Studies that a document refers to, and what may be its order; patients and encounters are neither."""
    kinds = [(reference, _kind(reference, document)) for reference in related]
    studies = [reference for reference, kind in kinds if kind == "ImagingStudy"]
    return studies, [reference for reference, kind in kinds if kind in {"ServiceRequest", ""}]


def _kind(reference: Resource, document: Document) -> str:
    return kind_of(reference, next(iter(document.known.get(words(reference, "reference"), ())), None))


def _events(resource: Resource) -> list[Resource]:
    """Codes of what was done: of R4's context or event, and of R5's event and modality."""
    nodes = [*every(resource, "context.event"), *every(resource, "event.code"), *every(resource, "modality")]
    if words(resource, "resourceType") == "DocumentReference":
        nodes += every(resource, "event.concept")
    return [*nodes, *every(resource, "event.detail.concept")]


def _is_modality(concept: Resource) -> bool:
    return any(words(coding, "system") == DICOM for coding in every(concept, "coding"))


def _refuse_other_services(resource: Resource, events: list[Resource], options: FhirOptions) -> None:
    codings = [*every(resource, "type.coding"), *every(resource, "category.coding"), *every(resource, "class.coding")]
    is_imaging = (
        has_code(codings, _LOINC, _RADIOLOGY)
        or has_code(codings, SERVICES, IMAGING)
        or any(words(coding, "system") == DICOM for coding in codings)
        or any(map(_is_modality, events))
        or any(words(coding, "code") in options.document_types for coding in codings)
    )
    if not is_imaging:
        detail = (
            "type and category do not say that it is a report on imaging; use a LOINC document type of radiology such "
            "as 18748-4, or list the code in the setting document_types"
        )
        raise RefusedMessageError("not-imaging", detail, location=f"{words(resource, 'resourceType')}.type")
