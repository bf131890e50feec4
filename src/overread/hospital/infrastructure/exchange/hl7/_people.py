"""People whom a message names as authors of its report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.exchange.authors import Authors, authors_of
from overread.hospital.infrastructure.exchange.hl7._groups import Order
from overread.hospital.infrastructure.exchange.hl7._segments import Segment

__all__ = ["SIGNED", "authors_of_document", "authors_of_orders"]

SIGNED: Final = frozenset({ReportStatus.FINAL, ReportStatus.CORRECTED, ReportStatus.ADDENDUM})
_RESIDENTS: Final = frozenset({ReportStatus.PRELIMINARY, ReportStatus.PARTIAL})

_PRINCIPAL: Final = (32, frozenset({"PI", "VP"}))
_ASSISTANT: Final = (33, frozenset({"AI"}))
_TYPIST: Final = (35, frozenset({"TR"}))
"""Field of an OBR, and participations (PRT-4, table 0912) that took its place in version 2.7: primary interpreter and
verifying provider, assistant interpreter, transcriptionist."""

_OBSERVER: Final = frozenset({"RO"})
"""Participation that took the place of OBX-16: responsible observer."""

_NAME: Final = slice(1, 3)
"""Parts of a person that are the family name and the given name; the number stands before them."""


def authors_of_orders(report: Sequence[Order], status: ReportStatus) -> Authors:
    """Authors of a report; who answers for it is the assistant while it is not verified, the principal afterwards.

    A typist is among the others: with speech recognition it may be the resident.
    """
    principals, assistants, typists = (
        _named(report, field, codes) for field, codes in (_PRINCIPAL, _ASSISTANT, _TYPIST)
    )
    observers = [
        *(name for order in report for line in order.texts for name in _people(line, 16)),
        *_participants(report, _OBSERVER),
    ]
    leading = (*assistants, *principals) if status in _RESIDENTS else (*principals, *assistants)
    return authors_of((*leading, *observers), typists)


def authors_of_document(header: Segment, status: ReportStatus) -> Authors:
    """Authors of a document, by its TXA: who signed it answers for it, or, as long as nobody did, who wrote it."""
    signers, authenticators, originators, providers, typists = (
        _people(header, number) for number in (22, 10, 9, 5, 11)
    )
    if status in SIGNED:
        return authors_of((*signers, *authenticators, *originators, *providers), typists)
    return authors_of((*originators, *providers), (*signers, *authenticators, *typists))


def _named(report: Sequence[Order], number: int, codes: frozenset[str]) -> list[str]:
    """People in a field of the orders of a report, and in participations of these codes."""
    return [
        *(name for order in report for name in _people(order.request, number)),
        *_participants(report, codes),
    ]


def _participants(report: Sequence[Order], codes: frozenset[str]) -> Iterable[str]:
    for order in report:
        for segment in order.participations:
            if segment.value(4) in codes:
                yield from _people(segment, 5)


def _people(segment: Segment, number: int) -> list[str]:
    """People in the repetitions of a field: the identifier of each, or the family name and the given name."""
    if not segment.raw(number):
        return []
    places = range(len(segment.repetitions(number)))
    return [name for place in places if (name := _person(segment, number, place))]


def _person(segment: Segment, number: int, place: int) -> str:
    """A person by either type of value: parts of the first component, which times follow (NDL), or components (XCN)."""
    parts = segment.subcomponents(number, place)
    if len(parts) == 1:
        parts = segment.components(number, place)
    return parts[0] or " ".join(name for name in parts[_NAME] if name and not name.isdigit())
