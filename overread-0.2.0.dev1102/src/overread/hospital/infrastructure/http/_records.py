"""Bodies in and answers out, as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Final, TypeVar

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from overread.hospital.infrastructure.exchange.sizes import elements_of
from overread.hospital.infrastructure.http._problems import ProblemError
from overread.hospital.infrastructure.serialise import RecordError, hospital_from_json, hospital_record

__all__ = ["answer", "body_of", "content_type", "no_unknown_parameters", "read_record"]

T = TypeVar("T")

_READ_AT_ONCE: Final = 64 * 1024
"""Bytes of a body that are read without going to a thread for it."""

_MOST_ELEMENTS: Final = 500_000


def answer(
    value: object, *, status: int = 200, explain: bool = False, headers: Mapping[str, str] | None = None
) -> Response:
    """An answer as JSON; see `hospital_record`."""
    text = json.dumps(hospital_record(value, explain=explain), ensure_ascii=False, allow_nan=False)
    return Response(text.encode(), status, headers=dict(headers or {}), media_type="application/json")


def body_of(kind: type[T]) -> Callable[[Request], Awaitable[T]]:
    """A dependency that reads a request's JSON body.

    Args:
        kind: what it shall be.
    """

    async def read(request: Request) -> T:
        if content_type(request) != "application/json":
            raise ProblemError(415, "unsupported-media-type", "the body must be application/json")
        text = await request.body()
        if len(text) <= _READ_AT_ONCE:
            return read_record(kind, text)
        return await run_in_threadpool(read_record, kind, text)

    return read


def read_record(kind: type[T], text: bytes) -> T:
    """A body that has arrived.

    Raises:
        ProblemError: 422, naming every place that is wrong.
    """
    if elements_of(text) > _MOST_ELEMENTS:
        detail = f"the body has more than {_MOST_ELEMENTS:,} elements"
        raise ProblemError(413, "too-large", detail, remedy="split it into several requests")
    try:
        return hospital_from_json(kind, text)
    except RecordError as error:
        detail = "the body is not valid for this address"
        raise ProblemError(422, "invalid-request", detail, where=error.problems) from None


def content_type(request: Request) -> str:
    """The media type of a request's body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def no_unknown_parameters(request: Request) -> None:
    """Refuses a query with a name that the route does not know, or twice with one that it takes once.

    A filter that is misspelt must not be left out, nor the first of two.
    """
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    parameters = [parameter for dependant in _within(route.dependant) for parameter in dependant.query_params]
    known = {parameter.alias for parameter in parameters}
    repeated = {parameter.alias for parameter in parameters if "list[" in str(parameter.field_info.annotation)}
    given = Counter(name for name, _ in request.query_params.multi_items())
    if twice := sorted(name for name, times in given.items() if times > 1 and name in known - repeated):
        detail = "the query repeats a parameter that may be given once"
        raise ProblemError(422, "repeated-parameter", detail, where=[("query", f"{', '.join(twice)}: give one value")])
    if not set(request.query_params) <= known:
        message = f"the known ones are {', '.join(sorted(known))}" if known else "this address has none"
        detail = "the query has an unknown parameter"
        raise ProblemError(422, "unknown-parameter", detail, where=[("query", message)])


def _within(dependant: Dependant) -> Iterator[Dependant]:
    """A route or dependency, and all that it depends on."""
    yield dependant
    for dependency in dependant.dependencies:
        yield from _within(dependency)
