"""Versions of reports come in, as JSON or as FHIR; what was refused is told."""

from __future__ import annotations

from typing import Annotated, Final

from attrs import evolve
from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from overread.domain.reports.report import ClinicalContext
from overread.exceptions import InputError
from overread.hospital.application.requests import MergeReceipt
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.http._access import Reviewer, Submitter
from overread.hospital.infrastructure.http._openapi import document_route
from overread.hospital.infrastructure.http._records import answer, body_of
from overread.hospital.infrastructure.http._state import Hospital, ServedHere
from overread.hospital.infrastructure.http.api._fhir_in import Site, fhir_options, take_fhir
from overread.hospital.infrastructure.http.api._messages import FhirReceipts, Receipts, Refusals, Reports
from overread.hospital.infrastructure.http.api._queries import Limit
from overread.hospital.infrastructure.http.api._router import part_of_api

__all__ = ["report_router"]

report_router: Final = part_of_api("reports")

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
    **document_route("Send versions of reports", Receipts, status=201, body=Reports, example=_EXAMPLE),
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
    **document_route("Send FHIR reports", FhirReceipts, status=201, also=200),
)
async def ingest_fhir(request: Request, by: Submitter, served: ServedHere, site: Site = None) -> Response:
    """Takes reports in FHIR (R4, R4B, R5), one or a Bundle of them, in JSON or XML, as ``POST /reports`` does.

    Merges of patients and notifications of subscriptions are taken, too; what brings neither reports nor merges, such
    as a heartbeat, is answered with 200. What cannot be taken is refused as a whole, with its reason, and kept among
    the refusals.
    """
    options = fhir_options(request, served, site)
    receipts = await run_in_threadpool(take_fhir, served, await request.body(), options, by)
    return answer(receipts, status=201 if receipts.receipts or receipts.merges else 200)


@report_router.post(
    "/merges",
    **document_route(
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


@report_router.get("/refusals", **document_route("Messages that were refused", Refusals))
def refusals(by: Reviewer, hospital: Hospital, limit: Limit = 100) -> Response:
    """Messages that were not taken, by whatever way they came, the newest first; without their text."""
    return answer(Refusals(refusals=tuple(hospital.refusals(by=by, limit=limit))))
