"""Versions of reports come in, as JSON or as FHIR; what was refused is told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

from attrs import evolve
from fastapi import Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from overread.domain.reports.report import ClinicalContext
from overread.exceptions import InputError
from overread.hospital.application.requests import MergeReceipt, Receipt
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.fhir.reading import SOURCE, read_fhir
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.hospital.infrastructure.http._access import Reviewer, Submitter
from overread.hospital.infrastructure.http._openapi import documented
from overread.hospital.infrastructure.http._problems import ProblemError
from overread.hospital.infrastructure.http._records import answer, body_of, content_type
from overread.hospital.infrastructure.http._state import Hospital, Served, ServedHere
from overread.hospital.infrastructure.http.api._messages import Receipts, Refusals, Reports
from overread.hospital.infrastructure.http.api._queries import Limit
from overread.hospital.infrastructure.http.api._router import part_of_api

__all__ = ["report_router"]

report_router: Final = part_of_api("reports")

_FHIR: Final = ("application/fhir+json", "application/json", "application/fhir+xml")
_SITE: Final = "Where the accession numbers come from; may be left out if the service has a site configured."
_EXAMPLE: Final = Reports(
    versions=(
        ReportVersion(
            examinations=(
                Examination(
                    site="north",
                    accession="A-2041",
                    patient="P-7",
                    modality="CT",
                    body_part="HEAD",
                    context=ClinicalContext(age=64, sex="F"),
                ),
            ),
            status=ReportStatus.PRELIMINARY,
            text="No acute intracranial haemorrhage. No fracture.",
            reader="resident-7",
            message="ris-88213",
        ),
    )
)


@report_router.post(
    "/reports",
    **documented("Send versions of reports", Receipts, status=201, body=Reports, example=_EXAMPLE),
)
def ingest(by: Submitter, hospital: Hospital, asked: Annotated[Reports, Depends(body_of(Reports))]) -> Response:
    """Keeps each version and queues the pairs that follow; all of them or none. What was answered is not lost.

    A version that is there already, by its ``message`` or its text and status, is told as resent.
    """
    blank = [
        row
        for row, report in enumerate(asked.versions, 1)
        if report.text.is_blank and report.status is not ReportStatus.CANCELLED
    ]
    if blank:
        problem = f"report {blank[0]} has no text; only a cancelled report has none"
        raise InputError("reports", problem, rows=blank)
    versions = [evolve(version, source="http") for version in asked.versions]
    return answer(Receipts(receipts=tuple(hospital.ingest(versions, by=by))), status=201)


@report_router.post(
    "/fhir",
    **documented("Send FHIR reports", Receipts, status=201),
)
async def ingest_fhir(
    request: Request,
    by: Submitter,
    served: ServedHere,
    site: Annotated[str | None, Query(min_length=1, max_length=200, pattern=r"^[^\x00]*$", description=_SITE)] = None,
) -> Response:
    """Takes a DiagnosticReport or a Bundle of them (R4, R4B, R5) in JSON or XML, as ``POST /reports`` does.

    What cannot be taken is refused as a whole, with its reason, and kept among the refusals.
    """
    if content_type(request) not in _FHIR:
        detail = "FHIR must be sent as application/fhir+json or application/fhir+xml"
        raise ProblemError(415, "unsupported-media-type", detail, remedy="set Content-Type to one of these")
    options = served.fhir if site is None else _options(served.fhir, site)
    if options is None:
        raise ProblemError(422, "invalid-request", "the query must name the site: ?site=NAME")
    receipts = await run_in_threadpool(_ingest_document, served, await request.body(), options, by)
    return answer(Receipts(receipts=tuple(receipts)), status=201)


@report_router.post(
    "/merges",
    **documented(
        "Merge two identifiers of a patient",
        MergeReceipt,
        body=PatientMerge,
        example=PatientMerge(site="north", surviving="P-5501", merged="P-1177"),
    ),
)
def merge(
    by: Submitter, hospital: Hospital, asked: Annotated[PatientMerge, Depends(body_of(PatientMerge))]
) -> Response:
    """Keeps under one identifier what was and will be kept under the other. It cannot be undone.

    The same again changes nothing, and neither does the reverse of a merge: ``kind`` and ``note`` say so.
    """
    [receipt] = hospital.record_merges([asked], by=by)
    return answer(receipt)


@report_router.get("/refusals", **documented("Messages that were refused", Refusals))
def refusals(by: Reviewer, hospital: Hospital, limit: Limit = 100) -> Response:
    """Messages that were not taken, by whatever way they came, the newest first; without their text."""
    return answer(Refusals(refusals=tuple(hospital.refusals(by=by, limit=limit))))


def _options(configured: FhirOptions | None, site: str) -> FhirOptions:
    return FhirOptions(site=site) if configured is None else evolve(configured, site=site)


def _ingest_document(served: Served, document: bytes, options: FhirOptions, by: Actor) -> list[Receipt]:
    try:
        versions = read_fhir(document, options)
    except RefusedMessageError as error:
        served.hospital.refuse(error.refusal(at=datetime.now(UTC), source=SOURCE))
        raise
    try:
        return served.hospital.ingest(versions, by=by)
    except InputError as error:
        refused = RefusedMessageError("not-accepted", str(error))
        served.hospital.refuse(refused.refusal(at=datetime.now(UTC), source=SOURCE))
        raise
