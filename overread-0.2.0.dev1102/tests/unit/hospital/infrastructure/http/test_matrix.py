"""Every route against every role: who may ask for what, written down by hand and proved cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from fastapi.routing import APIRoute

from overread.hospital.domain.audit_trail import Role

from .quick import ROOT, Doors

_OPEN: Final = "nobody submitter reviewer lead author admin"
_ANYONE: Final = "submitter reviewer lead author admin"
_BOTH: Final = "submitter reviewer lead admin"
_AUTHOR: Final = "author admin"
_SUBMITTER: Final = "submitter admin"
_REVIEWER: Final = "reviewer lead admin"
_LEAD: Final = "lead admin"
_ADMIN: Final = "admin"
_SESSION: Final = ""
"""Takes the form of a session alone: a request without its token is refused, whoever sends it."""

_ALLOWED: Final = {
    ("GET", "/healthz"): _OPEN,
    ("GET", "/readyz"): _OPEN,
    ("GET", "/metrics"): _ANYONE,
    ("POST", "/login"): _SESSION,
    ("POST", "/logout"): _SESSION,
    ("GET", "/api/v1/openapi.json"): _ANYONE,
    ("GET", "/api/v1/me"): _ANYONE,
    ("GET", "/api/v1/plugins"): _ANYONE,
    ("POST", "/api/v1/evaluate"): _SUBMITTER,
    ("POST", "/api/v1/batches"): _SUBMITTER,
    ("GET", "/api/v1/batches/{number}"): _BOTH,
    ("GET", "/api/v1/batches/{number}/results"): _BOTH,
    ("GET", "/api/v1/batches/{number}/events"): _BOTH,
    ("POST", "/api/v1/reports"): _SUBMITTER,
    ("POST", "/api/v1/fhir"): _SUBMITTER,
    ("POST", "/api/v1/merges"): _SUBMITTER,
    ("GET", "/api/v1/fhir/metadata"): _ANYONE,
    ("POST", "/api/v1/fhir/{kind}"): _SUBMITTER,
    ("PUT", "/api/v1/fhir/{kind}/{id}"): _SUBMITTER,
    ("DELETE", "/api/v1/fhir/{kind}/{id}"): _SUBMITTER,
    ("GET", "/api/v1/fhir/pairs/{number}"): _BOTH,
    ("GET", "/api/v1/fhir/rates"): _REVIEWER,
    ("GET", "/api/v1/fhir/audit"): _ADMIN,
    ("GET", "/api/v1/refusals"): _REVIEWER,
    ("GET", "/api/v1/pairs"): _REVIEWER,
    ("GET", "/api/v1/pairs/{number}"): _BOTH,
    ("GET", "/api/v1/pairs/{number}/explanation"): _BOTH,
    ("POST", "/api/v1/pairs/{number}/reviews"): _REVIEWER,
    ("GET", "/api/v1/examinations"): _REVIEWER,
    ("GET", "/api/v1/rates"): _REVIEWER,
    ("GET", "/api/v1/coverage"): _REVIEWER,
    ("POST", "/api/v1/samples"): _REVIEWER,
    ("POST", "/api/v1/protocols"): _LEAD,
    ("GET", "/api/v1/protocols"): _LEAD,
    ("GET", "/api/v1/protocols/{number}"): _LEAD,
    ("POST", "/api/v1/protocols/{number}/closings"): _LEAD,
    ("GET", "/api/v1/protocols/{number}/agreement"): _LEAD,
    ("GET", "/api/v1/assignments"): _REVIEWER,
    ("GET", "/api/v1/assignments/{number}"): _REVIEWER,
    ("POST", "/api/v1/assignments/{number}/claims"): _REVIEWER,
    ("DELETE", "/api/v1/assignments/{number}/claims"): _REVIEWER,
    ("POST", "/api/v1/assignments/{number}/reassignments"): _LEAD,
    ("POST", "/api/v1/assignments/{number}/reviews"): _REVIEWER,
    ("GET", "/api/v1/radpeer"): _REVIEWER,
    ("GET", "/api/v1/radpeer.csv"): _REVIEWER,
    ("GET", "/api/v1/charts"): _REVIEWER,
    ("POST", "/api/v1/alarms"): _REVIEWER,
    ("GET", "/api/v1/cases"): _REVIEWER,
    ("POST", "/api/v1/cases/{number}/closing"): _REVIEWER,
    ("GET", "/api/v1/flags"): _REVIEWER,
    ("GET", "/api/v1/months/{month}"): _REVIEWER,
    ("GET", "/api/v1/pairs/{number}/learning"): _REVIEWER,
    ("POST", "/api/v1/pairs/{number}/learning"): _REVIEWER,
    ("POST", "/api/v1/learning/{number}/nominations"): _REVIEWER,
    ("POST", "/api/v1/pairs/{number}/actions"): _REVIEWER,
    ("GET", "/api/v1/actions"): _REVIEWER,
    ("POST", "/api/v1/actions/{number}/changes"): _REVIEWER,
    ("GET", "/api/v1/conference"): _REVIEWER,
    ("POST", "/api/v1/conference/{number}/presentations"): _LEAD,
    ("GET", "/api/v1/own/pairs"): _AUTHOR,
    ("GET", "/api/v1/own/pairs/{number}"): _AUTHOR,
    ("POST", "/api/v1/own/pairs/{number}/acknowledgements"): _AUTHOR,
    ("POST", "/api/v1/own/pairs/{number}/answers"): _AUTHOR,
    ("POST", "/api/v1/rescorings"): _ADMIN,
    ("GET", "/api/v1/export.csv"): _ADMIN,
    ("GET", "/api/v1/export.jsonl"): _ADMIN,
    ("POST", "/api/v1/erasures"): _ADMIN,
    ("POST", "/api/v1/retentions"): _ADMIN,
    ("GET", "/api/v1/audit"): _ADMIN,
    ("GET", "/api/v1/keys"): _ADMIN,
    ("POST", "/api/v1/keys"): _ADMIN,
    ("DELETE", "/api/v1/keys/{name}"): _ADMIN,
}


@pytest.fixture(scope="module")
def doors() -> Iterator[Doors]:
    made = Doors()
    with made.client:
        yield made


def _address(path: str) -> str:
    """An address of a route."""
    values = {"{number}": "999", "{name}": "nothing", "{kind}": "DiagnosticReport", "{id}": "r1"}
    for name, value in values.items():
        path = path.replace(name, value)
    return path


def _cells(doors: Doors) -> set[tuple[str, str]]:
    routes = [route for route in doors.app.routes if isinstance(route, APIRoute)]
    return {(method, route.path) for route in routes for method in route.methods or ()}


def test_every_route_has_its_row(doors: Doors) -> None:
    """A route that nobody wrote down who may use is a mistake; so is a row without a route."""
    assert _cells(doors) == set(_ALLOWED)
    assert all(isinstance(route, APIRoute) for route in doors.app.routes)


@pytest.mark.parametrize("role", [None, *Role], ids=lambda role: role or "nobody")
@pytest.mark.parametrize(("method", "path"), _ALLOWED, ids=" ".join)
def test_who_may_and_who_may_not(doors: Doors, method: str, path: str, role: Role | None) -> None:
    """Whoever may gets past the door, to an answer about the request; nobody gets 401, other roles 403."""
    address = _address(path)
    headers = doors.bearer(role) if role else {}
    answer = doors.client.request(method, address, headers=headers)
    if (role or "nobody") in _ALLOWED[method, path].split():
        assert answer.status_code not in {401, 403}
        assert answer.status_code < 500
    else:
        assert answer.status_code == (401 if role is None and _ALLOWED[method, path] != _SESSION else 403)


@pytest.mark.parametrize(("method", "path"), [cell for cell in _ALLOWED if cell[0] != "GET"], ids=" ".join)
def test_a_session_changes_nothing_without_its_token(doors: Doors, method: str, path: str) -> None:
    """Even an administrator's: a page of somebody else's could have sent the request."""
    session = doors.app.state.doorkeeper.sessions
    cookie = session.seal(session.new(ROOT))
    with doors.browser(cookies={session.cookie: cookie}) as client:
        address = _address(path)
        assert client.request(method, address).status_code == 403
