"""The audit trail: who did what to which record, each event sealed to the one before."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import field, frozen

from overread.domain.equality import in_tuple

__all__ = ["Actor", "AuditEvent", "Role"]


class Role(StrEnum):
    """What somebody may do; each may do only its own, and an administrator all."""

    SUBMITTER = "submitter"
    """Brings reports and pairs in, and reads the results of what it submitted itself."""

    REVIEWER = "reviewer"
    """Searches, reads and reviews."""

    ADMIN = "admin"
    """Keys, deletion, retention, export, the audit trail; and everything else."""


@frozen(kw_only=True)
class Actor:
    """On whose behalf something is done.

    Attributes:
        name: of a person, or of the key that a program has.
        roles: what they may do.
    """

    name: str
    roles: frozenset[Role] = field(converter=frozenset)


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
