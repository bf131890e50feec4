"""The audit trail: who did what to which record, each event sealed to the one before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from itertools import count
from typing import Final

from attrs import evolve, field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import InputError

__all__ = ["BEFORE_THE_FIRST", "Actor", "AuditEvent", "Role", "TrailCheck", "digest_of", "seal_event", "verify"]

BEFORE_THE_FIRST: Final = ""
"""The digest that the first event is sealed to."""


class Role(StrEnum):
    """Role of an actor. Each role grants only its own permissions; an administrator has all of them."""

    SUBMITTER = "submitter"
    """Brings reports and pairs in, and reads the results of the pairs it gave in batches."""

    REVIEWER = "reviewer"
    """Searches, reads and reviews."""

    LEAD = "lead"
    """Plans and follows the readings of others, beside all that a reviewer may."""

    AUTHOR = "author"
    """Sees the pairs of which they wrote a report, and what can be learnt from these; not who reviewed them."""

    ADMIN = "admin"
    """Keys, deletion, retention, export, the audit trail; and everything else."""


def _in_roles(roles: Iterable[Role]) -> frozenset[Role]:
    try:
        return frozenset(Role(role) for role in roles)
    except ValueError:
        raise InputError("roles", "one is not a Role", remedy=f"give a set of {', '.join(Role)}") from None


@frozen(kw_only=True)
class Actor:
    """The person or program on whose behalf something is done.

    Attributes:
        name: of the person, or of the program's key.
        roles: what they may do.

    Raises:
        InputError: if there is no such role.
    """

    name: str
    roles: frozenset[Role] = field(converter=_in_roles)


@frozen(kw_only=True)
class AuditEvent:
    """One thing that was done. It holds names and numbers, never report text.

    Attributes:
        number: in the order of the trail, from 1.
        at: when, in UTC.
        actor: name of whoever did it.
        action: for example "review", "export", "erase", "login".
        subject: what it was done to, for example "pair:17".
        details: names and values.
        digest: SHA-256 over this event and the digest of the one before, in hexadecimal.
    """

    number: int
    at: datetime
    actor: str
    action: str
    subject: str = ""
    details: tuple[tuple[str, str], ...] = field(default=(), converter=in_tuple)
    digest: str = ""


@frozen(kw_only=True)
class TrailCheck:
    """Result of checking a trail.

    Attributes:
        events: number of events that hold, from the first one checked on.
        newest: digest of the last of them. Kept elsewhere, it shows later whether the trail was cut off or rewritten.
        broken: number of the first event that does not hold; None if all do.
        problem: what is wrong with it or, if all events hold, with a record that they describe.
        reviews: number of reviews that were checked against the events that describe them, and match.
        rows: number of versions and pairs that match likewise, or that no event could describe.
    """

    events: int
    newest: str
    broken: int | None = None
    problem: str = ""
    reviews: int = 0
    rows: int = 0

    @property
    def holds(self) -> bool:
        """True if every event holds, and every review, version and pair that the events describe."""
        return self.broken is None and not self.problem


def digest_of(event: AuditEvent, previous: str) -> str:
    """SHA-256 in hexadecimal over an event and the digest of the one before; the event's own digest does not count.

    Args:
        event: with its number; its moment must have a time zone.
        previous: digest of the event before, `BEFORE_THE_FIRST` for the first.

    Raises:
        ValueError: if the moment has no time zone.
    """
    if event.at.tzinfo is None:
        raise ValueError("an audit event needs a moment with a time zone")
    at = event.at.astimezone(UTC).isoformat(timespec="microseconds")
    content = [
        previous,
        event.number,
        at,
        event.actor,
        event.action,
        event.subject,
        [list(detail) for detail in event.details],
    ]
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode("ascii")).hexdigest()


def seal_event(event: AuditEvent, *, number: int, previous: str) -> AuditEvent:
    """An event with its number and its digest, as it stands after the one whose digest is given."""
    numbered = evolve(event, number=number)
    return evolve(numbered, digest=digest_of(numbered, previous))


def verify(
    events: Iterable[AuditEvent],
    *,
    after: int = 0,
    previous: str = BEFORE_THE_FIRST,
    known: Mapping[int, str] | None = None,
) -> TrailCheck:
    """Check whether a trail is intact, and find the first event that does not hold if it is not.

    An event that was changed, removed, inserted or moved breaks the chain at its place. Nothing marks the end of a
    chain: that its newest events were cut off, or all were rewritten, shows only against digests ``known`` from before.

    Args:
        events: in order, from the one after ``after``; iterated over once.
        after: number of the last event that was checked before, 0 to begin with the first.
        previous: its digest.
        known: digests by event number, from an earlier export or check that was kept elsewhere.
    """
    awaited = dict(known or {})
    held = 0
    for number, event in zip(count(after + 1), events, strict=False):
        problem = _problem(event, number, previous, awaited.pop(number, event.digest))
        if problem:
            return TrailCheck(events=held, newest=previous, broken=number, problem=problem)
        held, previous = held + 1, event.digest
    cut = min((number for number in awaited if number > after + held), default=None)
    problem = "it is missing: the end of the trail was cut off" if cut is not None else ""
    return TrailCheck(events=held, newest=previous, broken=cut, problem=problem)


def _problem(event: AuditEvent, number: int, previous: str, known: str) -> str:
    """Describe what is wrong with an event at its place in the chain; "" if it holds."""
    if event.number != number:
        return f"event {event.number} is in its place: events were removed, added or moved"
    if event.digest != digest_of(event, previous):
        return "its digest does not match: it was changed, or the one before it was replaced"
    return "" if event.digest == known else "it differs from the one known before: the trail was rewritten"
