"""Events of the audit trail as FHIR's."""

from __future__ import annotations

from typing import Final

from overread.hospital.domain.audit_trail import AuditEvent
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.out.parts import Resource, code, make_resource, moment

__all__ = ["ACTIONS", "audit_event"]

ACTIONS: Final = "urn:overread:audit-action"
"""System of the codes of what was done, such as "review" or "erase"."""

_KINDS: Final = {
    "submit": "C",
    "ingest": "C",
    "review": "C",
    "protocol": "C",
    "protocols": "R",
    "assignments": "R",
    "agreement": "R",
    "learning": "C",
    "answer": "C",
    "acknowledge": "C",
    "read learning": "R",
    "read own": "R",
    "own pairs": "R",
    "conference": "R",
    "cases": "R",
    "charts": "R",
    "coverage": "R",
    "flag-worth": "R",
    "monthly-report": "R",
    "radpeer-counts": "R",
    "actions": "R",
    "read": "R",
    "explain": "R",
    "search": "R",
    "export": "R",
    "audit": "R",
    "erase": "D",
    "retain": "D",
}
"""Create, read, delete; everything else is an execution."""

_DIGEST: Final = "sha256"


def audit_event(event: AuditEvent, output: FhirOutput) -> Resource:
    """An event with who did it, what to, and the digest that seals it to the one before.

    Args:
        event: of the trail.
        output: how it is written.
    """
    kind = _KINDS.get(event.action, "E")
    details = [*event.details, *([(_DIGEST, event.digest)] if event.digest else [])]
    entity = {
        "what": {"display": event.subject} if event.subject else None,
        "detail": [{"type": _type(name, output), "valueString": value or "-"} for name, value in details],
    }
    entities = [{key: value for key, value in entity.items() if value}]
    elements = {
        "action": kind,
        "recorded": moment(event.at),
        "agent": [{"who": {"display": event.actor or "unknown"}, "requestor": True}],
        "source": {"observer": {"display": "overread"}},
        "entity": [filled for filled in entities if filled],
    }
    concept = code(ACTIONS, event.action)
    shape = {"code": concept} if output.is_r5 else {"type": concept["coding"][0]}
    return make_resource("AuditEvent", f"audit/{event.number}", output, shape | elements)


def _type(name: str, output: FhirOutput) -> Resource | str:
    return {"text": name} if output.is_r5 else name
