"""A document taken apart: the reports in it, and what their references mean."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.infrastructure.exchange.fhir._elements import Resource, every, moment, words
from overread.hospital.infrastructure.exchange.fhir._releases import check
from overread.hospital.infrastructure.exchange.fhir._xml import parse_xml
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions, FhirRelease
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.hospital.infrastructure.exchange.sizes import elements_of

__all__ = ["Document", "Reported", "open_document", "parse"]

_HISTORIES: Final = frozenset({"history", "subscription-notification"})
_BUNDLES: Final = _HISTORIES | {"transaction", "batch", "collection", "searchset", "message", "document"}
_REPORT: Final = "DiagnosticReport"
_REFERENCE: Final = "DocumentReference"
_PATIENT: Final = "Patient"
_ALONE: Final = frozenset({_REPORT, _REFERENCE, _PATIENT})
_MERGING: Final = frozenset({"replaced-by", "replaces"})
_ENTRIES_A_REPORT: Final = 20
_MOST_ELEMENTS: Final = 500_000
_MOST_TAGS: Final = 60_000
"""A megabyte of empty elements takes hundreds to hold, and a quarter of a minute to look at."""

_PROVENANCE: Final = "Provenance"
_WRITING: Final = frozenset({"", "POST", "PUT", "GET"})


@frozen
class Document:
    """Resources that came together.

    Attributes:
        reports: DiagnosticReports, or without any the Composition of a document or DocumentReferences, the oldest first
            where the document tells.
        patients: that say they replace others or are replaced.
        known: resources by each URL that means them.
        origins: provenances by the identity of the resource that they are about.
        composition: of a bundle of type document with one report: what holds its text; None elsewhere.
        release: as `FhirOptions.release`.
        sound: identities of resources that were found to be what they say: one that many refer to is checked once.
    """

    reports: tuple[Resource, ...] = field(converter=in_tuple, repr=False)
    patients: tuple[Resource, ...] = field(converter=in_tuple, repr=False)
    known: Mapping[str, Sequence[Resource]] = field(repr=False)
    origins: Mapping[int, Sequence[Resource]] = field(repr=False)
    composition: Resource | None = field(repr=False)
    release: FhirRelease | None
    sound: set[int] = field(factory=set, init=False, repr=False, eq=False)

    def check(self, resource: Resource) -> None:
        """Holds a resource against its release. Raises `RefusedMessageError` if it is none."""
        if id(resource) not in self.sound:
            check(resource, self.release)
            self.sound.add(id(resource))


@frozen
class Reported:
    """One report with what came with it.

    Attributes:
        report: in the shape of a DiagnosticReport.
        document: with which it came.
        source: the resource that came.
        contained: resources within it, by id.
    """

    report: Resource = field(repr=False)
    document: Document = field(repr=False)
    source: Resource = field(repr=False)
    contained: Mapping[str, Resource] = field(init=False, repr=False)

    @contained.default
    def _contained_resources(self) -> dict[str, Resource]:
        return {words(resource, "id"): resource for resource in every(self.report, "contained")}

    def referred(self, node: object, path: str) -> list[tuple[Resource, Resource | None]]:
        """The references at a path, each with the resource that it means; None where that did not come along.

        Raises:
            RefusedMessageError: if a resource is none.
        """
        return [(reference, self._resolve(words(reference, "reference"))) for reference in every(node, path)]

    def resources(self, node: object, path: str) -> list[Resource]:
        """Resources that are referred to at a path and came along."""
        return [resource for _, resource in self.referred(node, path) if resource is not None]

    def provenances(self) -> list[Resource]:
        """Provenances of the report that came along."""
        contained = [resource for resource in self.contained.values() if words(resource, "resourceType") == _PROVENANCE]
        return contained + list(self.document.origins.get(id(self.source), ()))

    def composition(self) -> Resource | None:
        """The composition that holds the report's text: the one it refers to (R5), else that of its document."""
        referred = self.resources(self.report, "composition")
        composition = referred[0] if referred else self.document.composition
        if composition is not None:
            self.document.check(composition)
        return composition

    def _resolve(self, reference: str) -> Resource | None:
        if reference.startswith("#"):
            resource = self.contained.get(reference[1:])
        else:
            resource = next(iter(self.document.known.get(reference, ())), None)
        if resource is not None:
            self.document.check(resource)
        return resource


def parse(document: bytes, options: FhirOptions) -> Resource:
    """JSON as FHIR has it, of JSON or XML.

    Raises:
        RefusedMessageError: if it is too large, not UTF-8, neither of both, or has a name twice in one object.
    """
    if len(document) > options.max_bytes:
        raise RefusedMessageError("too-large", f"the document has more than {options.max_bytes} bytes")
    if document.lstrip().startswith(b"<"):
        _check_elements(document.count(b"<"), _MOST_TAGS)
        return parse_xml(document, options.release)
    _check_elements(elements_of(document), _MOST_ELEMENTS)
    try:
        resource = json.loads(document.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RefusedMessageError("unreadable", "the document must be JSON in UTF-8 without repeated names") from None
    if not isinstance(resource, Mapping):
        raise RefusedMessageError("unreadable", "the document must be a JSON object")
    return resource


def _check_elements(found: int, most: int) -> None:
    if found > most:
        detail = f"the document has more than {most:,} elements; send its reports in several documents"
        raise RefusedMessageError("too-large", detail)


def open_document(root: Resource, options: FhirOptions) -> Document:
    """The reports of a resource or bundle, and the patients that were merged.

    Raises:
        RefusedMessageError: if it is neither a report, a patient nor a bundle, or asks for what is not done.
    """
    kind = words(root, "resourceType")
    if kind in _ALONE:
        return _document([root] if kind != _PATIENT else [], [("", root)], None, options)
    if kind != "Bundle":
        raise RefusedMessageError("not-a-report", f"send a {_REPORT}, or a Bundle that contains one")
    bundle = words(root, "type")
    if bundle not in _BUNDLES:
        known = ", ".join(sorted(_BUNDLES))
        raise RefusedMessageError("unknown-bundle", f"a bundle must be one of {known}", location="Bundle.type")
    entries = [entry for node in every(root, "entry") if (entry := _entry(node, bundle)) is not None]
    composition = _composition(entries, bundle)
    reports = (
        _of_kind(entries, _REPORT)
        or ([composition] if composition is not None else [])
        or _of_kind(entries, _REFERENCE)
    )
    if len(reports) > options.max_reports or len(entries) > options.max_reports * _ENTRIES_A_REPORT:
        detail = (
            f"a bundle may have at most {options.max_reports} reports, and {_ENTRIES_A_REPORT} entries for "
            "each of these"
        )
        raise RefusedMessageError("too-many", detail, location="Bundle.entry")
    is_composed = len(reports) == 1
    return _document(_oldest_first(reports, bundle), entries, composition if is_composed else None, options)


def _of_kind(entries: Sequence[tuple[str, Resource]], kind: str) -> list[Resource]:
    return [resource for _, resource in entries if words(resource, "resourceType") == kind]


def _composition(entries: Sequence[tuple[str, Resource]], bundle: str) -> Resource | None:
    """The composition that a document begins with."""
    first = entries[0][1] if entries and bundle == "document" else None
    return first if words(first, "resourceType") == "Composition" else None


def _document(
    reports: Sequence[Resource],
    entries: Sequence[tuple[str, Resource]],
    composition: Resource | None,
    options: FhirOptions,
) -> Document:
    known = _index(entries)
    origins: dict[int, list[Resource]] = {}
    for _, provenance in entries:
        if words(provenance, "resourceType") == _PROVENANCE:
            for target in dict.fromkeys(map(str, every(provenance, "target.reference"))):
                for resource in known.get(target, ()):
                    origins.setdefault(id(resource), []).append(provenance)
    patients = [patient for patient in _of_kind(entries, _PATIENT) if _tells_merge(patient)]
    return Document(reports, patients, known, origins, composition, options.release)


def _tells_merge(patient: Resource) -> bool:
    return any(words(link, "type") in _MERGING for link in every(patient, "link"))


def _entry(entry: Resource, bundle: str) -> tuple[str, Resource] | None:
    """URL and resource; None where a history tells of a deletion, which is no version of a report."""
    if bundle not in _HISTORIES and words(entry, "request.method") not in _WRITING:
        detail = "an entry must add or update; to withdraw a report send it with the status entered-in-error"
        raise RefusedMessageError("unknown-request", detail, location="Bundle.entry.request.method")
    resources = [resource for resource in every(entry, "resource") if isinstance(resource, Mapping)]
    return (words(entry, "fullUrl"), resources[0]) if resources else None


def _index(entries: Sequence[tuple[str, Resource]]) -> dict[str, list[Resource]]:
    """Index resources by full URL, and by type and id; each also with its version."""
    known: dict[str, list[Resource]] = {}
    for url, resource in entries:
        kind, name = words(resource, "resourceType"), words(resource, "id")
        plain = {url, f"{kind}/{name}" if name else ""} - {""}
        for key in plain | {f"{reference}/_history/{words(resource, 'meta.versionId')}" for reference in plain}:
            known.setdefault(key, []).append(resource)
    return known


def _oldest_first(reports: Sequence[Resource], bundle: str) -> list[Resource]:
    """Sort by time of last update if every report has one; else a history, which comes newest first, is reversed."""
    ordered = list(reversed(reports)) if bundle in _HISTORIES else list(reports)
    updated = [_update_time(report) for report in ordered]
    dated = [(when, place) for place, when in enumerate(updated) if when is not None]
    return [ordered[place] for _, place in sorted(dated)] if len(dated) == len(ordered) else ordered


def _update_time(report: Resource) -> datetime | None:
    with suppress(RefusedMessageError):
        return moment(report, "meta.lastUpdated")
    return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _no_constant(name: str) -> Any:
    raise ValueError(name)
