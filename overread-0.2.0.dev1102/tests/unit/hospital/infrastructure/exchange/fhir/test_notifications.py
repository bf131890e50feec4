"""Notifications of topic-based subscriptions, as R4, R4B and R5 send them."""

from __future__ import annotations

from typing import Any

import pytest
from fhir.resources import get_fhir_model_class as model_r5
from fhir.resources.R4B import get_fhir_model_class as model_r4b

from overread.hospital.infrastructure.exchange.fhir._notifications import NotificationKind
from overread.hospital.infrastructure.exchange.fhir.reading import read_fhir_content
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

from .invented import OPTIONS, Json, report
from .subscribed import BASE, deletion, notification, parameters, reference, status

_WAYS = pytest.mark.parametrize(
    ("made", "kind"),
    [(parameters, "history"), (status, "history"), (status, "subscription-notification")],
    ids=["R4", "R4B", "R5"],
)


def test_what_is_sent_here_is_what_the_releases_have() -> None:
    """Parameters, SubscriptionStatus and bundles are of their release."""
    model_r4b("Bundle").model_validate(notification(parameters("event-notification", f"{BASE}/DiagnosticReport/r1")))
    model_r4b("Bundle").model_validate(notification(status("heartbeat")))
    model_r5("Bundle").model_validate(notification(status("handshake"), kind="subscription-notification"))


@_WAYS
@pytest.mark.parametrize("said", ["handshake", "heartbeat"])
def test_a_sign_of_life_tells_nothing_else(made: Any, kind: str, said: str) -> None:
    """No report is in it, and none is missing."""
    content = read_fhir_content(notification(made(said), kind=kind), OPTIONS)
    assert content.notification is not None
    assert (content.notification.kind, content.notification.is_sign_of_life) == (NotificationKind(said), True)
    assert (content.versions, content.merges, content.notification.absent) == ((), (), ())


@_WAYS
def test_an_event_with_its_resource_is_read(made: Any, kind: str) -> None:
    """As a report in a history, whatever method it came by; a deletion is no version of a report."""
    document = notification(
        made("event-notification", f"{BASE}/DiagnosticReport/r1", f"{BASE}/DiagnosticReport/r9"),
        {"fullUrl": f"{BASE}/DiagnosticReport/r1", "resource": report(), "request": {"method": "PATCH", "url": "x"}},
        deletion("DiagnosticReport/r9"),
        kind=kind,
    )
    content = read_fhir_content(document, OPTIONS)
    assert [version.message for version in content.versions] == ["north/r1/2"]
    assert content.notification is not None
    assert content.notification.absent == ()


@_WAYS
def test_an_event_by_reference_tells_what_is_missing(made: Any, kind: str) -> None:
    """Once each, by focus or by an entry without a resource; beside resources that came along."""
    url = f"{BASE}/DiagnosticReport/r2/_history/4"
    focus = made("event-notification", f"{BASE}/DiagnosticReport/r2", f"{BASE}/DiagnosticReport/r1")
    whole = {"fullUrl": f"{BASE}/DiagnosticReport/r1", "resource": report()}
    content = read_fhir_content(notification(focus, reference(url), whole, kind=kind), OPTIONS)
    assert len(content.versions) == 1
    assert content.notification is not None
    assert content.notification.absent == (f"{BASE}/DiagnosticReport/r2",)


@_WAYS
def test_an_event_may_be_empty(made: Any, kind: str) -> None:
    """The server then tells that something happened and nothing else."""
    content = read_fhir_content(notification(made("event-notification"), kind=kind), OPTIONS)
    assert content.notification is not None
    assert (content.notification.has_events, content.notification.is_sign_of_life) == (False, False)


def test_a_notification_of_an_unknown_kind_is_refused() -> None:
    """What it would have meant is not known."""
    with pytest.raises(RefusedMessageError) as caught:
        read_fhir_content(notification(status("greeting")), OPTIONS)
    assert (caught.value.code, caught.value.location) == ("unknown-notification", "SubscriptionStatus.type")
    assert "greeting" not in str(caught.value)


def test_a_history_is_no_notification() -> None:
    """Nor are Parameters of anything else; without a report they are refused as before."""
    history: Json = {"resourceType": "Bundle", "type": "history", "entry": [{"resource": report()}]}
    assert read_fhir_content(history, OPTIONS).notification is None
    other = {"resourceType": "Parameters", "parameter": [{"name": "type", "valueCode": "handshake"}]}
    with pytest.raises(RefusedMessageError) as caught:
        read_fhir_content(notification(other), OPTIONS)
    assert caught.value.code == "not-a-report"
