"""Settings for reading FHIR."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from attrs import Attribute, field, frozen, validators

from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.exchange.bare import are_bare, is_bare

__all__ = ["FhirOptions", "FhirRelease"]

_LARGEST: Final = 16 * 2**20
_REPLACEMENTS: Final = (ReportStatus.CORRECTED, ReportStatus.FINAL)


class FhirRelease(StrEnum):
    """A release of FHIR, by the number that its servers state. R4 is read as R4B: what is used is alike in both."""

    R4B = "4.3"
    R5 = "5.0"


def _is_site(instance: object, about: Attribute[Any], value: str) -> None:
    if not value:
        raise ValueError(f"{about.name} must be given")
    is_bare(instance, about, value)


@frozen(kw_only=True)
class FhirOptions:
    """Settings for reading the diagnostic reports of one source.

    Attributes:
        site: where its accession numbers come from.
        sites: the same for individual identifier systems, if a source covers several sites.
        accession_systems: identifier systems whose values are accession numbers although no type says so.
        document_types: codes of documents that are reports on imaging, besides LOINC's: of the type or the category of
            a DocumentReference, or of the Composition of a document without a DiagnosticReport.
        replacement: status of a final document that replaces another of unknown status: corrected, or final where
            preliminary documents are replaced so.
        release: of what is read; if None, each resource is tried as R4B first and then as R5.
        max_bytes: of a document.
        max_reports: of a bundle, 1 or more; it may have 20 entries for each.
    """

    site: str = field(validator=_is_site)
    sites: Mapping[str, str] = field(factory=dict, validator=are_bare)
    accession_systems: frozenset[str] = field(default=frozenset(), validator=are_bare)
    document_types: frozenset[str] = field(default=frozenset(), validator=are_bare)
    replacement: ReportStatus = field(default=ReportStatus.CORRECTED, validator=validators.in_(_REPLACEMENTS))
    release: FhirRelease | None = None
    max_bytes: int = field(default=_LARGEST, validator=validators.ge(1))
    max_reports: int = field(default=1000, validator=validators.ge(1))
