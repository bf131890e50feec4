"""Merges of patients (chapter 3 of HL7): the identifier in MRG-1 gives way to the one in PID-3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.infrastructure.exchange.hl7._identifiers import patient_of, site_of
from overread.hospital.infrastructure.exchange.hl7._segments import Message, Segment
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["MERGES", "OTHER_IDENTITIES", "merges_of"]

MERGES: Final = ("A18", "A34", "A36", "A40", "A47")
"""Events by which an identifier of a patient gives way to another."""

OTHER_IDENTITIES: Final = frozenset(
    {"A24", "A30", "A35", "A37", "A39", "A41", "A42", "A43", "A44", "A45", "A46", "A48", "A49", "A50", "A51"}
)
"""Events that link, unlink, move or rename persons, accounts and visits in other ways."""


def merges_of(message: Message, options: Hl7Options) -> Iterator[PatientMerge]:
    """The merges in a message, each MRG with the PID before it.

    Raises:
        RefusedMessageError: if there is none, or it is not clear what is merged with what.
    """
    site, patient, is_told = site_of(message.header, options), None, False
    for segment in message.segments:
        if segment.name == "PID":
            patient = segment
        elif segment.name == "MRG":
            yield _merge(site, patient, segment)
            is_told = True
    if not is_told:
        raise RefusedMessageError("no-merge", "a merge needs an MRG after its PID", location="MRG")


def _merge(site: str, patient: Segment | None, merge: Segment) -> PatientMerge:
    if patient is None:
        raise RefusedMessageError("no-merge", "an MRG must come after the PID that it is merged with", location="PID")
    surviving, merged = patient_of(patient, 3), patient_of(merge, 1)
    if not surviving.value or not merged.value:
        detail = (
            "both identifiers are needed: the one that remains in PID-3, and the one that is merged into it in MRG-1"
        )
        raise RefusedMessageError("no-merge", detail, location="MRG-1" if surviving.value else "PID-3")
    if surviving.type and merged.type and surviving.type != merged.type:
        detail = "the identifiers in PID-3 and MRG-1 are of different types: it is not clear which is merged into which"
        raise RefusedMessageError("unclear-merge", detail, location="MRG-1")
    if surviving.value == merged.value:
        raise RefusedMessageError("unclear-merge", "PID-3 and MRG-1 are the same identifier", location="MRG-1")
    return PatientMerge(site=site, surviving=surviving.value, merged=merged.value)
