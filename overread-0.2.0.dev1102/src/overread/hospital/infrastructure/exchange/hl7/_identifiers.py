"""Identifiers in the fields of a message: who and what it is about."""

from __future__ import annotations

from typing import Final

from attrs import field, frozen

from overread.hospital.infrastructure.exchange.hl7._segments import Segment
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["PatientName", "control_id_of", "identifier_of", "patient_of", "site_of"]

_LONGEST: Final = 200
_RECORD: Final = "MR"
"""HL7's table 0203: medical record number."""

_NOTHING: Final = ("", '""')
"""Values of a missing identifier, and of one that HL7 marks as deleted."""

_TYPE: Final = 4
"""Place of the type in an identifier of a patient (CX-5)."""


@frozen
class PatientName:
    """Identifier of a patient; ``type`` is HL7's, "" if not given."""

    value: str = field(repr=False)
    type: str = ""


def patient_of(segment: Segment, number: int) -> PatientName:
    """The medical record number in a field, else its first identifier.

    Raises:
        RefusedMessageError: if it is none that can be shown.
    """
    repetitions = [segment.components(number, place) for place in range(len(segment.repetitions(number)))]
    filled = [parts for parts in repetitions if parts[0] not in _NOTHING]
    names = [PatientName(parts[0], parts[_TYPE] if len(parts) > _TYPE else "") for parts in filled]
    records = [name for name in names if name.type == _RECORD]
    name = next(iter([*records, *names]), PatientName(""))
    _check_printable(name.value, f"{segment.name}-{number}")
    return name


def site_of(header: Segment, options: Hl7Options) -> str:
    """The site that a message comes from."""
    facility = header.value(4)
    site = options.sites.get(facility, facility) or options.site
    if not site:
        raise RefusedMessageError("no-site", "the sending facility is missing, and no site is set", location="MSH-4")
    return site


def identifier_of(segment: Segment, number: int) -> str:
    """The identifier in a field, "" where there is none."""
    value = segment.value(number)
    _check_printable(value, f"{segment.name}-{number}")
    return value


def _check_printable(value: str, location: str) -> None:
    if len(value) > _LONGEST or not value.isprintable():
        detail = f"an identifier may have at most {_LONGEST} printable characters"
        raise RefusedMessageError("bad-identifier", detail, location=location)


def control_id_of(header: Segment) -> str:
    """Control id of a message; "" if it cannot be read."""
    try:
        return header.value(10)[:_LONGEST]
    except RefusedMessageError:
        return ""
