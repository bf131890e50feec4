"""Documents of FHIR on their way in: what every route that takes them does."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from attrs import evolve
from fastapi import Query, Request

from overread.exceptions import InputError
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.fhir.reading import SOURCE, FhirContent, read_fhir_content
from overread.hospital.infrastructure.exchange.fhir.servers import PollError
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.hospital.infrastructure.http._problems import ProblemError
from overread.hospital.infrastructure.http._records import content_type
from overread.hospital.infrastructure.http._state import Served
from overread.hospital.infrastructure.http.api._messages import FhirReceipts

__all__ = ["FHIR_TYPES", "Site", "fhir_options", "keep_refusal", "take_fhir"]

FHIR_TYPES: Final = ("application/fhir+json", "application/json", "application/fhir+xml")
_SITE: Final = "Where the accession numbers come from; may be left out if the service has a site configured."
_AGAIN_S: Final = 30

Site = Annotated[str | None, Query(min_length=1, max_length=200, pattern=r"^[^\x00]*$", description=_SITE)]


def fhir_options(request: Request, served: Served, site: str | None) -> FhirOptions:
    """The options by which the document of a request is read.

    Raises:
        ProblemError: if it is sent as something else, or no site is known.
    """
    if content_type(request) not in FHIR_TYPES:
        detail = "FHIR must be sent as application/fhir+json or application/fhir+xml"
        raise ProblemError(415, "unsupported-media-type", detail, remedy="set Content-Type to one of these")
    if site is None and served.fhir is None:
        raise ProblemError(422, "invalid-request", "the query must name the site: ?site=NAME")
    if site is None or served.fhir is None:
        return served.fhir or FhirOptions(site=site or "")
    return evolve(served.fhir, site=site)


def take_fhir(
    served: Served, document: bytes | Mapping[str, Any], options: FhirOptions, by: Actor, *, alone: str | None = None
) -> FhirReceipts:
    """Keep what a document tells, reports before merges; all of it or none. To be called from a thread.

    Args:
        served: the service.
        document: as `read_fhir_content` takes it.
        options: of its source.
        by: on whose behalf.
        alone: type of the resource that it must be, None for any.

    Raises:
        RefusedMessageError: if it cannot be taken; that is kept.
        InputError: if the service does not take it; that is kept, too.
        ProblemError: 503 if a server does not answer that is to be asked for what is missing.
    """
    try:
        content = read_fhir_content(document, options, alone=alone)
        contents = [content, *_fetched(served, content)]
    except RefusedMessageError as error:
        keep_refusal(served, error)
        raise
    versions = [version for each in contents for version in each.versions]
    merges = list(dict.fromkeys(merge for each in contents for merge in each.merges))
    try:
        receipts = served.hospital.ingest(versions, by=by) if versions else []
        merged = served.hospital.record_merges(merges, by=by) if merges else []
    except InputError as error:
        keep_refusal(served, RefusedMessageError("not-accepted", str(error)))
        raise
    kind = content.notification.kind.value if content.notification is not None else None
    return FhirReceipts(receipts=receipts, merges=merged, notification=kind)


def keep_refusal(served: Served, error: RefusedMessageError) -> None:
    """Keep that a document was not taken."""
    served.hospital.refuse(error.refusal(at=datetime.now(UTC), source=SOURCE))


def _fetched(served: Served, content: FhirContent) -> list[FhirContent]:
    """Contents that a notification names and does not bring; it is counted, whatever becomes of it."""
    notification = content.notification
    if notification is None:
        return []
    served.instruments.notified(notification.kind.value)
    if notification.is_sign_of_life or (notification.has_events and not notification.absent):
        return []
    if served.fhir_fetcher is None:
        detail = (
            "the notification does not bring its resources; set the payload content of the subscription to "
            "full-resource, or name the server in [serve.fhir_server]"
        )
        raise RefusedMessageError("no-resources", detail, location="Bundle.entry")
    try:
        return served.fhir_fetcher.fetch(notification.absent)
    except PollError as error:
        wait_s = int(error.wait.total_seconds()) if error.wait is not None else _AGAIN_S
        headers = {"Retry-After": str(max(1, wait_s))}
        detail = "the FHIR server did not give what the notification names; nothing of this request was stored"
        raise ProblemError(503, "source-unavailable", detail, remedy="send it again", headers=headers) from None
