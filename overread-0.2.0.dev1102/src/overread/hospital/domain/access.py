"""Keys by which programs come in."""

from __future__ import annotations

from datetime import datetime

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_set
from overread.hospital.domain.audit_trail import Role

__all__ = ["AccessKey"]


@frozen(kw_only=True)
class AccessKey:
    """A key that was issued; the secret itself is shown once and kept nowhere.

    Attributes:
        name: by which events name whoever uses it; unique.
        prefix: the part of the secret by which its row is found; no secret.
        digest: argon2 hash of the secret.
        roles: what it may do.
        created, expires, revoked: in UTC; None for never.
    """

    name: str
    prefix: str
    digest: str = field(repr=False)
    roles: frozenset[Role] = field(converter=in_set)
    created: datetime
    expires: datetime | None = None
    revoked: datetime | None = None
