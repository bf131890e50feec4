"""Orders of a message, each with its lines, and which of them are one report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Final

from attrs import field, frozen

from overread.infrastructure.exchange.hl7._segments import Message, Segment
from overread.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["Order", "Written", "orders_of", "reports_of", "written"]

_TEXT_TYPES: Final = frozenset({"TX", "FT", "ST"})
_ADDENDUM: Final = "ADT"
_HEADINGS: Final = {"GDT": "FINDINGS:", "IMP": "IMPRESSION:", "REC": "RECOMMENDATION:"}
"""Suffixes of OBX-3 (chapter 7, observation identifier suffixes), and what a reader would call the section."""

_MOST_ORDERS: Final = 200
"""Of a message; a bound on the time that one takes, far above what is reported at once."""

_LONGEST_HEADING: Final = 40


@frozen
class Written:
    """What lines say, addenda apart."""

    report: str = field(repr=False)
    addendum: str = field(repr=False)

    @property
    def is_blank(self) -> bool:
        """Whether nothing is said."""
        return not self.report.strip() and not self.addendum.strip()


@frozen(eq=False)
class Order:
    """One OBR with what belongs to it.

    Attributes:
        place: in the message, from 0.
        patient, common, request: its PID, ORC and OBR; a PID or ORC may be missing.
        lines: its OBX.
    """

    place: int
    patient: Segment | None
    common: Segment | None
    request: Segment
    lines: list[Segment] = field(factory=list)

    @property
    def filler(self) -> str:
        """The reporting system's number."""
        return self.request.value(3)

    @cached_property
    def texts(self) -> list[Segment]:
        """The lines of text; numbers, codes and documents are none."""
        return [line for line in self.lines if line.value(2) in _TEXT_TYPES]

    @cached_property
    def written(self) -> Written:
        """What they say."""
        return Written(_said(self.texts, addenda=False), _said(self.texts, addenda=True))


def orders_of(message: Message) -> list[Order]:
    """The orders in a message, in its order.

    Raises:
        RefusedMessageError: if there is none or more than 200, or a line stands before the first.
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
            orders.append(Order(len(orders), patient, common, segment))
            common = None
        elif segment.name == "OBX":
            if not orders:
                raise RefusedMessageError("bad-order", "an OBX stands before the first OBR", location="OBX")
            orders[-1].lines.append(segment)
        if len(orders) > _MOST_ORDERS:
            raise RefusedMessageError("too-many", f"a message has at most {_MOST_ORDERS} OBR", location="OBR")
    if not orders:
        raise RefusedMessageError("no-order", "a report wants an OBR", location="OBR")
    return orders


def reports_of(orders: Sequence[Order]) -> list[list[Order]]:
    """Orders that are one report: those of one filler number, and those with the same text.

    An order without text belongs to the report of its number, else to the only report in the message: many senders
    write the text of linked examinations once.

    Raises:
        RefusedMessageError: if it is not clear to which of several reports such an order belongs.
    """
    reports: list[list[Order]] = []
    known: dict[str | Written, list[Order]] = {}
    for order in orders:
        if order.texts:
            report = known.get(order.filler) or known.get(order.written)
            if report is None:
                report = []
                reports.append(report)
            report.append(order)
            known[order.written] = report
            if order.filler:
                known[order.filler] = report
    for order in orders:
        if not order.texts:
            _report_of(order, known, reports).append(order)
    return [sorted(report, key=lambda order: order.place) for report in reports]


def _report_of(order: Order, known: Mapping[str | Written, list[Order]], reports: list[list[Order]]) -> list[Order]:
    if order.filler in known:
        return known[order.filler]
    if len(reports) > 1:
        detail = "an OBR without text, among several reports, has the filler number (OBR-3) of the one it belongs to"
        raise RefusedMessageError("unclear-report", detail, location="OBR-3")
    if not reports:
        reports.append([])
    return reports[0]


def written(orders: Sequence[Order]) -> Written:
    """The text of a report, each part once, and that of its addenda."""
    parts = dict.fromkeys(order.written.report for order in orders)
    addenda = dict.fromkeys(order.written.addendum for order in orders)
    return Written("\n\n".join(filter(None, parts)), "\n\n".join(filter(None, addenda)))


def _said(texts: Sequence[Segment], *, addenda: bool) -> str:
    """What lines say.

    Parts that OBX-3 tells apart get the heading that they lack, so that an impression is not read as the end of what
    stands before it.
    """
    lines = [line for line in texts if (_suffix(line) == _ADDENDUM) is addenda]
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
