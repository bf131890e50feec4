"""Deletion, the audit trail, keys, plugins, and who asks."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Final

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from overread.hospital.application.requests import Erased
from overread.hospital.domain.access import AccessKey
from overread.hospital.domain.audit_trail import Role
from overread.hospital.infrastructure.http._access import Admin, Anyone, doorkeeper_of
from overread.hospital.infrastructure.http._openapi import document_route
from overread.hospital.infrastructure.http._records import answer, body_of
from overread.hospital.infrastructure.http._state import Hospital, ServedHere
from overread.hospital.infrastructure.http.api._messages import (
    Events,
    IssuedSecret,
    KeyFacts,
    Keys,
    NewKey,
    Patient,
    Whoever,
)
from overread.hospital.infrastructure.http.api._queries import LARGEST
from overread.hospital.infrastructure.http.api._router import part_of_api

__all__ = ["administration_router"]

administration_router: Final = part_of_api("administration")


@administration_router.post(
    "/erasures",
    **document_route("Delete a patient's data", Erased, body=Patient, example=Patient(patient="P-5501", site="north")),
)
def erase(by: Admin, hospital: Hospital, asked: Annotated[Patient, Depends(body_of(Patient))]) -> Response:
    """Deletes every examination of a patient with all that hangs on it; audit events stay, they name nobody."""
    return answer(hospital.erase_patient(asked.patient, by=by, site=asked.site))


@administration_router.post("/retentions", **document_route("Delete what is too old", Erased))
def retain(by: Admin, hospital: Hospital) -> Response:
    """Deletes what is older than the configured retention, and the texts that are."""
    return answer(hospital.retain(by=by))


@administration_router.get("/audit", **document_route("The audit trail", Events))
def audit(
    by: Admin,
    hospital: Hospital,
    after: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
) -> Response:
    """Events in order, from the one after a number; each is sealed to the one before."""
    events = tuple(hospital.audit_trail(by=by, after=after, limit=limit))
    return answer(Events(events=events, next=events[-1].number if len(events) == limit else None))


@administration_router.get("/keys", **document_route("Keys", Keys))
def keys(by: Admin, request: Request) -> Response:
    """All keys, those that were revoked or have expired included; never their secrets."""
    return answer(Keys(keys=tuple(_facts(key) for key in doorkeeper_of(request).access.every(by=by))))


@administration_router.post(
    "/keys",
    **document_route(
        "Issue a key",
        IssuedSecret,
        status=201,
        body=NewKey,
        example=NewKey(name="triage engine", roles=[Role.SUBMITTER], days=90),
    ),
)
def issue_key(by: Admin, request: Request, asked: Annotated[NewKey, Depends(body_of(NewKey))]) -> Response:
    """A new key. Its secret is in this answer and nowhere else."""
    lasting = timedelta(days=asked.days) if asked.days is not None else None
    issued = doorkeeper_of(request).access.issue(asked.name, asked.roles, by=by, lasting=lasting)
    return answer(IssuedSecret(key=_facts(issued.key), secret=issued.secret), status=201)


@administration_router.delete("/keys/{name}", **document_route("Revoke a key", KeyFacts))
def revoke_key(
    by: Admin, request: Request, name: Annotated[str, Path(max_length=64, pattern=r"^[^\x00]*$")]
) -> Response:
    """Ends a key at once, and the sessions that were begun with it."""
    access = doorkeeper_of(request).access
    access.revoke(name, by=by)
    return answer(next(_facts(key) for key in access.every(by=by) if key.name == name))


@administration_router.get("/plugins", **document_route("Metrics, components and plugins"))
def plugins(by: Anyone, served: ServedHere) -> Response:  # noqa: ARG001 - who asks must be somebody
    """Everything that can score here, as `overread plugins` lists it."""
    return answer(served.plugins())


@administration_router.get("/me", **document_route("The caller", Whoever))
def whoever(by: Anyone) -> Response:
    """Name and roles of the key or person."""
    return answer(Whoever(name=by.name, roles=by.roles))


def _facts(key: AccessKey) -> KeyFacts:
    return KeyFacts(
        name=key.name,
        prefix=key.prefix,
        roles=key.roles,
        created=key.created,
        expires=key.expires,
        revoked=key.revoked,
    )
