"""Keys: issued, checked, remembered, expired and revoked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from attrs import define, field

from overread.exceptions import ConfigurationError, NotFoundError, PermissionDeniedError
from overread.hospital.application.access import AccessControl
from overread.hospital.domain.audit_trail import Actor, AuditEvent, Role
from overread.hospital.infrastructure.http import secret_hasher
from overread.hospital.testing import MemoryHospitalStore

from .quick import FakeHasher

_ADMIN = Actor(name="admin", roles={Role.ADMIN})
_NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@define
class _Clock:
    now: datetime = field(default=_NOON)

    def __call__(self) -> datetime:
        return self.now


def _control() -> tuple[AccessControl, MemoryHospitalStore, FakeHasher, _Clock]:
    store, hasher, clock = MemoryHospitalStore(), FakeHasher(), _Clock()
    return AccessControl(store, hasher, clock), store, hasher, clock


def _trail(store: MemoryHospitalStore) -> list[AuditEvent]:
    with store.reading() as unit:
        return list(unit.trail.events())


def test_a_key_opens_with_its_secret_alone() -> None:
    """The secret that was shown opens the key; one that differs in a letter, or is none, opens nothing."""
    control, *_ = _control()
    issued = control.issue("triage", [Role.SUBMITTER], by=_ADMIN)
    assert control.authenticate(issued.secret) == issued.key
    wrong = issued.secret[:-1] + ("A" if issued.secret[-1] != "A" else "B")
    others = [wrong, "", "orv_", issued.secret + "A", issued.secret.upper(), f" {issued.secret}", "orv_" + "a" * 56]
    assert [control.authenticate(other) for other in others] == [None] * len(others)


def test_the_secret_is_kept_nowhere() -> None:
    """Neither the kept key nor the trail nor a repr holds it."""
    control, store, *_ = _control()
    issued = control.issue("triage", [Role.SUBMITTER], by=_ADMIN)
    hidden = issued.secret.split("_", 2)[2]
    assert hidden not in f"{issued!r}{_trail(store)!r}{issued.key!r}"


def test_a_known_secret_is_not_hashed_again() -> None:
    """The slow check is made once; a wrong secret is checked each time, and never remembered."""
    control, _, hasher, _ = _control()
    issued = control.issue("triage", [Role.SUBMITTER], by=_ADMIN)
    assert not control.is_remembered(issued.secret)
    for _ in range(3):
        assert control.authenticate(issued.secret)
    assert (hasher.checked, control.is_remembered(issued.secret)) == (1, True)
    wrong = f"orv_{issued.key.prefix}_{'x' * 43}"
    assert [control.authenticate(wrong), control.authenticate(wrong)] == [None, None]
    assert (hasher.checked, control.is_remembered(wrong)) == (3, False)


def test_an_unknown_prefix_takes_as_long() -> None:
    """A secret whose prefix is nobody's is held against a digest all the same."""
    control, _, hasher, _ = _control()
    assert control.authenticate(f"orv_{'a' * 12}_{'x' * 43}") is None
    assert hasher.checked == 1


def test_revocation_holds_at_once() -> None:
    """A key that was revoked elsewhere, in another process, opens nothing more, though it was remembered."""
    control, store, *_ = _control()
    issued = control.issue("triage", [Role.SUBMITTER], by=_ADMIN)
    assert control.authenticate(issued.secret)
    with store.transaction() as unit:
        unit.keys.revoke("triage", _NOON)
    assert control.authenticate(issued.secret) is None
    assert control.standing(issued.key.prefix) is None


def test_a_key_expires() -> None:
    """It opens until its time, and not at it."""
    control, _, _, clock = _control()
    issued = control.issue("triage", [Role.SUBMITTER], by=_ADMIN, lasting=timedelta(days=1))
    clock.now = _NOON + timedelta(days=1, microseconds=-1)
    assert control.authenticate(issued.secret)
    clock.now = _NOON + timedelta(days=1)
    assert control.authenticate(issued.secret) is None


def test_only_an_administrator_sees_and_changes_keys() -> None:
    """A reviewer or submitter is refused, and nothing has changed."""
    control, *_ = _control()
    other = Actor(name="b", roles={Role.REVIEWER, Role.SUBMITTER})
    for refused in (
        lambda: control.issue("mine", [Role.ADMIN], by=other),
        lambda: control.every(by=other),
        lambda: control.revoke("mine", by=other),
    ):
        with pytest.raises(PermissionDeniedError):
            refused()
    assert control.every(by=_ADMIN) == []


def test_every_problem_of_a_new_key_is_told() -> None:
    """A bad name, no role and no time are told together; a name is given once."""
    control, *_ = _control()
    with pytest.raises(ConfigurationError) as caught:
        control.issue("<script>", [], by=_ADMIN, lasting=timedelta(0))
    assert len(caught.value.problems) == 3
    control.issue("one", [Role.ADMIN], by=_ADMIN)
    with pytest.raises(ConfigurationError):
        control.issue("one", [Role.ADMIN], by=_ADMIN)
    with pytest.raises(NotFoundError):
        control.revoke("two", by=_ADMIN)


@pytest.mark.parametrize("name", ["hl7", "FHIR", "folder", "overread", "webhooks ", "triage "])
def test_a_key_is_called_as_nobody_else_in_the_trail(name: str) -> None:
    """Else what its holder does would read as done by the service itself, or by another's key."""
    control, *_ = _control()
    with pytest.raises(ConfigurationError):
        control.issue(name, [Role.SUBMITTER], by=_ADMIN)


def test_what_is_done_with_keys_is_in_the_trail() -> None:
    """Issue and revocation are events that name the key; that of its issue has a digest of how it is known."""
    control, store, *_ = _control()
    control.issue("triage", [Role.REVIEWER, Role.SUBMITTER], by=_ADMIN)
    control.revoke("triage", by=_ADMIN)
    told = [(event.actor, event.action, event.subject) for event in _trail(store)]
    assert told == [("admin", "key-issued", "key:triage"), ("admin", "key-revoked", "key:triage")]
    details = dict(_trail(store)[0].details)
    assert len(details.pop("key")) == 32
    assert details == {"roles": "reviewer submitter", "expires": "never"}


def test_secrets_are_hashed_by_argon2id() -> None:
    """The real hasher salts, tells right from wrong, and takes what is no digest for wrong."""
    hasher = secret_hasher()
    one, other = hasher.digest("a secret"), hasher.digest("a secret")
    assert one.startswith("$argon2id$")
    assert one != other
    assert [hasher.holds(one, "a secret"), hasher.holds(one, "another"), hasher.holds("nothing", "a secret")] == [
        True,
        False,
        False,
    ]
