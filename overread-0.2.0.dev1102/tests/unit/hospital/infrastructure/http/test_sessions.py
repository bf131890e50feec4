"""Session cookies: sealed, bound to a time, ended."""

from __future__ import annotations

import base64
import json

from attrs import define, evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.infrastructure.http._sessions import Sessions
from overread.hospital.infrastructure.http.configuration import HttpConfiguration

_LIMITS = HttpConfiguration(session_secret=b"s" * 32)
_ANNA = Actor(name="anna", roles={Role.REVIEWER})


@define
class _Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def _sessions() -> tuple[Sessions, _Clock]:
    clock = _Clock()
    return Sessions(_LIMITS, clock), clock


def test_a_sealed_session_comes_back() -> None:
    """In every process that has the secret, and in none that has another."""
    sessions, clock = _sessions()
    session = sessions.new(_ANNA, key="abc")
    assert sessions.opened(sessions.seal(session)) == session
    assert Sessions(_LIMITS, clock).opened(sessions.seal(session)) == session
    assert Sessions(evolve(_LIMITS, session_secret=b"t" * 32), clock).opened(sessions.seal(session)) is None


@given(st.text(max_size=300))
def test_what_was_not_sealed_is_no_session(value: str) -> None:
    """Whatever a cookie holds, nothing but a sealed value is opened, and nothing breaks."""
    assert _sessions()[0].opened(value) is None


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_changed_cookie_is_no_session(place: int, change: int) -> None:
    """A change of any character of body or seal is found."""
    sessions, _ = _sessions()
    value = sessions.seal(sessions.new(_ANNA))
    place %= len(value)
    changed = value[:place] + chr((ord(value[place]) + change) % 256) + value[place + 1 :]
    assert sessions.opened(changed) is None


def test_roles_cannot_be_written_by_hand() -> None:
    """A body with other roles under the old seal is refused."""
    sessions, _ = _sessions()
    body, seal = sessions.seal(sessions.new(_ANNA)).split(".")
    record = json.loads(base64.urlsafe_b64decode(body + "=="))
    record[2] = ["admin"]
    forged = base64.urlsafe_b64encode(json.dumps(record).encode()).decode().rstrip("=")
    assert sessions.opened(f"{forged}.{seal}") is None


def test_a_session_ends() -> None:
    """When it was idle too long, and after its lifetime however busy it was."""
    sessions, clock = _sessions()
    idle, busy = sessions.new(_ANNA), sessions.new(_ANNA)
    start = clock.now
    while clock.now < start + _LIMITS.session_lifetime.total_seconds() - 600:
        clock.now += 600
        opened = sessions.opened(sessions.seal(busy))
        assert opened is not None
        busy = sessions.touch(opened)
    assert sessions.opened(sessions.seal(idle)) is None
    clock.now += 600
    assert sessions.opened(sessions.seal(busy)) is None
    assert sessions.end_of(busy.started).timestamp() == clock.now


def test_a_form_token_is_of_one_session() -> None:
    """It holds for its session, and not for another of the same person."""
    sessions, _ = _sessions()
    one, other = sessions.new(_ANNA), sessions.new(_ANNA)
    assert sessions.holds(one, sessions.csrf_token(one))
    assert not sessions.holds(other, sessions.csrf_token(one))
    assert not sessions.holds(one, "")


def test_a_token_opens_no_session_and_a_seal_is_no_token() -> None:
    """Seals and tokens are made for one purpose each."""
    sessions, _ = _sessions()
    session = sessions.new(_ANNA)
    body, seal = sessions.seal(session).split(".")
    assert sessions.opened(f"{session.id}.{sessions.csrf_token(session)}") is None
    assert not sessions.holds(evolve(session, id=body), seal)
