"""The audit trail in a database: only ever added to, by one writer at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence

from attrs import define, evolve
from sqlalchemy import Connection, select

from overread.hospital.domain.audit_trail import BEFORE_THE_FIRST, AuditEvent, seal_event
from overread.hospital.infrastructure.store._hospital_tables import AUDIT_EVENTS
from overread.infrastructure.store.columns import plain
from overread.infrastructure.store.statements import Lock, Row, lock

__all__ = ["SqlTrail"]


@define
class SqlTrail:
    """The trail within one transaction."""

    connection: Connection

    def append(self, event: AuditEvent) -> AuditEvent:
        """Add an event, with its number and its digest."""
        lock(self.connection, Lock.TRAIL)
        query = select(AUDIT_EVENTS.c.number, AUDIT_EVENTS.c.digest).order_by(AUDIT_EVENTS.c.number.desc()).limit(1)
        last = self.connection.execute(query).first()
        number, previous = (last.number, last.digest) if last else (0, BEFORE_THE_FIRST)
        sealed_event = seal_event(_storable(event), number=number + 1, previous=previous)
        row = {name: getattr(sealed_event, name) for name in ("number", "actor", "action", "subject", "digest")}
        self.connection.execute(
            AUDIT_EVENTS.insert().values(made=sealed_event.at, details=json.dumps(sealed_event.details), **row)
        )
        return sealed_event

    def events(self, after: int = 0, limit: int = 1000) -> Sequence[AuditEvent]:
        """Events in order, from the one after a number."""
        query = select(AUDIT_EVENTS).where(AUDIT_EVENTS.c.number > after).order_by(AUDIT_EVENTS.c.number).limit(limit)
        return [_event(row) for row in self.connection.execute(query).mappings()]


def _storable(event: AuditEvent) -> AuditEvent:
    """The event as it comes back, so that its digest is of that."""
    return evolve(event, actor=plain(event.actor), action=plain(event.action), subject=plain(event.subject))


def _event(row: Row) -> AuditEvent:
    return AuditEvent(
        number=row["number"],
        at=row["made"],
        actor=row["actor"],
        action=row["action"],
        subject=row["subject"],
        details=tuple((name, value) for name, value in json.loads(row["details"])),
        digest=row["digest"],
    )
