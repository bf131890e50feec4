"""Merges of patients, as the links between Patients tell them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import frozen

from overread.hospital.domain.examination import is_placeholder
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.infrastructure.exchange.fhir._documents import Document
from overread.hospital.infrastructure.exchange.fhir._elements import (
    IDENTIFIER_TYPES,
    Resource,
    every,
    has_code,
    identifiers,
    words,
)
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["merges_of"]

_REPLACED: Final = "replaced-by"
_REPLACES: Final = "replaces"
_NUMBER: Final = frozenset({"MR"})
_LINK: Final = "Patient.link"


@frozen(repr=False)
class _Name:
    """Name of a patient, as reports are stored under it."""

    value: str
    system: str
    kind: str


def merges_of(document: Document, options: FhirOptions) -> list[PatientMerge]:
    """The merges that a document's Patients tell, each once, at every site where the identifiers are used.

    Raises:
        RefusedMessageError: if a resource is none, or it is not clear which identifier gives way to which.
    """
    merges = (merge for patient in document.patients for merge in _merges(patient, document, options))
    return list(dict.fromkeys(merges))


def _merges(patient: Resource, document: Document, options: FhirOptions) -> Iterator[PatientMerge]:
    document.check(patient)
    for name in ("implicitRules", "modifierExtension"):
        if every(patient, name):
            detail = "the patient has modifier extensions or implicit rules, which are not supported; send it without"
            raise RefusedMessageError("unknown-modifier", detail, location=f"Patient.{name}")
    for link in every(patient, "link"):
        kind = words(link, "type")
        if kind in (_REPLACED, _REPLACES):
            own, other = _names(patient, link, document)
            surviving, merged = (other, own) if kind == _REPLACED else (own, other)
            for site in _sites(surviving, options):
                yield PatientMerge(site=site, surviving=surviving.value, merged=merged.value)


def _names(patient: Resource, link: Resource, document: Document) -> tuple[_Name, _Name]:
    """Names of both patients, of one kind."""
    reference: Resource = next(iter(every(link, "other")), {})
    found = next(iter(document.known.get(words(reference, "reference"), ())), None)
    if found is not None:
        document.check(found)
    own, other = _name(patient, {}), _name(found or {}, reference)
    if not own.value or not other.value:
        raise _unclear("an identifier of the patient or of the other one is missing")
    if own.kind != other.kind or (own.system and other.system and own.system != other.system):
        raise _unclear("the identifiers of both patients are of different kinds; send both Patients in a bundle")
    if own.value == other.value:
        raise _unclear("both patients have the same identifier")
    if is_placeholder(own.value) or is_placeholder(other.value):
        raise _unclear("an identifier is a placeholder, such as UNKNOWN, that many patients share")
    return own, other


def _name(patient: Resource, reference: Resource) -> _Name:
    """The name that reports would be stored under: the record number, another identifier, or the server's own id.

    An identifier that is no longer used counts where there is no other: that is what a merge leaves behind.
    """
    known = [*identifiers(patient), *identifiers(reference)]
    known = known or [each for each in every(patient, "identifier") if words(each, "value")]
    numbers = [each for each in known if has_code(every(each, "type.coding"), IDENTIFIER_TYPES, _NUMBER)]
    for kind, candidates in (("MR", numbers), ("other", known)):
        if candidates:
            return _Name(words(candidates[0], "value"), words(candidates[0], "system"), kind)
    url = words(reference, "reference").partition("/_history/")[0]
    local = "" if url.startswith(("#", "urn:")) else url.rpartition("/")[2]
    return _Name(words(patient, "id") or local, "", "id")


def _sites(name: _Name, options: FhirOptions) -> list[str]:
    """The site of an identifier's system; those of the whole source where none is known for it."""
    if name.system in options.sites:
        return [options.sites[name.system]]
    return list(dict.fromkeys([options.site, *options.sites.values()]))


def _unclear(detail: str) -> RefusedMessageError:
    return RefusedMessageError("unclear-merge", detail, location=_LINK)
