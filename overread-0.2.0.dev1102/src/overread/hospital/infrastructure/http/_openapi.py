"""The OpenAPI document: routes from FastAPI, schemas from the classes that are asked and answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from overread.hospital.infrastructure.http._problems import MEDIA_TYPE
from overread.hospital.infrastructure.serialise import hospital_record
from overread.hospital.infrastructure.serialise.schema import HospitalSchemas

__all__ = ["Documented", "document_of", "document_route"]

Documented = dict[str, Any]
"""What a route's decorator takes about its documentation."""

_PREFIX: Final = "#/components/schemas/"
_SCHEMAS: Final = HospitalSchemas(_PREFIX)
_PROBLEM: Final = {
    "type": "object",
    "description": "A problem by RFC 9457; it repeats nothing of what was sent.",
    "properties": {
        "type": {"type": "string", "description": "the kind of problem, urn:overread:problem:KIND."},
        "title": {"type": "string", "description": "of the status."},
        "status": {"type": "integer", "description": "of HTTP."},
        "detail": {"type": "string", "description": "what is wrong."},
        "remedy": {"type": "string", "description": "what to do."},
        "problems": {
            "type": "array",
            "description": "places of the request, each with what is wrong there.",
            "items": {
                "type": "object",
                "properties": {"where": {"type": "string"}, "what": {"type": "string"}},
                "required": ["where", "what"],
            },
        },
        "request_id": {"type": "string", "description": "by which the log knows the request."},
    },
    "required": ["type", "title", "status", "detail"],
}
_TITLES: Final = {
    400: "It cannot be read",
    401: "No key, or not a valid one",
    403: "The roles do not allow it",
    404: "It does not exist, or the caller may not see it",
    408: "The body took too long to arrive",
    413: "The body is too long",
    415: "The content type of the body is not accepted",
    422: "The request is not valid for this address",
    429: "Too many requests: try again after the time in Retry-After",
    500: "An unexpected error; the log shows where it happened",
    503: "The store, or a part of the service, is not available",
}


def document_route(
    summary: str,
    answer: Any = None,
    *,
    status: int = 200,
    body: Any = None,
    example: object = None,
    media_type: str = "application/json",
    also: int | None = None,
    problem_types: Sequence[str] = (MEDIA_TYPE,),
) -> Documented:
    """Documentation of a route, for its decorator.

    Args:
        summary: a few words.
        answer: class of what it answers; None for what has no schema.
        status: of a good answer.
        body: class of what it takes, if anything.
        example: of what it takes; an instance of ``body``, with invented text.
        media_type: of the answer.
        also: status of a good answer of another kind, if there is one.
        problem_types: media types of problems; problem documents among them have a schema.
    """
    schema = {"schema": _SCHEMAS.of(answer)} if answer is not None else {}
    responses: dict[int | str, dict[str, Any]] = {
        code: {
            "description": _TITLES[code],
            "content": {
                kind: {"schema": {"$ref": f"{_PREFIX}Problem"}} if kind == MEDIA_TYPE else {} for kind in problem_types
            },
        }
        for code in _TITLES
    }
    for good in (status, also):
        if good is not None:
            responses[good] = {"description": "Good", "content": {media_type: schema}}
    extra: dict[str, Any] = {}
    if body is not None:
        content: dict[str, Any] = {"schema": _SCHEMAS.of(body)}
        if example is not None:
            content["example"] = _without_nulls(hospital_record(example))
        extra["requestBody"] = {"required": True, "content": {"application/json": content}}
    return {"summary": summary, "status_code": status, "responses": responses, "openapi_extra": extra}


def document_of(app: FastAPI, description: str) -> dict[str, Any]:
    """The document of an application."""
    document = get_openapi(
        title="overread", version="1", description=description, routes=app.routes, openapi_version="3.1.0"
    )
    components = document.setdefault("components", {})
    components["schemas"] = {**components.get("schemas", {}), **_SCHEMAS.named, "Problem": _PROBLEM}
    components["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer", "description": "A key: orv_... (overread keys create)."}
    }
    document["security"] = [{"key": []}]
    return document


def _without_nulls(record: Any) -> Any:
    """An example shows what is given, not what may be left out."""
    if isinstance(record, Mapping):
        members = {key: _without_nulls(value) for key, value in record.items() if value not in (None, "", [], {})}
        return {key: value for key, value in members.items() if value not in (None, {})}
    return [_without_nulls(item) for item in record] if isinstance(record, list) else record
