"""Messages of HL7 version 2 as versions of reports: what each field is taken for stands in docs/hospital-in.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_version import ReportVersion
from overread.hospital.infrastructure.exchange.hl7._charsets import decode_message
from overread.hospital.infrastructure.exchange.hl7._identifiers import control_id_of
from overread.hospital.infrastructure.exchange.hl7._merges import MERGES, OTHER_IDENTITIES, merges_of
from overread.hospital.infrastructure.exchange.hl7._notifications import DOCUMENTS, documents_of
from overread.hospital.infrastructure.exchange.hl7._reports import SOURCE, versions_of
from overread.hospital.infrastructure.exchange.hl7._segments import Message, Segment, header_of, split_message
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["SOURCE", "UNSUPPORTED", "Content", "read_hl7"]

UNSUPPORTED: Final = frozenset({"not-oru-r01", "unsupported-event", "unsupported-version", "unsupported-processing"})
"""Codes of refusals of messages that should not come here at all, which HL7 answers with AR."""


@frozen(kw_only=True)
class Content:
    """Contents of a message: versions of reports, or merges of patients."""

    versions: tuple[ReportVersion, ...] = field(default=(), converter=in_tuple)
    merges: tuple[PatientMerge, ...] = field(default=(), converter=in_tuple)


def read_hl7(data: bytes, options: Hl7Options | None = None) -> Content:
    """The versions of reports in a message of results or documents, or the merges in one of ADT; all or none.

    Args:
        data: the message, without its MLLP frame.
        options: how it is read.

    Raises:
        RefusedMessageError: with the reason, the place and, where it can be read, the message's control id.
    """
    try:
        return _content(data, options or Hl7Options())
    except RefusedMessageError as error:
        header = header_of(data)
        name = "" if header is None else control_id_of(header)
        raise RefusedMessageError(error.code, error.detail, location=error.location, message=name) from None


def _reports(message: Message, options: Hl7Options) -> Content:
    return Content(versions=versions_of(message, options))


def _documents(message: Message, options: Hl7Options) -> Content:
    return Content(versions=documents_of(message, options))


def _merges(message: Message, options: Hl7Options) -> Content:
    return Content(merges=list(merges_of(message, options)))


_NO_EVENT: Final = ""
"""Event of results in version 2.1, which has no events; systems of that time go on without one."""

Handler = Callable[[Message, Hl7Options], Content]
"""Reads a message of one type and event."""

_HANDLERS: Final[Mapping[tuple[str, str], Handler]] = {
    **{("ORU", event): _reports for event in ("R01", "R30", "R31", "R32", "R40", _NO_EVENT)},
    **{("MDM", event): _documents for event in DOCUMENTS},
    **{("ADT", event): _merges for event in MERGES},
}
"""Readers of messages by type and event. Another type is a function in a file of its own, and a line here."""


def _content(data: bytes, options: Hl7Options) -> Content:
    options = _of_sender(data, options)
    text, charset = decode_message(data, options.charset)
    message = split_message(text, charset, lenient=options.lenient_escapes)
    handler = _handler(message.header)
    _check_header(message.header, options)
    return handler(message, options)


def _of_sender(data: bytes, options: Hl7Options) -> Hl7Options:
    """The options for the system that sends a message; its names are read before its characters can be."""
    header = header_of(data)
    if header is None or not options.sources:
        return options
    return options.of_sender(header.value(3), header.value(4))


def _handler(header: Segment) -> Handler:
    """Reader of a message with this header."""
    kind, event = header.value(9, 1), header.value(9, 2)
    if kind == "ADT" and event in OTHER_IDENTITIES:
        detail = f"{', '.join(MERGES)} are accepted; links, moves and the undoing of merges are not"
        raise RefusedMessageError("unsupported-event", detail, location="MSH-9")
    if (kind, event) not in _HANDLERS:
        detail = (
            "only results (ORU^R01, R30, R31, R32, R40), documents "
            f"(MDM^{', '.join(DOCUMENTS)}) and ADT that merges patients are accepted"
        )
        raise RefusedMessageError("not-oru-r01", detail, location="MSH-9")
    return _HANDLERS[kind, event]


def _check_header(header: Segment, options: Hl7Options) -> None:
    if not header.value(12).startswith("2."):
        raise RefusedMessageError("unsupported-version", "versions 2.1 to 2.9 are supported", location="MSH-12")
    if header.value(11) and header.value(11) not in options.processing_ids:
        detail = f"accepted processing ids: {', '.join(sorted(options.processing_ids))}"
        raise RefusedMessageError("unsupported-processing", detail, location="MSH-11")
    if not header.value(10):
        raise RefusedMessageError("no-control-id", "a message must have a control id", location="MSH-10")
    if header.value(14):
        detail = "the message continues in another one; send the whole report in one message"
        raise RefusedMessageError("fragment", detail, location="MSH-14")
