"""Messages that are refused."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime

from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError


def test_a_refusal_keeps_what_a_sender_must_know() -> None:
    """The store keeps code, place, reason and the message's identifier, so that its sender can be told later."""
    at = datetime(2026, 3, 1, 8, tzinfo=UTC)
    kept = RefusedMessageError("no-text", "there is no text", location="OBX-5", message="17").refusal(
        at=at, source="hl7"
    )
    assert (kept.at, kept.source, kept.message) == (at, "hl7", "17")
    assert (kept.reason, kept.detail) == ("no-text", "OBX-5: there is no text")


def test_a_refusal_without_a_place_is_of_the_whole_message() -> None:
    """A message that cannot be read at all has no place to point to."""
    assert str(RefusedMessageError("unreadable", "it is no JSON")) == "it is no JSON"


def test_a_refusal_can_be_sent_between_processes() -> None:
    """Readers may run in processes of their own; what they refuse arrives whole."""
    back = pickle.loads(pickle.dumps(RefusedMessageError("no-text", "there is no text", location="OBX-5", message="1")))  # noqa: S301
    assert (str(back), back.code, back.location, back.message) == ("OBX-5: there is no text", "no-text", "OBX-5", "1")
