"""Orders of a message, each with its lines, and which of them are one report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from attrs import field, frozen

from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.exchange.hl7._identifiers import patient_of
from overread.hospital.infrastructure.exchange.hl7._lines import POINTER, Line, text_of, texts_of
from overread.hospital.infrastructure.exchange.hl7._segments import Message, Segment
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["CANCELLED", "STATUSES", "Order", "Written", "compose_text", "orders_of", "reports_of"]

CANCELLED: Final = "X"
"""Status (OBR-25) of a report that is withdrawn; what its lines say does not count."""

STATUSES: Final = {
    "P": ReportStatus.PRELIMINARY,
    "R": ReportStatus.PARTIAL,
    "F": ReportStatus.FINAL,
    "C": ReportStatus.CORRECTED,
    CANCELLED: ReportStatus.CANCELLED,
}
"""HL7's table 0123: P early result, R stored and not yet verified, F final, C correction, X order cancelled."""

_MOST_ORDERS: Final = 200
"""Limit for a message, which bounds the time it takes; far above what is reported at once."""


@frozen
class Written:
    """Text of lines, with addenda apart."""

    report: str = field(repr=False)
    addendum: str = field(repr=False)

    @property
    def is_blank(self) -> bool:
        """True if there is no text."""
        return not self.report.strip() and not self.addendum.strip()


@frozen(eq=False)
class Order:
    """One OBR with what belongs to it.

    Attributes:
        place: in the message, from 0.
        patient, common, request: its PID, ORC and OBR; a PID or ORC may be missing.
        options: how its lines are read.
        document: its TXA, where it is a document.
        lines: its OBX.
        notes: its NTE, before the first OBX.
    """

    place: int
    patient: Segment | None
    common: Segment | None
    request: Segment
    options: Hl7Options
    document: Segment | None = None
    lines: list[Line] = field(factory=list)
    notes: list[Segment] = field(factory=list, repr=False)

    @property
    def filler(self) -> str:
        """The reporting system's number."""
        return self.request.value(3)

    @property
    def person(self) -> str:
        """The patient's identifier, "" where it is not told."""
        return "" if self.patient is None else patient_of(self.patient, 3).value

    @property
    def is_cancelled(self) -> bool:
        """True if the report is withdrawn."""
        code = self.request.value(25)
        return self.options.statuses.get(code, STATUSES.get(code)) is ReportStatus.CANCELLED

    @cached_property
    def texts(self) -> list[Segment]:
        """The lines of text; numbers, codes and documents are none."""
        return [line.segment for line in self._texts]

    @cached_property
    def written_text(self) -> Written:
        """Text of these lines."""
        report, addendum = (text_of(self._texts, self.options, addenda=addenda) for addenda in (False, True))
        return Written(report, addendum)

    @cached_property
    def _texts(self) -> list[Line]:
        if self.is_cancelled:
            return []
        texts = texts_of(self.lines, self.request.value(4), self.options)
        if self.options.notes_as_report and not any(line.is_filled for line in texts):
            notes = [Line(note) for note in self.notes]
            return texts_of([line for line in notes if line.is_filled], "", self.options) or texts
        return texts

    @property
    def has_blank_document(self) -> bool:
        """True if a line of text holds a document; to be asked where none has text."""
        return any(line.is_filled and line.is_document for line in self._texts)

    @property
    def is_elsewhere(self) -> bool:
        """True if a line says only where a document is."""
        return any(line.is_filled and line.type == POINTER for line in self.lines)


def orders_of(message: Message, options: Hl7Options) -> list[Order]:
    """The orders in a message, in its order.

    Raises:
        RefusedMessageError: if there is none or more than 200, a line stands before the first, no OBR follows a
            PID, or the message is not all there is, or more than one.
    """
    patient: Segment | None = None
    common: Segment | None = None
    orders: list[Order] = []
    notes: list[Segment] = []
    document = next((segment for segment in message.segments if segment.name == "TXA"), None)
    for segment in message.segments:
        _check_whole(segment)
        if segment.name == "PID":
            _check_next_patient(patient, segment, orders)
            patient, common = segment, None
        elif segment.name == "ORC":
            common = segment
        elif segment.name == "OBR":
            orders.append(Order(len(orders), patient, common, segment, options, document))
            common, notes = None, orders[-1].notes
        elif segment.name == "OBX":
            if not orders:
                raise RefusedMessageError("bad-order", "an OBX comes before the first OBR", location="OBX")
            _check_patient(patient, orders)
            line = Line(segment, options.codes)
            orders[-1].lines.append(line)
            notes = line.notes
        elif segment.name == "NTE":
            notes.append(segment)
        if len(orders) > _MOST_ORDERS:
            raise RefusedMessageError(
                "too-many", f"a message may have at most {_MOST_ORDERS} OBR segments", location="OBR"
            )
    if not orders:
        raise RefusedMessageError("no-order", "a report needs an OBR", location="OBR")
    _check_patient(patient, orders)
    return orders


def _check_patient(patient: Segment | None, orders: Sequence[Order]) -> None:
    """Refuses a PID that no OBR follows: lines after it would be another patient's, or a report nobody's."""
    if patient is not orders[-1].patient:
        detail = "a PID must come before the OBR of its patient's report, but no OBR follows this one"
        raise RefusedMessageError("bad-order", detail, location="PID")


def _check_next_patient(before: Segment | None, patient: Segment, orders: Sequence[Order]) -> None:
    """Refuses two patients before one OBR: the report would be the last one's, whoever it is about."""
    is_used = before is None or (bool(orders) and orders[-1].patient is before)
    if before is not None and not is_used and patient_of(before, 3) != patient_of(patient, 3):
        detail = (
            "two PID with different identifiers come before one OBR, so that it is not clear whose report it is; "
            "send each patient's report separately"
        )
        raise RefusedMessageError("several-patients", detail, location="PID-3")


def _check_whole(segment: Segment) -> None:
    """Refuses segments by which a part of a report is elsewhere, or that begin what is another's."""
    if segment.name == "MSH":
        raise RefusedMessageError(
            "two-messages", "a frame must hold one message; send each message in its own frame", location="MSH"
        )
    if segment.name == "ADD" or (segment.name == "DSC" and segment.value(1)):
        detail = "the message is part of a longer one; send the whole report in one message"
        raise RefusedMessageError("fragment", detail, location=segment.name)
    if segment.name == "DSP" and segment.value(3):
        raise RefusedMessageError("text-elsewhere", "text is read from OBX only; send it there", location="DSP-3")


def reports_of(orders: Sequence[Order]) -> list[list[Order]]:
    """Orders that are one report: those of one filler number, and those of one patient with the same text.

    What is withdrawn is told apart by filler number alone. An order without text belongs to the report of its number,
    else to the only report in the message: many senders write the text of linked examinations once.

    Raises:
        RefusedMessageError: if it is not clear to which of several reports such an order belongs, or if a report would
            be of several patients.
    """
    reports: list[list[Order]] = []
    known: dict[str | tuple[str, Written], list[Order]] = {}
    for order in orders:
        if order.texts or order.is_cancelled:
            alike = (order.person, order.written_text)
            report = known.get(order.filler)
            if report is None and not (order.is_cancelled and order.filler):
                report = known.get(alike)
            if report is None:
                report = []
                reports.append(report)
            report.append(order)
            known[alike] = report
            if order.filler:
                known[order.filler] = report
    for order in orders:
        if not order.texts and not order.is_cancelled:
            report = known.get(order.filler)
            (_only(reports) if report is None else report).append(order)
    for report in reports:
        if len({order.person for order in report}) > 1:
            detail = "orders of one report belong to several patients; send each patient's report separately"
            raise RefusedMessageError("several-patients", detail, location="PID-3")
    return [sorted(report, key=lambda order: order.place) for report in reports]


def _only(reports: list[list[Order]]) -> list[Order]:
    if len(reports) > 1:
        detail = (
            "an OBR without text, among several reports, must have the filler number (OBR-3) of the report it "
            "belongs to"
        )
        raise RefusedMessageError("unclear-report", detail, location="OBR-3")
    if not reports:
        reports.append([])
    return reports[0]


def compose_text(orders: Sequence[Order]) -> Written:
    """The text of a report, each part once, and that of its addenda."""
    parts = dict.fromkeys(order.written_text.report for order in orders)
    addenda = dict.fromkeys(order.written_text.addendum for order in orders)
    return Written("\n\n".join(filter(None, parts)), "\n\n".join(filter(None, addenda)))
