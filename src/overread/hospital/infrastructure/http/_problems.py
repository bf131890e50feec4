"""Problems as in RFC 9457: of kinds that stay the same, with a remedy, and without a word of what was sent."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import Response

from overread.exceptions import (
    ConfigurationError,
    InputError,
    MissingDependencyError,
    MissingKeyError,
    NotFoundError,
    OverreadError,
    PermissionDeniedError,
    StoreError,
)
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.infrastructure.logs import get_logger

__all__ = ["MEDIA_TYPE", "ProblemError", "add_problem_handlers", "problem_of", "problem_response", "too_many"]

MEDIA_TYPE: Final = "application/problem+json"

_log = get_logger("http")

_STORE_AGAIN: Final = 5
"""Seconds after which a client may try again what the store could not do."""

_LONGEST_PLACE: Final = 64


class ProblemError(HTTPException):
    """Ends a request with a problem document.

    Attributes:
        status_code: of HTTP.
        kind: short and stable, for programs.
        detail: a sentence for people.
        remedy: what to do, "" where nothing can be done.
        headers: to send with it.
        where: places of the request that are wrong, each with what is.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        *,
        remedy: str = "",
        headers: Mapping[str, str] | None = None,
        where: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(status, detail, headers=dict(headers or {}))
        self.kind = kind
        self.remedy = remedy
        self.where = tuple(where)


def too_many(detail: str, again_s: float) -> ProblemError:
    """There is too much to do, or too much was asked: come again later."""
    headers = {"Retry-After": str(max(1, math.ceil(again_s)))}
    return ProblemError(
        429, "too-many-requests", detail, remedy="try again after the time in Retry-After", headers=headers
    )


def problem_response(problem: ProblemError, request_id: str = "") -> Response:
    """The document of a problem."""
    document: dict[str, Any] = {
        "type": f"urn:overread:problem:{problem.kind}",
        "title": HTTPStatus(problem.status_code).phrase,
        "status": problem.status_code,
        "detail": problem.detail,
    }
    if problem.remedy:
        document["remedy"] = problem.remedy
    if problem.where:
        document["problems"] = [{"where": where, "what": what} for where, what in problem.where]
    if request_id:
        document["request_id"] = request_id
    body = json.dumps(document)
    return Response(body, problem.status_code, headers=problem.headers, media_type=MEDIA_TYPE)


def add_problem_handlers(app: FastAPI) -> None:
    """Tells what routes raise; what nobody foresaw is caught and told outside of them."""
    for kind in (ProblemError, RequestValidationError, StarletteHTTPException, OverreadError):
        app.add_exception_handler(kind, _answer)


async def _answer(request: Request, error: Exception) -> Response:
    return problem_response(problem_of(error), _request_id(request))


def problem_of(error: Exception) -> ProblemError:
    """An error of a route as a problem; only messages of overread's errors, which hold no report text, are shown."""
    match error:
        case ProblemError():
            return error
        case RequestValidationError():
            return _invalid(error)
        case StarletteHTTPException():
            return _http(error)
    return _of(error)


def _invalid(error: RequestValidationError) -> ProblemError:
    where = [(_place(issue["loc"]), _MESSAGES.get(issue["type"], _INVALID)) for issue in error.errors()]
    return ProblemError(
        422, "invalid-request", "the request is not valid for this address", remedy=_SEE, where=sorted(set(where))
    )


def _http(error: StarletteHTTPException) -> ProblemError:
    kind = HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
    detail, remedy = _PLAIN.get(error.status_code, ("the request was refused", ""))
    return ProblemError(error.status_code, kind, detail, remedy=remedy, headers=error.headers)


def _of(error: Exception) -> ProblemError:
    """An error of overread, whose messages hold no report text, as a problem."""
    if isinstance(error, MissingKeyError):
        _log.error("missing_key", error=error)
        detail = "a text is sealed with a key that this process does not have; nothing of this request was stored"
        remedy = "an administrator restarts the service with every key: it reads its key file only when it starts"
        return ProblemError(503, "missing-key", detail, remedy=remedy)
    if isinstance(error, StoreError):
        again = {"Retry-After": str(_STORE_AGAIN)}
        detail = "the store is not available at the moment; nothing of this request was stored"
        return ProblemError(503, "store-unavailable", detail, remedy="try again", headers=again)
    if isinstance(error, RefusedMessageError):
        where = [(error.location or "$", error.detail)]
        return ProblemError(
            422, error.code, "the message was refused", remedy="correct it, then send it again", where=where
        )
    status, kind, remedy = next(
        (known for cause, known in _KINDS.items() if isinstance(error, cause)), (500, "internal-error", "")
    )
    detail = str(error) if status != HTTPStatus.INTERNAL_SERVER_ERROR else "an unexpected error occurred"
    return ProblemError(status, kind, detail, remedy=error.remedy if isinstance(error, InputError) else remedy)


def _place(where: Sequence[object]) -> str:
    """A place within a request by names that the service itself gave; a name that a client made up is not repeated."""
    parts = [str(part) for part in where]
    known = [part if part.isdigit() or (part.isidentifier() and len(part) <= _LONGEST_PLACE) else "*" for part in parts]
    return ".".join(known)


def _request_id(request: Request) -> str:
    return str(getattr(request.state, "request_id", ""))


_KINDS: Final[Mapping[type[OverreadError], tuple[int, str, str]]] = {
    PermissionDeniedError: (403, "forbidden", "ask an administrator for a key with that role"),
    NotFoundError: (404, "not-found", ""),
    InputError: (422, "invalid-input", ""),
    ConfigurationError: (422, "invalid-request", ""),
    MissingDependencyError: (501, "not-installed", ""),
}
_SEE: Final = "see the OpenAPI document at /api/v1/openapi.json"
_INVALID: Final = "is not valid"
_MESSAGES: Final = {
    "missing": "is missing",
    "enum": "is not one of the accepted words",
    "int_parsing": "is not a whole number",
    "int_type": "is not a whole number",
    "float_parsing": "is not a number",
    "finite_number": "is not a finite number",
    "bool_parsing": "is neither true nor false",
    "datetime_parsing": "is not an ISO 8601 date and time",
    "datetime_from_date_parsing": "is not an ISO 8601 date and time",
    "timezone_aware": "has no time zone; write it as 2026-11-01T00:00:00Z",
    "greater_than_equal": "is too small",
    "greater_than": "is too small",
    "less_than_equal": "is too large",
    "less_than": "is too large",
    "string_too_long": "is too long",
    "string_too_short": "is too short",
    "string_pattern_mismatch": "does not have the required form",
    "extra_forbidden": "is not known",
}
_PLAIN: Final = {
    400: ("the request cannot be read", _SEE),
    404: ("there is nothing at this address", _SEE),
    405: ("this address does not accept this method", _SEE),
}
