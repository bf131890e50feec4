"""Orders of a message, each with its lines, and which of them are one report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from attrs import evolve, field, frozen

from overread.infrastructure.exchange.hl7._segments import Message, Segment
from overread.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["Order", "Written", "orders_of", "reports_of", "written"]

_TEXT_TYPES: Final = frozenset({"TX", "FT", "ST"})
_ADDENDUM: Final = "ADT"
_HEADINGS: Final = {"GDT": "FINDINGS:", "IMP": "IMPRESSION:", "REC": "RECOMMENDATION:"}
"""Suffixes of OBX-3 (chapter 7, observation identifier suffixes), and what a reader would call the section."""

_LONGEST_HEADING: Final = 40


@frozen
class Order:
    """One OBR with what belongs to it.

    Attributes:
        patient, common, request: its PID, ORC and OBR; a PID or ORC may be missing.
        lines: its OBX.
    """

    patient: Segment | None
    common: Segment | None
    request: Segment
    lines: tuple[Segment, ...] = ()

    @property
    def texts(self) -> list[Segment]:
        """The lines of text; numbers, codes and documents are none."""
        return [line for line in self.lines if line.value(2) in _TEXT_TYPES]


@frozen
class Written:
    """What the lines of an order say, its addenda apart."""

    report: str = field(repr=False)
    addendum: str = field(repr=False)

    @property
    def is_blank(self) -> bool:
        """Whether nothing is said."""
        return not self.report.strip() and not self.addendum.strip()


def orders_of(message: Message) -> list[Order]:
    """The orders in a message, in its order.

    Raises:
        RefusedMessageError: if there is none, or a line stands before the first.
    """
    patient: Segment | None = None
    common: Segment | None = None
    orders: list[Order] = []
    for segment in message.segments:
        if segment.name == "PID":
            patient, common = segment, None
        elif segment.name == "ORC":
            common = segment
        elif segment.name == "OBR":
            orders.append(Order(patient, common, segment))
            common = None
        elif segment.name == "OBX":
            if not orders:
                raise RefusedMessageError("bad-order", "an OBX stands before the first OBR", location="OBX")
            orders[-1] = evolve(orders[-1], lines=(*orders[-1].lines, segment))
    if not orders:
        raise RefusedMessageError("no-order", "a report wants an OBR", location="OBR")
    return orders


def reports_of(orders: Sequence[Order]) -> list[tuple[Order, ...]]:
    """Orders that are one report: those of one filler number, and those with the same text.

    An order without text belongs to the report of its number, else to the only report in the message: many senders
    write the text of linked examinations once.

    Raises:
        RefusedMessageError: if it is not clear to which of several reports such an order belongs.
    """
    reports: list[list[Order]] = []
    for order in orders:
        if not order.texts:
            continue
        same = next((report for report in reports if _is_same(report[0], order)), None)
        if same is None:
            reports.append([order])
        else:
            same.append(order)
    for order in orders:
        if not order.texts:
            _report_of(order, reports).append(order)
    return [tuple(sorted(report, key=orders.index)) for report in reports]


def _report_of(order: Order, reports: list[list[Order]]) -> list[Order]:
    numbered = [report for report in reports if order.request.value(3) and _filler(report) == order.request.value(3)]
    found = numbered or reports
    if len(found) == 1:
        return found[0]
    if reports:
        detail = "an OBR without text, among several reports, has the filler number (OBR-3) of the one it belongs to"
        raise RefusedMessageError("unclear-report", detail, location="OBR-3")
    reports.append([])
    return reports[-1]


def _filler(report: Iterable[Order]) -> str:
    return next((number for order in report if (number := order.request.value(3))), "")


def _is_same(one: Order, other: Order) -> bool:
    numbers = (one.request.value(3), other.request.value(3))
    return (numbers[0] != "" and numbers[0] == numbers[1]) or written([one]) == written([other])


def written(orders: Sequence[Order]) -> Written:
    """The text of a report, each part once, and that of its addenda.

    Parts that OBX-3 tells apart get the heading that they lack, so that an impression is not read as the end of what
    stands before it.
    """
    parts = list(dict.fromkeys(_said(order, addenda=False) for order in orders))
    addenda = list(dict.fromkeys(_said(order, addenda=True) for order in orders))
    return Written("\n\n".join(filter(None, parts)), "\n\n".join(filter(None, addenda)))


def _said(order: Order, *, addenda: bool) -> str:
    lines = [line for line in order.texts if (_suffix(line) == _ADDENDUM) is addenda]
    parts = [_headed("\n".join(map(_wording, part)), suffix) for suffix, part in groupby(lines, _suffix)]
    return "\n\n".join(parts).strip("\n")


def _wording(line: Segment) -> str:
    return "\n".join(line.text(5)).replace("\r\n", "\n").replace("\r", "\n")


def _suffix(line: Segment) -> str:
    """What OBX-3 says a line is, after its code."""
    found = line.subcomponents(3)
    return found[1].upper() if len(found) > 1 else ""


def _headed(text: str, suffix: str) -> str:
    heading = _HEADINGS.get(suffix)
    return text if heading is None or _has_heading(text) else f"{heading}\n{text}"


def _has_heading(text: str) -> bool:
    """Whether a text begins with a line in capitals, or with words and a colon."""
    first = next(iter(text.strip().splitlines()), "")
    return first.isupper() or ":" in first[:_LONGEST_HEADING]
