"""Single resources of FHIR come in, as subscriptions with rest-hooks send them, and are answered as FHIR has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final

from fastapi import Depends, HTTPException, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import Response

from overread.exceptions import OverreadError
from overread.hospital.application.requests import MergeReceipt, Receipt, ReceiptKind
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.infrastructure.exchange.fhir.capability import capability_statement
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.fhir.reading import identity_of, parse_fhir
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.hospital.infrastructure.http._access import Anyone, LoginNeededError, Submitter, key_needed
from overread.hospital.infrastructure.http._openapi import Documented, document_route
from overread.hospital.infrastructure.http._problems import MEDIA_TYPE, ProblemError, problem_of
from overread.hospital.infrastructure.http._state import Served, ServedHere
from overread.hospital.infrastructure.http.api._fhir_in import Site, fhir_options, keep_refusal, take_fhir
from overread.hospital.infrastructure.http.api._messages import FhirReceipts
from overread.hospital.infrastructure.http.api._router import API, part_of_api

__all__ = ["fhir_router"]

_FHIR: Final = "application/fhir+json"
_CODES: Final = "urn:overread:problem"
_MALFORMED: Final = frozenset({"unreadable", "not-fhir", "wrong-id", "not-a-report"})
"""Codes of what is no resource, or not the one that the address is for, which FHIR answers with 400."""

_ISSUES: Final = {
    "unreadable": "structure",
    "not-fhir": "structure",
    "no-accession": "required",
    "no-text": "required",
    "unknown-status": "code-invalid",
    "too-large": "too-long",
    "too-many": "too-costly",
    "unknown-bundle": "not-supported",
    "unknown-request": "not-supported",
    "unknown-modifier": "extension",
    "not-accepted": "business-rule",
    "invalid-input": "business-rule",
}
"""Types of issues by code of refusal; all others are of the type processing."""

_ISSUES_OF_STATUS: Final = {
    401: "login",
    403: "forbidden",
    404: "not-found",
    413: "too-long",
    415: "not-supported",
    429: "throttled",
    503: "transient",
}


class ResourceKind(StrEnum):
    """Resources that are taken by themselves."""

    REPORT = "DiagnosticReport"
    REFERENCE = "DocumentReference"
    BUNDLE = "Bundle"
    PATIENT = "Patient"


class _OutcomeRoute(APIRoute):
    """A route whose problems are OperationOutcomes."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def answering(request: Request) -> Response:
            try:
                return await handler(request)
            except LoginNeededError:
                return _problem_outcome(key_needed())
            except RequestValidationError as error:
                return _problem_outcome(_unknown_address(error))
            except (OverreadError, HTTPException, StarletteHTTPException) as error:
                return _problem_outcome(problem_of(error), is_malformed=_is_malformed(error))

        return answering


fhir_router: Final = part_of_api("fhir", route=_OutcomeRoute)

_Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9.-]{1,64}$", description="The id of the resource at its source.")]


def _format(
    asked: Annotated[str | None, Query(alias="_format", max_length=64, description="Answers are JSON always.")] = None,
) -> None:
    """Accepts what clients add to every request."""


_ANY_FORMAT: Final = [Depends(_format)]


def _documented(summary: str, **more: Any) -> Documented:
    document = document_route(summary, media_type=_FHIR, problem_types=(_FHIR, MEDIA_TYPE), **more)
    if more.get("status") != _GONE:
        body = {"required": True, "content": {_FHIR: {"schema": {"type": "object"}}}}
        document["openapi_extra"] = {"requestBody": body}
    return document


_GONE: Final = 405


@fhir_router.get(
    "/fhir/metadata",
    **document_route("State what is accepted as FHIR", media_type=_FHIR, problem_types=(_FHIR, MEDIA_TYPE)),
    dependencies=_ANY_FORMAT,
)
def metadata(by: Anyone, request: Request) -> Response:  # noqa: ARG001 - who asks must be somebody
    """A CapabilityStatement of R4: resources, what may be done with them, and how a caller is known."""
    return _resource(capability_statement(f"{str(request.base_url).rstrip('/')}{API}/fhir"))


@fhir_router.post("/fhir/{kind}", **_documented("Send a FHIR resource", status=201, also=200), dependencies=_ANY_FORMAT)
async def create(
    request: Request, by: Submitter, served: ServedHere, kind: ResourceKind, site: Site = None
) -> Response:
    """Takes one resource, as ``POST /fhir`` does; the answer is an OperationOutcome.

    It is 201 where something new was stored, and 200 where it was there already or nothing follows from it.
    """
    options = fhir_options(request, served, site)
    return await run_in_threadpool(_take, served, await request.body(), options, by, kind, None)


@fhir_router.put(
    "/fhir/{kind}/{id}",
    **_documented("Send a version of a FHIR resource", status=201, also=200),
    dependencies=_ANY_FORMAT,
)
async def update(
    request: Request,
    by: Submitter,
    served: ServedHere,
    kind: ResourceKind,
    id: _Id,  # noqa: A002 - FHIR's name
    site: Site = None,
) -> Response:
    """Takes a version of a resource, whose id must be that of the address. Earlier versions are kept."""
    options = fhir_options(request, served, site)
    return await run_in_threadpool(_take, served, await request.body(), options, by, kind, id)


@fhir_router.delete(
    "/fhir/{kind}/{id}", **_documented("Deletions, which are refused", status=_GONE), dependencies=_ANY_FORMAT
)
def delete(
    by: Submitter,  # noqa: ARG001 - who asks must be a submitter
    served: ServedHere,
    kind: ResourceKind,
    id: _Id,  # noqa: A002 - FHIR's name
    site: Site = None,
) -> Response:
    """Refuses to delete: whether a report was wrong or only cleared away is not told by it. The refusal is kept."""
    detail = "nothing is deleted so; to withdraw a report send it with the status entered-in-error"
    place = site or (served.fhir.site if served.fhir is not None else "")
    message = "" if kind is ResourceKind.PATIENT else f"{place}/{kind.value}/{id}"  # which would name the patient
    error = RefusedMessageError("unknown-request", detail, location=kind.value, message=message)
    keep_refusal(served, error)
    problem = problem_of(error)
    problem.status_code = _GONE
    problem.headers = {"Allow": "PUT"}
    return _problem_outcome(problem)


def _take(
    served: Served, document: bytes, options: FhirOptions, by: Actor, kind: ResourceKind, name: str | None
) -> Response:
    try:
        resource = parse_fhir(document, options)
        if name is not None:
            _check_id(resource, name, kind)
    except RefusedMessageError as error:
        keep_refusal(served, error)
        raise
    receipts = take_fhir(served, resource, options, by, alone=kind.value)
    is_new = any(receipt.kind is ReceiptKind.STORED for receipt in receipts.receipts)
    outcome = {"resourceType": "OperationOutcome", "issue": _issues_of(receipts)}
    headers = _headers(resource, kind) if name is None else {}
    return _resource(outcome, 201 if is_new else 200, headers)


def _check_id(resource: Mapping[str, Any], name: str, kind: ResourceKind) -> None:
    if resource.get("id") != name:
        detail = "the id of the resource must be that of the address"
        raise RefusedMessageError("wrong-id", detail, location=f"{kind.value}.id")


def _headers(resource: Mapping[str, Any], kind: ResourceKind) -> dict[str, str]:
    """The place of a resource that was created, as its source names it; none of a Patient, whom the id may name."""
    name, version = identity_of(resource)
    if not name or kind is ResourceKind.PATIENT:
        return {}
    return {"Location": f"{API}/fhir/{kind.value}/{name}" + (f"/_history/{version}" if version else "")}


def _issues_of(receipts: FhirReceipts) -> list[dict[str, Any]]:
    issues = [issue for receipt in receipts.receipts for issue in _issues_of_version(receipt)]
    issues += [_issue_of_merge(receipt) for receipt in receipts.merges]
    nothing = "nothing follows from it, and nothing was stored"
    return issues or [_issue("information", "informational", "nothing-new", nothing)]


def _issues_of_version(receipt: Receipt) -> Sequence[dict[str, Any]]:
    text = f"version {receipt.version} is stored; {len(receipt.pairs)} new pairs"
    if receipt.kind is ReceiptKind.RESENT:
        text = f"it was stored before, as version {receipt.version}"
    doubts = (
        _issue("warning", "business-rule", doubt.value, "it is not compared where it might have to be")
        for doubt in receipt.doubts
    )
    return [_issue("information", "informational", receipt.kind.value, text), *doubts]


def _issue_of_merge(receipt: MergeReceipt) -> dict[str, Any]:
    text = receipt.note or f"merged; {receipt.examinations} examinations changed hands"
    return _issue("warning" if receipt.note else "information", "informational", receipt.kind.value, text)


def _issue(severity: str, kind: str, code: str, text: str, **more: Any) -> dict[str, Any]:
    details = {"coding": [{"system": _CODES, "code": code}], "text": text}
    return {"severity": severity, "code": kind, "details": details, **more}


def _unknown_address(error: RequestValidationError) -> ProblemError:
    """The problem of an address; FHIR answers a resource of a type that is not taken with 404."""
    if not any(tuple(issue["loc"]) == ("path", "kind") for issue in error.errors()):
        return problem_of(error)
    detail = f"the types of resources that are taken are {', '.join(ResourceKind)}"
    return ProblemError(404, "not-supported", detail, remedy="see the CapabilityStatement at /api/v1/fhir/metadata")


def _is_malformed(error: Exception) -> bool:
    return isinstance(error, RefusedMessageError) and error.code in _MALFORMED


def _problem_outcome(problem: ProblemError, *, is_malformed: bool = False) -> Response:
    """A problem as FHIR tells it: our code in the details, the place as an expression."""
    kind = _ISSUES.get(problem.kind) or _ISSUES_OF_STATUS.get(problem.status_code, "processing")
    more: dict[str, Any] = {"diagnostics": problem.remedy} if problem.remedy else {}
    issues = [_issue("error", kind, problem.kind, text, **more, **_place(where)) for where, text in problem.where]
    outcome = {
        "resourceType": "OperationOutcome",
        "issue": issues or [_issue("error", kind, problem.kind, str(problem.detail), **more)],
    }
    return _resource(outcome, 400 if is_malformed else problem.status_code, problem.headers)


def _place(where: str) -> dict[str, Any]:
    return {"expression": [where]} if where != "$" else {}


def _resource(resource: dict[str, Any], status: int = 200, headers: Any = None) -> Response:
    text = json.dumps(resource, ensure_ascii=False, allow_nan=False)
    return Response(text.encode(), status, headers=dict(headers or {}), media_type=_FHIR)
