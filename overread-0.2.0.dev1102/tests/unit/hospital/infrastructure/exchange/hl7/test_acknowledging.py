"""Acknowledgements say what became of a message, and are read again."""

from __future__ import annotations

from datetime import UTC, datetime

import hl7
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.hospital.infrastructure.exchange.hl7.acknowledging import (
    Acknowledgement,
    AcknowledgementCode,
    acknowledge,
    read_acknowledgement,
)
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

from .messages import message

_NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _acknowledged(data: bytes, error: RefusedMessageError | None = None) -> bytes:
    code = AcknowledgementCode.ERROR if error else AcknowledgementCode.ACCEPT
    return acknowledge(data, code, at=_NOW, name="A1", error=error)


def test_it_goes_back_to_whoever_sent_the_message() -> None:
    """Sender and receiver change places, and the control id and version are the message's."""
    assert _acknowledged(message()) == (
        b"MSH|^~\\&|OVERREAD||RIS|NORTH|20260301120000+0000||ACK^R01^ACK|A1|P|2.5.1\rMSA|AA|M1\r"
    )


def test_what_was_wrong_stands_in_a_segment_of_its_own() -> None:
    """The place, HL7's number, our code and a sentence."""
    error = RefusedMessageError("unknown-status", "one of P & F", location="OBR-25")
    parsed = hl7.parse(_acknowledged(message(), error).decode())
    assert str(parsed.segment("MSA")) == "MSA|AE|M1"
    expected = r"ERR||OBR^^25|103^Table value not found^HL70357|E|unknown-status|||one of P \T\ F"
    assert str(parsed.segment("ERR")) == expected


@pytest.mark.parametrize("location", ["", "OBX", "OBR-25"])
def test_what_is_written_is_read(location: str) -> None:
    """A client learns the reason, the field and the sentence."""
    error = RefusedMessageError("bad-escape", r"\ is written \E\ ".strip(), location=location)
    assert read_acknowledgement(_acknowledged(message(), error)) == Acknowledgement(
        code=AcknowledgementCode.ERROR, message="M1", reason="bad-escape", location=location, detail=error.detail
    )


@given(st.binary(max_size=200))
def test_anything_is_acknowledged(data: bytes) -> None:
    """However little of a message can be read, its acknowledgement can."""
    assert read_acknowledgement(_acknowledged(data)).code is AcknowledgementCode.ACCEPT


@pytest.mark.parametrize("data", [b"", b"MSH|^~\\&|X\r", b"MSH|^~\\&|X\rMSA|ZZ|1\r"])
def test_what_is_no_acknowledgement_is_refused(data: bytes) -> None:
    """An answer without a known code is none."""
    with pytest.raises(RefusedMessageError):
        read_acknowledgement(data)
