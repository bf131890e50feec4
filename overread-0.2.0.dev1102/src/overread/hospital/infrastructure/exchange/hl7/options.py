"""Settings for reading HL7 version 2, and for listening for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from attrs import Attribute, evolve, field, fields, frozen, validators
from attrs.converters import optional

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.exchange.bare import are_bare, is_bare
from overread.hospital.infrastructure.exchange.hl7._charsets import python_charset
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.hospital.infrastructure.exchange.zones import is_zone
from overread.loopback import is_loopback

__all__ = ["ANY_ID", "Hl7Options", "Hl7Source", "LineUse", "MllpOptions", "NoteUse"]

ANY_ID: Final = "*"
"""Entry of `Hl7Options.text_ids` that makes all lines of text the report's, whatever they observe."""

_ACCESSIONS: Final = (
    *("OBR-18", "OBR-3", "ORC-3", "OBR-2", "ORC-2", "OBR-19", "OBR-20", "OBR-21"),
    *("TXA-12", "TXA-14", "TXA-15", "TXA-16"),
)
_TEXT_TYPES: Final = frozenset({"TX", "FT", "ST"})
_SEPARATORS: Final = "&^~|"
_POSITIVE: Final = validators.ge(1)


class NoteUse(StrEnum):
    """The use of notes (NTE) below lines of text."""

    REFUSE = "refuse"
    """The message is refused: whether they belong to the report is not told."""

    TEXT = "text"
    """They are the report's text, each after its line."""

    LEAVE_OUT = "leave-out"
    """They are remarks on the report, and left out."""


class LineUse(StrEnum):
    """The use of lines with a code (OBX-3)."""

    TEXT = "text"
    """They are the report's text."""

    LEAVE_OUT = "leave-out"
    """They are no part of the report."""

    ADDENDUM = "addendum"
    FINDINGS = "findings"
    IMPRESSION = "impression"
    RECOMMENDATION = "recommendation"
    COMPARISON = "comparison"
    TECHNIQUE = "technique"
    HISTORY = "history"
    INDICATION = "indication"


def _are_fields(_: object, about: Attribute[Any], value: Sequence[str]) -> None:
    if not value or not set(value) <= set(_ACCESSIONS):
        raise ValueError(f"{about.name} must be one or more of {', '.join(_ACCESSIONS)}")


def _are_types(_: object, about: Attribute[Any], value: frozenset[str]) -> None:
    if not value or not value <= _TEXT_TYPES:
        raise ValueError(f"{about.name} must be one or more of {', '.join(sorted(_TEXT_TYPES))}")


def _is_charset(_: object, about: Attribute[Any], value: str) -> None:
    try:
        python_charset(value)
    except RefusedMessageError as error:
        raise ValueError(f"{about.name} is not supported; {error.detail}") from None


def _are_codes(_: object, about: Attribute[Any], value: Collection[str] | None) -> None:
    if any(separator in name for name in value or () for separator in _SEPARATORS):
        raise ValueError(f"{about.name} must be codes alone, without what follows them in OBX-3: 71020, not 71020&IMP")


def _are_statuses(_: object, about: Attribute[Any], value: Mapping[str, ReportStatus] | None) -> None:
    if ReportStatus.DRAFT in (value or {}).values():
        raise ValueError(f"{about.name} must not be draft: what a model writes is known by the table models")


_MAYBE_WIDTH: Final = validators.optional(validators.ge(0))
_MAYBE_FIELDS: Final = validators.optional(_are_fields)


@frozen(kw_only=True)
class Hl7Source:
    """A system that sends messages, and what is read of it in another way. What is not set is as for all others.

    Attributes:
        application: its sending application (MSH-3); "" for any.
        facility: its sending facility (MSH-4); "" for any.
        statuses, codes: as in `Hl7Options`; they are added to those, and go before them.
        accession_fields: as in `Hl7Options`.
        zone: as in `Hl7Options`.
        charset: as in `Hl7Options`.
        check_line_status: as in `Hl7Options`.
        text_types: as in `Hl7Options`.
        text_ids: as in `Hl7Options`.
        notes: as in `Hl7Options`.
        notes_as_report: as in `Hl7Options`.
        lenient_escapes: as in `Hl7Options`.
        cut_at: as in `Hl7Options`.
    """

    application: str = field(default="", validator=is_bare)
    facility: str = field(default="", validator=is_bare)
    statuses: Mapping[str, ReportStatus] = field(factory=dict, validator=_are_statuses)
    codes: Mapping[str, LineUse] = field(factory=dict, validator=_are_codes)
    accession_fields: tuple[str, ...] | None = field(
        default=None, converter=optional(in_tuple), validator=_MAYBE_FIELDS
    )
    zone: str | None = field(default=None, validator=is_zone)
    charset: str | None = field(default=None, validator=validators.optional(_is_charset))
    check_line_status: bool | None = None
    text_types: frozenset[str] | None = field(default=None, validator=validators.optional(_are_types))
    text_ids: frozenset[str] | None = field(
        default=None, validator=validators.optional(validators.and_(are_bare, _are_codes))
    )
    notes: NoteUse | None = None
    notes_as_report: bool | None = None
    lenient_escapes: bool | None = None
    cut_at: int | None = field(default=None, validator=_MAYBE_WIDTH)

    def __attrs_post_init__(self) -> None:
        if not self.application and not self.facility:
            raise ValueError("application or facility must be given, by which its messages are known")

    def sends(self, application: str, facility: str) -> bool:
        """Return whether a message with this sender is one of its own."""
        return self.application in ("", application) and self.facility in ("", facility)


@frozen(kw_only=True)
class Hl7Options:
    """Settings for reading messages.

    Attributes:
        accession_fields: where to find the accession number; the first that is not empty counts.
        sites: name of the site by sending facility (MSH-4); a facility that is not listed is its own name.
        site: for messages without a sending facility; "" refuses them.
        zone: IANA name of the time zone of times without one; if None, such times count as missing.
        charset: of messages that name none in MSH-18, in the words of HL7's table 0211.
        models: name and version of the model by what identifies it: the sending application (MSH-3), or the
            equipment (OBX-18). What comes from there is a draft, whatever its status says.
        processing_ids: of messages that are accepted (MSH-11): production, not training or debugging.
        check_line_status: whether a line whose status (OBX-11) contradicts the report's (OBR-25) refuses the message.
        text_types: types of value (OBX-2) that are text; lines of others are left out.
        text_ids: codes (OBX-3) of the lines that are the report's text; lines with others are left out. "*" takes all
            that are text. Without any, a message with lines of text of several kinds is refused, unless each says which
            part of a report it is.
        notes: the use of notes below lines of text.
        notes_as_report: whether notes below an order without lines of text are the report.
        lenient_escapes: whether escape sequences that HL7 does not have, and stray backslashes, are kept as they stand;
            they refuse the message otherwise.
        cut_at: characters after which lines of text are cut, within words too: one of as many goes on in the next,
            without a space. 0 if lines end where words do; if None, lines that look cut refuse the message.
        statuses: our status of a report by the code that a system sends (OBR-25, of documents TXA-17), where it is
            another than HL7 has it.
        codes: use of lines of text by their code (OBX-3): "text", "leave-out", "addendum", "impression" or another
            part of a report.
        sources: systems of which something is read in another way, each under a name of your own.
    """

    accession_fields: tuple[str, ...] = field(
        default=("OBR-18", "OBR-3", "ORC-3"), converter=in_tuple, validator=_are_fields
    )
    sites: Mapping[str, str] = field(factory=dict, validator=are_bare)
    site: str = field(default="", validator=is_bare)
    zone: str | None = field(default=None, validator=is_zone)
    charset: str = field(default="UNICODE UTF-8", validator=_is_charset)
    models: Mapping[str, str] = field(factory=dict, validator=are_bare)
    processing_ids: frozenset[str] = field(default=frozenset({"P"}), validator=are_bare)
    check_line_status: bool = True
    text_types: frozenset[str] = field(default=_TEXT_TYPES, validator=_are_types)
    text_ids: frozenset[str] = field(default=frozenset(), validator=[are_bare, _are_codes])
    notes: NoteUse = NoteUse.REFUSE
    notes_as_report: bool = False
    lenient_escapes: bool = False
    cut_at: int | None = field(default=None, validator=_MAYBE_WIDTH)
    statuses: Mapping[str, ReportStatus] = field(factory=dict, validator=_are_statuses)
    codes: Mapping[str, LineUse] = field(factory=dict, validator=_are_codes)
    sources: Mapping[str, Hl7Source] = field(factory=dict)

    def of_sender(self, application: str, facility: str) -> Hl7Options:
        """The options for messages of a sender: those of the first source that it is, where there is one.

        Args:
            application: MSH-3.
            facility: MSH-4.
        """
        source = next((source for source in self.sources.values() if source.sends(application, facility)), None)
        if source is None:
            return self
        own = {about.name: getattr(source, about.name) for about in fields(Hl7Source)}
        shared = {about.name for about in fields(Hl7Options)}
        changes = {name: value for name, value in own.items() if name in shared and value is not None}
        return evolve(
            self,
            **changes | {"statuses": {**self.statuses, **source.statuses}, "codes": {**self.codes, **source.codes}},
        )


@frozen(kw_only=True)
class MllpOptions:
    """Settings for listening for messages, and limits of what is tolerated.

    Attributes:
        host: address or name to listen on; loopback unless told otherwise.
        port: 2575 is HL7's registered one; 0 takes any that is free.
        allow_plain: whether another address than loopback may be listened on without TLS.
        certificate, key: PEM files of the server's certificate and its key; with them connections are TLS.
        client_authorities: PEM file of the authorities whose client certificates senders must have.
        largest_message: in bytes; a larger one is refused.
        most_connections: at once. For a further one, the one is closed that has waited longest without bringing a
            message that was accepted; if every other has brought one, the further one itself is closed.
        idle_seconds: of silence after which a connection is closed.
        message_seconds: within which a message that has begun must arrive, however steadily it trickles in.
    """

    host: str = "127.0.0.1"
    port: int = field(default=2575, validator=[validators.ge(0), validators.le(65535)])
    allow_plain: bool = False
    certificate: Path | None = None
    key: Path | None = None
    client_authorities: Path | None = None
    largest_message: int = field(default=4 * 2**20, validator=_POSITIVE)
    most_connections: int = field(default=32, validator=_POSITIVE)
    idle_seconds: float = field(default=300.0, validator=validators.gt(0))
    message_seconds: float = field(default=60.0, validator=validators.gt(0))

    def __attrs_post_init__(self) -> None:
        if self.certificate is None and (self.key is not None or self.client_authorities is not None):
            raise ValueError("certificate must be given as well: key and client_authorities are for TLS")
        if self.certificate is None and not self.allow_plain and not is_loopback(self.host):
            raise ValueError(
                f"host {self.host} is not loopback: reports would cross the network in plain text; set "
                "certificate, or set allow_plain if the network itself is encrypted"
            )
