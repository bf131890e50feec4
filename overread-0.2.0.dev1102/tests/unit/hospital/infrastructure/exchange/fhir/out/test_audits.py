"""Events of the audit trail as FHIR's."""

from __future__ import annotations

import pytest
from attrs import evolve

from overread.hospital.domain.audit_trail import AuditEvent
from overread.hospital.infrastructure.exchange.fhir.options import FhirRelease
from overread.hospital.infrastructure.exchange.fhir.out.audits import audit_event
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput

from .holding import hold
from .records import NOON

_EVENT = AuditEvent(
    number=5,
    at=NOON,
    actor="lead",
    action="review",
    subject="pair:17",
    details=(("verdicts", "2"), ("radpeer", "")),
    digest="ab" * 32,
)


@pytest.mark.parametrize("release", list(FhirRelease))
def test_an_event_tells_who_did_what_to_which(release: FhirRelease) -> None:
    """And keeps the digest by which the trail can be checked."""
    event = audit_event(_EVENT, FhirOutput(release=release))
    hold(event, release)
    assert event["agent"][0]["who"] == {"display": "lead"}
    assert (event["action"], event["recorded"]) == ("C", "2026-03-02T12:00:00+00:00")
    [entity] = event["entity"]
    assert entity["what"] == {"display": "pair:17"}
    assert [each["valueString"] for each in entity["detail"]] == ["2", "-", "ab" * 32]


@pytest.mark.parametrize("release", list(FhirRelease))
@pytest.mark.parametrize(("action", "code"), [("erase", "D"), ("export", "R"), ("give up delivery", "E"), ("new", "E")])
def test_every_action_is_one_of_fhirs_five(release: FhirRelease, action: str, code: str) -> None:
    """What is none of create, read and delete is an execution; an event may have nothing but its action."""
    bare = evolve(_EVENT, action=action, subject="", details=(), digest="", actor="")
    event = audit_event(bare, FhirOutput(release=release))
    hold(event, release)
    assert event["action"] == code
    assert "entity" not in event
