"""Messages of results (chapter 7 of HL7, ORU^R01) as versions of reports."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from attrs import evolve, frozen

from overread.domain.reports.report import ClinicalContext
from overread.hospital.domain.examination import Examination, ExaminationKey
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.hl7._groups import STATUSES, Order, compose_text, orders_of, reports_of
from overread.hospital.infrastructure.exchange.hl7._identifiers import identifier_of, patient_of, site_of
from overread.hospital.infrastructure.exchange.hl7._lines import refuse_markup
from overread.hospital.infrastructure.exchange.hl7._modalities import modality_of
from overread.hospital.infrastructure.exchange.hl7._segments import Message, Segment
from overread.hospital.infrastructure.exchange.hl7._times import moment
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options
from overread.hospital.infrastructure.exchange.imaging import age_at
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["SOURCE", "DocumentHeader", "person", "versions_of"]

SOURCE: Final = "hl7"
"""Source of versions that came this way."""

_WHOLE_DATE: Final = len("YYYYMMDD")
_LINE_STATUSES: Final = {"P": "PR", "R": "RP", "F": "F", "C": "CF"}
"""Statuses of lines (table 0085) that agree with that of the report."""

_TOLD_BY_LINES: Final = frozenset({"", "A"})
"""Statuses of an order that leave it to its lines: none, and A, some results available."""

_OF_LINES: Final = {
    "P": ReportStatus.PRELIMINARY,
    "R": ReportStatus.PARTIAL,
    "S": ReportStatus.PARTIAL,
    "F": ReportStatus.FINAL,
    "C": ReportStatus.CORRECTED,
}
"""HL7's table 0085: R entered and not verified, S partial, C replaces a final one."""

_RESIDENTS: Final = frozenset({ReportStatus.PRELIMINARY, ReportStatus.PARTIAL})


@frozen(kw_only=True)
class DocumentHeader:
    """Facts in the header of a document that an order does not state.

    Attributes:
        status: of the report.
        reader: who wrote or signed it; "" where it is not told.
        issued: when this version was made.
        number: of the document, by which its versions are known if the order has no filler number.
    """

    status: ReportStatus
    reader: str = ""
    issued: datetime | None = None
    number: str = ""


def versions_of(message: Message, options: Hl7Options, document: DocumentHeader | None = None) -> list[ReportVersion]:
    """The versions of reports in a message.

    Args:
        message: of a result, or a document with an order.
        options: how it is read.
        document: of which the message is.

    Raises:
        RefusedMessageError: if any of them cannot be read.
    """
    reports = reports_of(orders_of(message, options))
    return [version for report in reports for version in _versions(message, report, options, document)]


def _versions(
    message: Message, report: Sequence[Order], options: Hl7Options, document: DocumentHeader | None
) -> list[ReportVersion]:
    """The report, and its addenda as a version of their own."""
    model = _model(message, report, options)
    status = _status(report, options) if document is None else document.status
    wording = compose_text(report)
    for text in (wording.report, wording.addendum):
        refuse_markup(text)
    if status is not ReportStatus.CANCELLED and wording.is_blank:
        raise _no_text(report)
    if model and status is not ReportStatus.CANCELLED:
        status = ReportStatus.DRAFT
    first = report[0].request
    version = ReportVersion(
        examinations=_examinations(message, report, options),
        status=status,
        text="" if status is ReportStatus.CANCELLED else wording.report,
        reader="" if model else (document.reader if document else "") or _reader(report, status),
        model=model,
        filler=identifier_of(first, 3) or (document.number if document else ""),
        placer=identifier_of(first, 2),
        issued=document.issued if document else moment(first.value(22), options.zone, "OBR-22"),
        source=SOURCE,
        message=identifier_of(message.header, 10),
    )
    is_only_addendum = status is not ReportStatus.CANCELLED and not wording.report.strip()
    addenda = [evolve(version, status=ReportStatus.ADDENDUM, text=wording.addendum)] if wording.addendum.strip() else []
    return addenda if is_only_addendum else [version, *addenda]


def _no_text(report: Sequence[Order]) -> RefusedMessageError:
    if any(order.is_elsewhere for order in report):
        detail = (
            "OBX-5 (RP) says where the document is, and nothing is fetched: send the document itself as ED, or text"
        )
        return RefusedMessageError("not-embedded", detail, location="OBX-5")
    if any(order.has_blank_document for order in report):
        detail = (
            "the document in OBX-5 has no text, but perhaps a picture of it: send the text, or run character "
            "recognition first"
        )
        return RefusedMessageError("no-text", detail, location="OBX-5")
    detail = "there is no text in OBX-5 of type TX, FT or ST, and no document of type ED"
    if any(order.notes for order in report):
        detail += "; notes (NTE) are the report only with notes_as_report"
    return RefusedMessageError("no-text", detail, location="OBX-5")


def _status(report: Sequence[Order], options: Hl7Options) -> ReportStatus:
    codes = {order.request.value(25) for order in report}
    if len(codes) > 1 or any(len(order.request.repetitions(25)) > 1 for order in report):
        raise RefusedMessageError("unclear-status", "orders of one report have different statuses", location="OBR-25")
    code = codes.pop()
    if code in options.statuses:
        return options.statuses[code]
    lines = [line.value(11) for order in report for line in order.texts]
    if code in _TOLD_BY_LINES:
        return _status_of_lines(lines)
    if code not in STATUSES:
        detail = f"the status must be one of {', '.join(STATUSES)}, or be listed in the setting statuses"
        raise RefusedMessageError("unknown-status", detail, location="OBR-25")
    allowed = _LINE_STATUSES.get(code)
    if options.check_line_status and allowed is not None and any(line and line not in allowed for line in lines):
        detail = f"a line's status does not fit the report's; with OBR-25 {code} it must be {' or '.join(allowed)}"
        raise RefusedMessageError("unclear-status", detail, location="OBX-11")
    return STATUSES[code]


def _status_of_lines(lines: Sequence[str]) -> ReportStatus:
    """The status that all lines agree on, where the order leaves it to them."""
    statuses = set(lines)
    if len(statuses) == 1 and (status := _OF_LINES.get(statuses.pop())) is not None:
        return status
    detail = (
        "OBR-25 does not tell the status (it is A or empty): send P, R, F, C or X there, or one of "
        f"{', '.join(_OF_LINES)} in OBX-11 of every line, or list the code in the setting statuses"
    )
    raise RefusedMessageError("unknown-status", detail, location="OBR-25")


def _model(message: Message, report: Sequence[Order], options: Hl7Options) -> str:
    """The model that wrote a report; "" for a person."""
    names = (message.header.value(3), *(line.value(18) for order in report for line in order.texts))
    return next((options.models[name] for name in names if name in options.models), "")


def _reader(report: Sequence[Order], status: ReportStatus) -> str:
    """Whoever answers for a version: the assistant for what is not verified, the principal interpreter afterwards."""
    request = report[0].request
    assistant, principal = person(request.subcomponents(33)), person(request.subcomponents(32))
    observer = next((name for line in report[0].texts if (name := person(line.components(16)))), "")
    named = (assistant, principal) if status in _RESIDENTS else (principal, assistant)
    return next((name for name in (*named, observer) if name), "")


def person(parts: Sequence[str]) -> str:
    """Identifier of a person, else their name, family name first."""
    return parts[0] or " ".join(filter(None, parts[1:3]))


def _examinations(message: Message, report: Sequence[Order], options: Hl7Options) -> tuple[Examination, ...]:
    """One examination for each accession number, in the order of the message."""
    site = site_of(message.header, options)
    examinations: dict[str, Examination] = {}
    for order in report:
        number = _accession(order, options)
        examinations.setdefault(number, _examination(order, ExaminationKey(site, number), options))
    return tuple(examinations.values())


def _examination(order: Order, key: ExaminationKey, options: Hl7Options) -> Examination:
    request = order.request
    performed = moment(request.value(7), options.zone, "OBR-7")
    equipment = (line.value(18) for line in order.texts)
    return Examination(
        site=key.site,
        accession=key.accession,
        patient="" if order.patient is None else patient_of(order.patient, 3).value,
        modality=modality_of(request.value(24), request.value(4), request.value(4, 2)),
        procedure=request.value(4, 2) or request.value(4),
        device=next((name for name in equipment if name and name not in options.models), ""),
        performed=performed,
        context=_context(order, performed or moment(request.value(22), options.zone, "OBR-22")),
    )


def _context(order: Order, at: datetime | None) -> ClinicalContext:
    indication = _indication(order.request) or None
    if order.patient is None:
        return ClinicalContext(indication=indication)
    return ClinicalContext(
        age=age_at(order.patient.value(7)[:_WHOLE_DATE], at), sex=order.patient.value(8) or None, indication=indication
    )


def _accession(order: Order, options: Hl7Options) -> str:
    for place in options.accession_fields:
        name, _, number = place.partition("-")
        segment = {"OBR": order.request, "ORC": order.common, "TXA": order.document}[name]
        if segment is not None and (accession := identifier_of(segment, int(number))):
            _check_one(segment, int(number), place)
            return accession
    detail = f"the accession number is missing; it is read from {', '.join(options.accession_fields)}"
    raise RefusedMessageError("no-accession", detail, location=options.accession_fields[0])


def _check_one(segment: Segment, number: int, location: str) -> None:
    """Refuses several accession numbers in a field: the examinations of all but the first would lack the report."""
    numbers = {segment.components(number, place)[0] for place in range(len(segment.repetitions(number)))}
    if len(numbers - {"", '""'}) > 1:
        detail = "an order must have one accession number; send an OBR for each examination that is reported"
        raise RefusedMessageError("bad-identifier", detail, location=location)


def _indication(request: Segment) -> str:
    """The reasons for the study, else the clinical information."""
    reasons = [request.components(31, place) for place in range(len(request.repetitions(31)))]
    texts = [parts[1] if len(parts) > 1 and parts[1] else parts[0] for parts in reasons]
    return "; ".join(filter(None, texts)) or request.value(13)
