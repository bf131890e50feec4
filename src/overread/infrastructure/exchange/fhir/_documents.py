"""A document taken apart: the diagnostic reports in it, and what their references mean."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from attrs import field, frozen

from overread.domain.equality import in_tuple
from overread.infrastructure.exchange.fhir._elements import Resource, every, moment, words
from overread.infrastructure.exchange.fhir._releases import check
from overread.infrastructure.exchange.fhir.options import FhirOptions, FhirRelease
from overread.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["Document", "Reported", "open_document", "parse"]

_BUNDLES: Final = frozenset({"transaction", "batch", "collection", "history", "searchset", "message", "document"})
_WRITING: Final = frozenset({"", "POST", "PUT", "GET"})


@frozen
class Document:
    """Resources that came together.

    Attributes:
        reports: diagnostic reports, the oldest first where the document tells.
        known: resources by each URL that means them.
        release: as `FhirOptions.release`.
    """

    reports: tuple[Resource, ...] = field(converter=in_tuple, repr=False)
    known: Mapping[str, Sequence[Resource]] = field(repr=False)
    release: FhirRelease | None

    def meant(self, reference: str) -> list[Resource]:
        """The resources that a reference may mean: versions of one, unless it names a version."""
        plain, _, version = reference.partition("/_history/")
        return [each for each in self.known.get(plain, ()) if version in {"", words(each, "meta.versionId")}]


@frozen
class Reported:
    """One diagnostic report with what came with it."""

    report: Resource = field(repr=False)
    document: Document = field(repr=False)

    def referred(self, node: object, path: str) -> list[tuple[Resource, Resource | None]]:
        """The references at a path, each with the resource that it means; None where that did not come along.

        Raises:
            RefusedMessageError: if a resource is none.
        """
        return [(each, self._resolved(words(each, "reference"))) for each in every(node, path)]

    def resources(self, node: object, path: str) -> list[Resource]:
        """Of the references at a path, the resources that came along."""
        return [found for _, found in self.referred(node, path) if found is not None]

    def provenances(self) -> list[Resource]:
        """What came along to tell where the report is from."""
        others = self.document.known.get("Provenance", ())
        return self._contained("Provenance") + [each for each in others if self._is_about(each)]

    def _is_about(self, provenance: Resource) -> bool:
        targets = every(provenance, "target.reference")
        return any(each is self.report for target in targets for each in self.document.meant(str(target)))

    def _contained(self, kind: str) -> list[Resource]:
        return [each for each in every(self.report, "contained") if words(each, "resourceType") == kind]

    def _resolved(self, reference: str) -> Resource | None:
        if reference.startswith("#"):
            candidates = [each for each in every(self.report, "contained") if words(each, "id") == reference[1:]]
        else:
            candidates = self.document.meant(reference)
        found = candidates[0] if candidates else None
        if found is not None and found is not self.report:
            check(found, self.document.release)
        return found


def parse(document: bytes, options: FhirOptions) -> Resource:
    """JSON as FHIR has it.

    Raises:
        RefusedMessageError: if it is too large, not UTF-8, XML, no JSON, or has a name twice in one object.
    """
    if len(document) > options.max_bytes:
        raise RefusedMessageError("too-large", f"the document has more than {options.max_bytes} bytes")
    if document.lstrip().startswith(b"<"):
        raise RefusedMessageError("xml", "XML is not taken; send application/fhir+json")
    try:
        found = json.loads(document.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RefusedMessageError("unreadable", "this is no JSON in UTF-8 with each name once") from None
    if not isinstance(found, Mapping):
        raise RefusedMessageError("unreadable", "this is no JSON object")
    return found


def open_document(root: Resource, options: FhirOptions) -> Document:
    """The reports of a resource or bundle.

    Raises:
        RefusedMessageError: if it is neither a diagnostic report nor a bundle with one, or asks for what is not done.
    """
    kind = words(root, "resourceType")
    if kind == "DiagnosticReport":
        return Document([root], _index([("", root)]), options.release)
    if kind != "Bundle":
        raise RefusedMessageError("not-a-report", "a DiagnosticReport is wanted, or a Bundle with one")
    bundle = words(root, "type")
    if bundle not in _BUNDLES:
        known = ", ".join(sorted(_BUNDLES))
        raise RefusedMessageError("unknown-bundle", f"a bundle is one of {known}", location="Bundle.type")
    entries = [found for each in every(root, "entry") if (found := _entry(each, bundle)) is not None]
    reports = [each for _, each in entries if words(each, "resourceType") == "DiagnosticReport"]
    if not reports:
        raise RefusedMessageError("not-a-report", "there is no DiagnosticReport", location="Bundle.entry")
    if len(reports) > options.max_reports:
        detail = f"a bundle has at most {options.max_reports} reports"
        raise RefusedMessageError("too-many", detail, location="Bundle.entry")
    return Document(_oldest_first(reports, bundle), _index(entries), options.release)


def _entry(entry: Resource, bundle: str) -> tuple[str, Resource] | None:
    """URL and resource; None where a history tells of a deletion, which is no version of a report."""
    if bundle != "history" and words(entry, "request.method") not in _WRITING:
        detail = "an entry adds or updates; to withdraw a report send it with the status entered-in-error"
        raise RefusedMessageError("unknown-request", detail, location="Bundle.entry.request.method")
    found = [each for each in every(entry, "resource") if isinstance(each, Mapping)]
    return (words(entry, "fullUrl"), found[0]) if found else None


def _index(entries: Sequence[tuple[str, Resource]]) -> dict[str, list[Resource]]:
    """By full URL, by type and id, and provenances by their type."""
    known: dict[str, list[Resource]] = {}
    for url, resource in entries:
        kind, name = words(resource, "resourceType"), words(resource, "id")
        keys = {url, f"{kind}/{name}" if name else "", kind if kind == "Provenance" else ""}
        for key in keys - {""}:
            known.setdefault(key, []).append(resource)
    return known


def _oldest_first(reports: Sequence[Resource], bundle: str) -> list[Resource]:
    """By the time of the last update where every report has one; a history without comes with the newest first."""
    ordered = list(reversed(reports)) if bundle == "history" else list(reports)
    updated = [_updated(each) for each in ordered]
    dated = [(when, place) for place, when in enumerate(updated) if when is not None]
    return [ordered[place] for _, place in sorted(dated)] if len(dated) == len(ordered) else ordered


def _updated(report: Resource) -> datetime | None:
    with suppress(RefusedMessageError):
        return moment(report, "meta.lastUpdated")
    return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)
