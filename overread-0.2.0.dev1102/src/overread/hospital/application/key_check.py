"""Access keys held against the events of the audit trail that tell of them."""

from __future__ import annotations

import hashlib
from typing import Final

from attrs import define, evolve, field

from overread.hospital.application.ports import UnitOfWork
from overread.hospital.domain.access import AccessKey
from overread.hospital.domain.audit_trail import AuditEvent, TrailCheck

__all__ = ["ISSUED", "REVOKED", "KeyCheck", "told_of_key"]

ISSUED: Final = "key-issued"
REVOKED: Final = "key-revoked"
"""Actions of the events that tell of keys."""

_SEAL: Final = "key"
_DIGITS: Final = 32


def told_of_key(key: AccessKey) -> tuple[tuple[str, str], ...]:
    """Details that an event tells of an issued key: what it may do, until when, and a digest of how it is known."""
    known = hashlib.sha256(f"{key.prefix} {key.digest}".encode()).hexdigest()[:_DIGITS]
    return (
        ("roles", " ".join(sorted(key.roles))),
        ("expires", key.expires.isoformat() if key.expires else "never"),
        (_SEAL, known),
    )


@define
class KeyCheck:
    """Notes the events that tell of keys, then looks whether those of a store are these."""

    _issued: dict[str, AuditEvent] = field(factory=dict, init=False)
    _revoked: dict[str, AuditEvent] = field(factory=dict, init=False)

    def note(self, event: AuditEvent) -> AuditEvent:
        """Takes an event of the trail, in its order, and gives it back."""
        for action, by_subject in ((ISSUED, self._issued), (REVOKED, self._revoked)):
            if event.action == action:
                by_subject.setdefault(event.subject, event)
        return event

    def against(self, unit: UnitOfWork, check: TrailCheck) -> TrailCheck:
        """A check of the whole trail with what comes of keys: the first problem.

        Args:
            unit: of the moment in which the trail was read.
            check: that came of it.
        """
        problems = (problem for key in unit.keys.every() if (problem := self._problem(key)))
        return evolve(check, problem=next(problems, ""))

    def _problem(self, key: AccessKey) -> str:
        """Describes the problem with a key; "" if it is as events tell of it."""
        issued, revoked = (by_subject.get(f"key:{key.name}") for by_subject in (self._issued, self._revoked))
        if issued is None:
            return f"the key {key.name!r} is in no event: it was added outside the service"
        current, details = dict(told_of_key(key)), dict(issued.details)
        if any(details.get(name, current[name]) != current[name] for name in current):
            return f"the key {key.name!r} differs from event {issued.number}"
        if revoked is not None and key.revoked is None:
            return f"the key {key.name!r} is valid again, but event {revoked.number} revoked it"
        return ""
