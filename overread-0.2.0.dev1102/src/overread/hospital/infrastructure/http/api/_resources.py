"""Pairs, rates and the audit trail as FHIR."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from attrs import evolve
from fastapi import Depends, Query
from starlette.responses import Response

from overread.hospital.infrastructure.exchange.fhir.options import FhirRelease
from overread.hospital.infrastructure.exchange.fhir.out.audits import audit_event
from overread.hospital.infrastructure.exchange.fhir.out.measures import measure_report
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.out.pairs import pair_bundle
from overread.hospital.infrastructure.exchange.fhir.out.parts import make_bundle
from overread.hospital.infrastructure.http._access import Admin, Reviewer
from overread.hospital.infrastructure.http._openapi import document_route
from overread.hospital.infrastructure.http._problems import ProblemError
from overread.hospital.infrastructure.http._state import Hospital, ServedHere
from overread.hospital.infrastructure.http.api._pairs import Looker, PairNumber
from overread.hospital.infrastructure.http.api._queries import LARGEST, Groups, Searched
from overread.hospital.infrastructure.http.api._router import part_of_api

__all__ = ["resource_router"]

resource_router: Final = part_of_api("fhir")

_MEDIA_TYPE: Final = "application/fhir+json"


def _output(
    served: ServedHere,
    release: Annotated[FhirRelease, Query(description='Shapes: "4.3" for R4 and R4B, "5.0" for R5.')] = FhirRelease.R4B,
) -> FhirOutput:
    return evolve(served.fhir_output, release=release)


Output = Annotated[FhirOutput, Depends(_output)]


@resource_router.get("/fhir/pairs/{number}", **document_route("One pair as FHIR", media_type=_MEDIA_TYPE))
def pair(by: Looker, hospital: Hospital, output: Output, number: PairNumber) -> Response:
    """A Bundle: a DetectedIssue a discrepancy, an Observation a score, and which model and signature they are from."""
    return _resource(pair_bundle(hospital.pair(number, by=by), output, at=datetime.now(UTC)))


@resource_router.get("/fhir/rates", **document_route("Rates of concordance as FHIR", media_type=_MEDIA_TYPE))
def rates(
    by: Reviewer,
    hospital: Hospital,
    output: Output,
    search: Searched,
    group: Groups = None,
) -> Response:
    """A MeasureReport of the pairs that a search finds; it has a period, so the search must."""
    if search.since is None or search.until is None:
        raise ProblemError(422, "invalid-request", "the query must have a period: since and until")
    result = hospital.rates(search, by=by, groupings=group or ())
    return _resource(measure_report(result, search.since, search.until, output, at=datetime.now(UTC)))


@resource_router.get("/fhir/audit", **document_route("The audit trail as FHIR", media_type=_MEDIA_TYPE))
def audit(
    by: Admin,
    hospital: Hospital,
    output: Output,
    after: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
) -> Response:
    """A Bundle of AuditEvents in order, from the one after a number; its link "next" leads on."""
    events = hospital.audit_trail(by=by, after=after, limit=limit)
    bundle = make_bundle(
        [audit_event(event, output) for event in events], f"audit/{after}/{limit}", output, datetime.now(UTC)
    )
    if len(events) == limit:
        following = f"?after={events[-1].number}&limit={limit}&release={output.release.value}"
        bundle["link"] = [{"relation": "next", "url": following}]
    return _resource(bundle)


def _resource(resource: dict[str, Any]) -> Response:
    text = json.dumps(resource, ensure_ascii=False, allow_nan=False)
    return Response(text.encode(), media_type=_MEDIA_TYPE)
