"""Acknowledgements of HL7 in original mode: what became of a message, and what was wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import frozen

from overread.hospital.infrastructure.exchange.hl7._escapes import escape_text
from overread.hospital.infrastructure.exchange.hl7._segments import Segment, header_of, split_message
from overread.hospital.infrastructure.exchange.hl7.batches import is_batch, messages_of
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["Acknowledgement", "AcknowledgementCode", "acknowledge", "read_acknowledgement", "read_acknowledgements"]

_OWN_VERSION: Final = "2.5.1"
_APPLICATION: Final = "OVERREAD"
_OTHER_ERROR: Final = ("207", "Application error")
_OF_DOCUMENTS: Final = (
    *("bad-charset", "bad-encoding", "bad-html", "bad-pdf", "bad-rtf", "encrypted-document", "not-base64"),
    *("scanned-document", "unknown-document", "unread-part"),
)
_ERRORS: Final = {
    "no-header": ("100", "Segment sequence error"),
    "bad-order": ("100", "Segment sequence error"),
    "no-order": ("100", "Segment sequence error"),
    "no-text": ("101", "Required field missing"),
    "no-accession": ("101", "Required field missing"),
    "no-site": ("101", "Required field missing"),
    "no-control-id": ("101", "Required field missing"),
    "bad-time": ("102", "Data type error"),
    "bad-escape": ("102", "Data type error"),
    "not-in-charset": ("102", "Data type error"),
    "unknown-status": ("103", "Table value not found"),
    "unknown-charset": ("103", "Table value not found"),
    "not-oru-r01": ("200", "Unsupported message type"),
    "two-messages": ("100", "Segment sequence error"),
    "loose-line": ("100", "Segment sequence error"),
    "unknown-segment": ("100", "Segment sequence error"),
    "unknown-type": ("103", "Table value not found"),
    "markup": ("102", "Data type error"),
    **dict.fromkeys(_OF_DOCUMENTS, ("102", "Data type error")),
    "not-embedded": ("101", "Required field missing"),
    "fragment": ("100", "Segment sequence error"),
    "stray-separator": ("102", "Data type error"),
    "no-merge": ("101", "Required field missing"),
    "unsupported-event": ("201", "Unsupported event code"),
    "unsupported-processing": ("202", "Unsupported processing ID"),
    "unsupported-version": ("203", "Unsupported version ID"),
}
"""HL7's table 0357 by code of refusal."""


class AcknowledgementCode(StrEnum):
    """HL7's table 0008."""

    ACCEPT = "AA"
    """Stored."""

    ERROR = "AE"
    """Not stored: to be mended, or sent again where it was no fault of the message."""

    REJECT = "AR"
    """No message for here."""


@frozen(kw_only=True)
class Acknowledgement:
    """Contents of an acknowledgement.

    Attributes:
        code: what became of the message.
        message: control id of the message.
        reason: code of the refusal, "" where there is none.
        location: the field that is meant, such as "OBR-25".
        detail: a sentence for people.
    """

    code: AcknowledgementCode
    message: str
    reason: str = ""
    location: str = ""
    detail: str = ""


def acknowledge(
    message: bytes,
    code: AcknowledgementCode,
    *,
    at: datetime,
    name: str,
    error: RefusedMessageError | None = None,
    note: str = "",
) -> bytes:
    """An acknowledgement without its frame, in ASCII.

    Args:
        message: what is acknowledged, or as much of its head as arrived; its header says to whom it goes.
        code: what became of it.
        at: the present.
        name: control id of the acknowledgement.
        error: what is wrong with the message.
        note: a sentence on a message that is accepted, in MSA-3.
    """
    header = header_of(message)
    sender, facility, here = (_header_value(header, number) for number in (3, 4, 6))
    version = _header_value(header, 12)
    fields = [
        r"MSH|^~\&",
        _APPLICATION,
        here,
        sender,
        facility,
        at.strftime("%Y%m%d%H%M%S%z"),
        "",
        f"ACK^{_header_value(header, 9, 2) or 'R01'}^ACK",
        name,
        _header_value(header, 11) or "P",
        version if version.startswith("2.") else _OWN_VERSION,
    ]
    segments = ["|".join(fields), f"MSA|{code}|{_header_value(header, 10)}" + (f"|{escape_text(note)}" if note else "")]
    if error is not None:
        segments.append(_error(error))
    return "".join(f"{segment}\r" for segment in segments).encode("ascii", errors="replace")


def read_acknowledgement(data: bytes) -> Acknowledgement:
    """Read the contents of an acknowledgement.

    Raises:
        RefusedMessageError: if it isn't one.
    """
    segments = {segment.name: segment for segment in split_message(data.decode("latin-1"), "latin-1").segments}
    acknowledgement = segments.get("MSA")
    if acknowledgement is None or acknowledgement.value(1) not in set(AcknowledgementCode):
        raise RefusedMessageError(
            "no-acknowledgement", "the answer must have an MSA with AA, AE or AR", location="MSA-1"
        )
    error = segments.get("ERR")
    if error is None:
        return Acknowledgement(
            code=AcknowledgementCode(acknowledgement.value(1)),
            message=acknowledgement.value(2),
            detail=acknowledgement.value(3),
        )
    place = error.components(2)
    return Acknowledgement(
        code=AcknowledgementCode(acknowledgement.value(1)),
        message=acknowledgement.value(2),
        reason=error.value(5),
        location="-".join(filter(None, place[::2])),
        detail=error.value(8),
    )


def read_acknowledgements(data: bytes) -> list[Acknowledgement]:
    """Read the contents of a batch of acknowledgements, or of one.

    Raises:
        RefusedMessageError: if there is something else.
    """
    return [read_acknowledgement(one) for one in (messages_of(data) if is_batch(data) else [data])]


def _header_value(header: Segment | None, number: int, component: int = 1) -> str:
    try:
        return "" if header is None else escape_text(header.value(number, component))
    except RefusedMessageError:
        return ""


def _error(error: RefusedMessageError) -> str:
    number, meaning = _ERRORS.get(error.code, _OTHER_ERROR)
    return "|".join(
        [
            "ERR",
            "",
            _location(error.location.split("-")),
            f"{number}^{meaning}^HL70357",
            "E",
            error.code,
            "",
            "",
            escape_text(error.detail),
        ]
    )


def _location(parts: Sequence[str]) -> str:
    """Segment and field; which of several segments is meant is not told."""
    segment, *rest = parts
    return "^".join([segment, "", *rest]) if rest else segment
