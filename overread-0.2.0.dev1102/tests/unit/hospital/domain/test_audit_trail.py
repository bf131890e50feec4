"""The chain of the audit trail: whatever is done to it afterwards shows, at its place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.exceptions import InputError
from overread.hospital.domain.audit_trail import (
    BEFORE_THE_FIRST,
    Actor,
    AuditEvent,
    Role,
    digest_of,
    seal_event,
    verify,
)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def _trail(length: int) -> list[AuditEvent]:
    events: list[AuditEvent] = []
    previous = BEFORE_THE_FIRST
    for number in range(1, length + 1):
        event = AuditEvent(
            number=0,
            at=NOON + timedelta(seconds=number),
            actor="anna",
            action="review",
            subject=f"pair:{number}",
            details=(("radpeer", "2b"),),
        )
        events.append(seal_event(event, number=number, previous=previous))
        previous = events[-1].digest
    return events


def test_an_untouched_trail_holds() -> None:
    """Every event is counted, and the newest digest is that of the last one."""
    events = _trail(5)
    check = verify(events)
    assert (check.holds, check.events, check.newest) == (True, 5, events[-1].digest)
    assert verify([]).holds


def test_the_digest_is_over_what_is_written_here() -> None:
    """Computed by hand with sha256sum over the JSON text, so that another program can check a trail."""
    event = AuditEvent(number=1, at=NOON, actor="anna", action="login")
    # printf '%s' '["",1,"2026-03-02T12:00:00.000000+00:00","anna","login","",[]]' | sha256sum
    assert digest_of(event, BEFORE_THE_FIRST) == "32cbba84bad7cb7595a3b81f777bd2acf3f5564f38f10441685f4852d5aab393"


def test_a_moment_is_the_same_in_every_time_zone() -> None:
    """A store may give a moment back in another zone; it is the same event. One without a zone is refused."""
    event = AuditEvent(number=1, at=NOON, actor="anna", action="login")
    moved = evolve(event, at=NOON.astimezone(timezone(timedelta(hours=2))))
    assert digest_of(event, "x") == digest_of(moved, "x")
    with pytest.raises(ValueError, match="time zone"):
        digest_of(evolve(event, at=NOON.replace(tzinfo=None)), "x")


@pytest.mark.parametrize(
    "change",
    [
        {"at": NOON},
        {"actor": "bert"},
        {"action": "export"},
        {"subject": "pair:9"},
        {"details": (("radpeer", "1"),)},
        {"details": ()},
        {"digest": "0" * 64},
    ],
)
@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_changed_event_is_named(change: dict[str, Any], place: int) -> None:
    """Whatever of an event is changed, the trail holds up to the one before it and no further."""
    events = _trail(5)
    events[place] = evolve(events[place], **change)
    check = verify(events)
    assert (check.broken, check.events) == (place + 1, place)
    assert "digest" in check.problem


def test_an_event_that_was_changed_and_sealed_again_breaks_the_next() -> None:
    """Whoever mends the digest of one event must mend all that follow."""
    events = _trail(5)
    events[1] = seal_event(evolve(events[1], actor="bert"), number=2, previous=events[0].digest)
    assert verify(events).broken == 3


@given(st.integers(2, 8), st.data())
def test_removed_inserted_and_moved_events_show(length: int, data: st.DataObject) -> None:
    """Taken out before the end, put in twice, or swapped with another: the first place that is wrong is named."""
    events = _trail(length)
    place = data.draw(st.integers(0, length - 2))
    removed = events[:place] + events[place + 1 :]
    assert verify(removed).broken == place + 1
    doubled = events[: place + 1] + events[place:]
    assert verify(doubled).broken == place + 2
    swapped = [*events[:place], events[place + 1], events[place], *events[place + 2 :]]
    assert verify(swapped).broken == place + 1


def test_renumbering_does_not_hide_a_removed_event() -> None:
    """The number is part of what is sealed."""
    events = _trail(4)
    renumbered = [events[0], evolve(events[2], number=2), evolve(events[3], number=3)]
    assert verify(renumbered).broken == 2


def test_a_cut_end_shows_beside_what_was_known_before() -> None:
    """The chain itself cannot tell; a digest that was kept elsewhere can, and names the first event that is gone."""
    events = _trail(5)
    known = {event.number: event.digest for event in events}
    assert verify(events[:3]).holds
    check = verify(events[:3], known=known)
    assert (check.broken, check.events) == (4, 3)
    assert "cut off" in check.problem


def test_a_trail_written_anew_shows_beside_what_was_known_before() -> None:
    """A whole new chain holds by itself, and not beside one digest of the old one."""
    events = _trail(3)
    forged = [seal_event(evolve(events[0], actor="bert"), number=1, previous=BEFORE_THE_FIRST)]
    forged += [seal_event(event, number=2, previous=forged[0].digest) for event in events[1:2]]
    assert verify(forged).holds
    check = verify(forged, known={2: events[1].digest})
    assert (check.broken, check.problem) == (2, "it differs from the one known before: the trail was rewritten")


def test_a_trail_is_checked_from_where_it_was_checked_before() -> None:
    """From a number and its digest on; what was known of earlier events is not asked for again."""
    events = _trail(6)
    known = {2: events[1].digest, 5: events[4].digest}
    check = verify(events[3:], after=3, previous=events[2].digest, known=known)
    assert (check.holds, check.events) == (True, 3)
    assert verify(events[3:], after=3, previous="0" * 64).broken == 4


def test_roles_are_those_that_there_are() -> None:
    """A word alone is not taken for the set of its letters, which would open nothing and say nothing."""
    assert Actor(name="x", roles={Role("reviewer")}).roles == {Role.REVIEWER}
    letters: Any = "reviewer"
    with pytest.raises(InputError, match=r"not a Role.*submitter, reviewer, lead, author, admin"):
        Actor(name="x", roles=letters)
