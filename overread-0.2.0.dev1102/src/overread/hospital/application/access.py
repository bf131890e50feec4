"""Keys by which programs, and people without a login of their own, come in: issued, checked and revoked."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final, Protocol

from attrs import define, field, frozen

from overread.exceptions import ConfigurationError, PermissionDeniedError
from overread.hospital.application.key_check import ISSUED, REVOKED, told_of_key
from overread.hospital.application.ports import HospitalStore
from overread.hospital.domain.access import AccessKey
from overread.hospital.domain.audit_trail import Actor, AuditEvent, Role

__all__ = ["AccessControl", "IssuedKey", "SecretHasher"]

_LETTERS: Final = string.ascii_lowercase + string.digits
_PREFIX: Final = 12
_SECRET: Final = re.compile(rf"orv_([{_LETTERS}]{{{_PREFIX}}})_([A-Za-z0-9_-]{{43}})")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}")
_OWN_NAMES: Final = frozenset({"fhir", "folder", "hl7", "overread", "webhooks"})
_REMEMBERED: Final = 1024


class SecretHasher(Protocol):
    """Digests of secrets that are slow to make, so that stolen ones are of no use."""

    def digest(self, secret: str) -> str:
        """A salted digest."""
        ...

    def holds(self, digest: str, secret: str) -> bool:
        """Return whether a digest was made from a secret; a mismatch takes just as long."""
        ...


@frozen
class IssuedKey:
    """A new key with its secret, which can be had nowhere else."""

    key: AccessKey
    secret: str = field(repr=False)


def _now() -> datetime:
    return datetime.now(UTC)


@define(eq=False)
class AccessControl:
    """The keys of a store. Safe for threads.

    A secret reads ``orv_PREFIX_SECRET``: by the prefix its key is found, the rest is 256 random bits. The key is looked
    up each time, so that revocation and expiry hold at once, in every process; that a secret belongs to it is computed
    once, since that takes long, and then remembered in this process alone.

    Attributes:
        store: where keys are.
        hasher: of the secrets.
        clock: tells the time in UTC.
    """

    store: HospitalStore
    hasher: SecretHasher
    clock: Callable[[], datetime] = _now
    _known: OrderedDict[str, tuple[bytes, str]] = field(factory=OrderedDict, init=False, repr=False)
    _decoys: list[str] = field(factory=list, init=False, repr=False)
    _lock: Lock = field(factory=Lock, init=False, repr=False)

    def issue(self, name: str, roles: Iterable[Role], *, by: Actor, lasting: timedelta | None = None) -> IssuedKey:
        """A new key. Admin.

        Args:
            name: unique; 1 to 64 letters, digits, blanks and ``._@-``.
            roles: one or more.
            by: on whose behalf.
            lasting: until it expires; for ever where None.

        Raises:
            ConfigurationError: naming every problem; or where a key of this name was issued before.
            PermissionDeniedError: if they may not.
        """
        _need_admin(by)
        roles = frozenset(roles)
        problems = _problems(name, roles, lasting)
        if problems:
            raise ConfigurationError(problems)
        now, secret = self.clock(), _new_secret()
        key = AccessKey(
            name=name,
            prefix=_prefix(secret),
            digest=self.hasher.digest(secret),
            roles=roles,
            created=now,
            expires=None if lasting is None else now + lasting,
        )
        with self.store.transaction() as unit:
            unit.keys.add(key)
            unit.trail.append(_event(now, by, ISSUED, name, told_of_key(key)))
        return IssuedKey(key, secret)

    def every(self, *, by: Actor) -> Sequence[AccessKey]:
        """All keys, oldest first, those that were revoked or have expired included. Admin."""
        _need_admin(by)
        with self.store.reading() as unit:
            return unit.keys.every()

    def revoke(self, name: str, *, by: Actor) -> None:
        """Let a key end now. Admin.

        Raises:
            NotFoundError: if there is none of this name.
            PermissionDeniedError: if they may not.
        """
        _need_admin(by)
        now = self.clock()
        with self.store.transaction() as unit:
            unit.keys.revoke(name, now)
            unit.trail.append(_event(now, by, REVOKED, name))

    def authenticate(self, secret: str) -> AccessKey | None:
        """The key that a secret opens; None for a secret that is wrong, revoked or expired."""
        match = _SECRET.fullmatch(secret)
        if match is None:
            return None
        key = self.standing(match[1])
        # A prefix that is not known takes as long as one that is.
        known = self._holds(match[1], secret, key.digest if key is not None else None)
        return key if known else None

    def is_remembered(self, secret: str) -> bool:
        """Return whether a secret was found valid before, so that checking it is too cheap to need limiting."""
        match = _SECRET.fullmatch(secret)
        with self._lock:
            known = self._known.get(match[1]) if match is not None else None
        return known is not None and hmac.compare_digest(known[0], _fast(secret))

    def standing(self, prefix: str) -> AccessKey | None:
        """The key of a prefix, as long as it is neither revoked nor expired."""
        with self.store.reading() as unit:
            key = unit.keys.by_prefix(prefix)
        if key is None or key.revoked is not None:
            return None
        return None if key.expires is not None and key.expires <= self.clock() else key

    def sign_out(self, session: str, name: str, *, until: datetime) -> None:
        """Let a session end in every process; one that had ended before did so then.

        Args:
            session: its id.
            name: who had signed in; "" for nobody, of whom the trail says nothing.
            until: when it would have ended anyway.
        """
        now = self.clock()
        with self.store.transaction() as unit:
            if unit.sessions.add(session, now=now, until=until) and name:
                unit.trail.append(AuditEvent(number=0, at=now, actor=name, action="logout"))

    def sign_out_all(self, mark: str, *, until: datetime) -> None:
        """Let every session end that has a mark and has begun, in every process.

        Args:
            mark: what the sessions of one person, or of one visit to an identity provider, have in common.
            until: when a session that begins now would end anyway.
        """
        now = self.clock()
        with self.store.transaction() as unit:
            if unit.sessions.add(mark, now=now, until=until):
                unit.trail.append(AuditEvent(number=0, at=now, actor="oidc", action="logout", subject=mark))

    def is_signed_out(self, sessions: Collection[str], *, until: datetime) -> bool:
        """Return whether a session was ended by any process; looked up each time.

        Args:
            sessions: its id and its marks.
            until: when it ends anyway.
        """
        with self.store.reading() as unit:
            return unit.sessions.has(sessions, until=until)

    def record(self, action: str, name: str, details: tuple[tuple[str, str], ...] = ()) -> None:
        """An audit event of somebody who came in or went."""
        with self.store.transaction() as unit:
            unit.trail.append(AuditEvent(number=0, at=self.clock(), actor=name, action=action, details=details))

    def _holds(self, prefix: str, secret: str, digest: str | None) -> bool:
        fast = _fast(secret)
        with self._lock:
            before = self._known.get(prefix)
        if before is not None and before[1] == digest and hmac.compare_digest(before[0], fast):
            return True
        if digest is None:
            self.hasher.holds(self._decoy(), secret)
            return False
        if not self.hasher.holds(digest, secret):
            return False
        with self._lock:
            self._known[prefix] = (fast, digest)
            self._known.move_to_end(prefix)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return True

    def _decoy(self) -> str:
        """The digest of a secret that nobody knows."""
        with self._lock:
            if not self._decoys:
                self._decoys.append(self.hasher.digest(_new_secret()))
            return self._decoys[0]


def _new_secret() -> str:
    prefix = "".join(secrets.choice(_LETTERS) for _ in range(_PREFIX))
    return f"orv_{prefix}_{secrets.token_urlsafe(32)}"


def _prefix(secret: str) -> str:
    return secret.split("_", 2)[1]


def _fast(secret: str) -> bytes:
    """Enough to tell 256 random bits in memory by; no digest that is kept."""
    return hashlib.sha256(secret.encode()).digest()


def _problems(name: str, roles: frozenset[Role], lasting: timedelta | None) -> list[str]:
    requirements = {
        "a key's name must be 1 to 64 letters, digits, blanks or ._@-, a letter or digit first": bool(
            _NAME.fullmatch(name)
        ),
        (
            f"a key's name must not be one of {', '.join(sorted(_OWN_NAMES))}, which the audit trail uses for the "
            "service itself"
        ): (name.strip().casefold() not in _OWN_NAMES),
        "a key's name must not end in a blank, or it would read like another's": name == name.strip(),
        f"a key needs at least one role: {', '.join(Role)}": bool(roles),
        "the time until a key expires must be above 0": lasting is None or lasting > timedelta(0),
    }
    return [problem for problem, holds in requirements.items() if not holds]


def _event(at: datetime, by: Actor, action: str, name: str, details: tuple[tuple[str, str], ...] = ()) -> AuditEvent:
    return AuditEvent(number=0, at=at, actor=by.name, action=action, subject=f"key:{name}", details=details)


def _need_admin(by: Actor) -> None:
    if Role.ADMIN not in by.roles:
        raise PermissionDeniedError(f"only the role {Role.ADMIN} may see and change keys")
