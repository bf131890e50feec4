"""Documents (chapter 9 of HL7, MDM) as versions of reports: their header, TXA, says how far they are and whose."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.hl7._groups import CANCELLED
from overread.hospital.infrastructure.exchange.hl7._reports import DocumentHeader, person, versions_of
from overread.hospital.infrastructure.exchange.hl7._segments import Message, Segment
from overread.hospital.infrastructure.exchange.hl7._times import moment
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["DOCUMENTS", "documents_of"]

DOCUMENTS: Final = ("T01", "T02", "T04", "T06", "T08", "T10", "T11")
"""Events of documents: new (T01 without content, T02), status changed (T04), addendum (T06), edited (T08), replaced
(T10), cancelled (T11)."""

_ADDENDUM: Final = "T06"
_CHANGED: Final = frozenset({"T08", "T10"})
_CANCELLED: Final = "T11"
_COMPLETION: Final = {
    "DI": ReportStatus.PRELIMINARY,
    "DO": ReportStatus.PRELIMINARY,
    "PA": ReportStatus.PRELIMINARY,
    "IN": ReportStatus.PARTIAL,
    "IP": ReportStatus.PARTIAL,
    "AU": ReportStatus.FINAL,
    "LA": ReportStatus.FINAL,
}
"""HL7's table 0271: DI dictated, DO documented, PA pre-authenticated, IN incomplete, IP in progress, AU authenticated,
LA legally authenticated."""

_DELETED: Final = "CA"
_OBSOLETE: Final = "OB"
"""Availability (table 0273) of a document that was deleted, and of one that another took the place of."""

_TIME_OF_SIGNATURE: Final = 15
_SIGNED: Final = frozenset({ReportStatus.FINAL, ReportStatus.CORRECTED, ReportStatus.ADDENDUM})


def documents_of(message: Message, options: Hl7Options) -> list[ReportVersion]:
    """The version of a report that a document is.

    Without an OBR its header stands for the order: TXA-15 for the filler number, TXA-14 for the placer's.

    Raises:
        RefusedMessageError: if it has no header, or cannot be read.
    """
    header = next((segment for segment in message.segments if segment.name == "TXA"), None)
    if header is None:
        raise RefusedMessageError("bad-order", "a document needs a TXA", location="TXA")
    status = _status(message.header.value(9, 2), header, options)
    document = DocumentHeader(
        status=status,
        reader=_reader(header, status),
        issued=_issued(message, header, options, status),
        number=header.value(13) or header.value(12),
    )
    return versions_of(_with_order(message, header, status), options, document)


def _status(event: str, header: Segment, options: Hl7Options) -> ReportStatus:
    code, availability = header.value(17), header.value(19)
    if event == _CANCELLED or availability == _DELETED:
        return ReportStatus.CANCELLED
    status = options.statuses.get(code, _COMPLETION.get(code))
    if status is None:
        detail = f"the status must be one of {', '.join(_COMPLETION)}, or be listed in the setting statuses"
        raise RefusedMessageError("unknown-status", detail, location="TXA-17")
    if availability == _OBSOLETE:
        detail = "the document is obsolete (OB): send the one that took its place, or T11 to withdraw it"
        raise RefusedMessageError("unknown-status", detail, location="TXA-19")
    if event == _ADDENDUM:
        return ReportStatus.ADDENDUM
    return ReportStatus.CORRECTED if event in _CHANGED and status is ReportStatus.FINAL else status


def _reader(header: Segment, status: ReportStatus) -> str:
    """Person who signed a document, of one that is not signed its author."""
    signer = person(header.components(22))
    authenticator, originator, provider = (person(header.components(number)) for number in (10, 9, 5))
    named = (signer, authenticator, originator, provider) if status in _SIGNED else (originator, provider)
    return next(filter(None, named), "")


def _issued(message: Message, header: Segment, options: Hl7Options, status: ReportStatus) -> datetime | None:
    """The time of the signature, of an edit, of the event or of the transcription, whichever is told first."""
    event = next((segment for segment in message.segments if segment.name == "EVN"), None)
    places = [
        *([(header, 22, _TIME_OF_SIGNATURE)] if status in _SIGNED else []),
        (header, 8, 1),
        *([(event, 2, 1)] if event is not None else []),
        (header, 7, 1),
        (header, 6, 1),
    ]
    for segment, number, component in places:
        if value := segment.value(number, component):
            return moment(value, options.zone, f"{segment.name}-{number}")
    return None


def _with_order(message: Message, header: Segment, status: ReportStatus) -> Message:
    """The message with an OBR, whose status says no more than whether the report is withdrawn."""
    code = CANCELLED if status is ReportStatus.CANCELLED else ""
    segments = list[Segment]()
    has_order = any(segment.name == "OBR" for segment in message.segments)
    for segment in message.segments:
        if segment.name == "OBR":
            segments.append(segment.with_fields("OBR", {25: code}))
            continue
        if segment is header and not has_order:
            number = header.raw(15) or header.raw(14)
            fields = {2: header.raw(14), 3: header.raw(15), 7: header.raw(4), 18: number, 25: code}
            segments.append(header.with_fields("OBR", fields))
        segments.append(segment)
    return Message(message.header, tuple(segments))
