"""Invented notifications of topic-based subscriptions."""

from __future__ import annotations

from .invented import Json

BASE = "https://pacs.example/fhir"


def parameters(kind: str, *foci: str) -> Json:
    """The status of a subscription as R4 has it."""
    events = [
        {
            "name": "notification-event",
            "part": [
                {"name": "event-number", "valueString": str(number)},
                {"name": "focus", "valueReference": {"reference": focus}},
            ],
        }
        for number, focus in enumerate(foci, 1)
    ]
    return {
        "resourceType": "Parameters",
        "id": "status",
        "meta": {
            "profile": [
                "http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-subscription-status-r4"
            ]
        },
        "parameter": [
            {"name": "subscription", "valueReference": {"reference": f"{BASE}/Subscription/s1"}},
            {"name": "topic", "valueCanonical": "https://pacs.example/topics/reports"},
            {"name": "status", "valueCode": "active"},
            {"name": "type", "valueCode": kind},
            {"name": "events-since-subscription-start", "valueString": str(len(foci))},
            *events,
        ],
    }


def status(kind: str, *foci: str) -> Json:
    """The same as R4B and R5 have it."""
    resource: Json = {
        "resourceType": "SubscriptionStatus",
        "id": "status",
        "status": "active",
        "type": kind,
        "subscription": {"reference": f"{BASE}/Subscription/s1"},
    }
    if foci:
        resource["notificationEvent"] = [
            {"eventNumber": str(number), "focus": {"reference": focus}} for number, focus in enumerate(foci, 1)
        ]
    return resource


def notification(first: Json, *entries: Json, kind: str = "history") -> Json:
    head = {"fullUrl": "urn:uuid:00000000-0000-4000-8000-00000000000a", "resource": first}
    return {"resourceType": "Bundle", "type": kind, "entry": [_complete(head), *map(_complete, entries)]}


def reference(url: str) -> Json:
    """An entry that brings no resource."""
    return {"fullUrl": url}


def deletion(name: str) -> Json:
    return {"fullUrl": f"{BASE}/{name}", "request": {"method": "DELETE", "url": name}, "response": {"status": "204"}}


def _complete(entry: Json) -> Json:
    return {"request": {"method": "PUT", "url": "x"}, "response": {"status": "200"}} | entry
