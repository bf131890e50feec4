"""The day's messages of the site that speaks HL7 version 2: ORU^R01, as its systems write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.demo_day.day import Sending

__all__ = ["MODELS", "OVERSIZED", "message"]

MODELS: Final = {"CHIRON": "Chiron 2.1", "CRANIUM": "Cranium 0.9"}
"""Models by the sending application that their drafts come from."""

OVERSIZED: Final = 4 * 2**20
"""Bytes that the oversized message exceeds: more than a listener takes as usual."""

_STATUSES: Final = {
    ReportStatus.DRAFT: "P",
    ReportStatus.PRELIMINARY: "P",
    ReportStatus.PARTIAL: "R",
    ReportStatus.FINAL: "F",
    ReportStatus.CORRECTED: "C",
    ReportStatus.ADDENDUM: "F",
    ReportStatus.CANCELLED: "X",
}
_ESCAPES: Final = {"\\": "\\E\\", "|": "\\F\\", "^": "\\S\\", "&": "\\T\\", "~": "\\R\\"}
_CHARSETS: Final = ("UNICODE UTF-8", "8859/1", "ASCII")
_FIELDS: Final = 34


def message(sending: Sending) -> bytes:
    """A message without its frame. Some systems send a line a segment, others all in one with escapes for its breaks.

    Where a report covers several examinations, its text stands under each or under the first alone.
    """
    version = sending.version
    serial = int(version.examinations[0].accession[1:])
    first = version.examinations[0]
    charset = "KLINGON" if sending.fault == "unknown-charset" else _CHARSETS[serial % len(_CHARSETS)]
    segments = [_header(sending, charset), _patient(first)]
    for place, examination in enumerate(version.examinations):
        segments.append(_request(sending, examination, place + 1))
        if place == 0 or serial % 4 == 0:
            segments.extend(_lines(sending, in_one=serial % 2 == 0))
    return ("\r".join(segments) + "\r").encode("utf-8")


def _header(sending: Sending, charset: str) -> str:
    version = sending.version
    model = next((application for application, name in MODELS.items() if name == version.model), "RIS")
    kind = "ADT^A08^ADT_A01" if sending.fault == "wrong-type" else "ORU^R01^ORU_R01"
    site = version.examinations[0].site
    values = {3: model, 4: site, 5: "OVERREAD", 6: site, 7: _time(sending.sent), 9: kind, 10: version.message, 11: "P"}
    # MSH-1 is the separator itself, so that what follows the name counts from 2.
    fields = _fields({**values, 12: "2.5.1", 18: charset}, 18)
    return "|".join(["MSH", r"^~\&", *fields[2:]])


def _patient(examination: Examination) -> str:
    age, performed = examination.context.age, examination.performed
    born = "" if age is None or performed is None else f"{performed.year - int(age)}0115"
    values = {1: "1", 3: f"{examination.patient}^^^{examination.site}^MR", 5: "INVENTED^PATIENT", 7: born}
    return "|".join(["PID", *_fields({**values, 8: examination.context.sex or ""}, 8)])


def _request(sending: Sending, examination: Examination, place: int) -> str:
    version = sending.version
    is_early = version.status in {ReportStatus.PRELIMINARY, ReportStatus.PARTIAL}
    values = {
        1: str(place),
        2: version.placer,
        # A site that forgets the accession number has no number of the report in its place either.
        3: "" if sending.fault == "no-accession" else version.filler,
        4: f"{examination.modality}{examination.body_part}^{_escape_text(examination.procedure)}^L",
        7: _time(examination.performed),
        18: "" if sending.fault == "no-accession" else examination.accession,
        22: _time(version.issued),
        24: examination.modality,
        25: "Q" if sending.fault == "unknown-status" else _STATUSES[version.status],
        31: f"^{_escape_text(examination.context.indication or '')}",
        32: "" if is_early else version.reader,
        33: version.reader if is_early else "",
    }
    return "|".join(["OBR", *_fields(values, _FIELDS)])


def _lines(sending: Sending, *, in_one: bool) -> list[str]:
    """The text, in one segment of formatted text or in a segment a line."""
    text = sending.version.text.text
    if sending.fault == "empty":
        text = ""
    elif sending.fault == "oversized":
        text = f"{text}\n" * (OVERSIZED // len(text.encode()) + 1)
    escaped = _escape_text(text)
    if sending.fault == "bad-escape":
        escaped = f"{escaped} \\Zq\\"
    suffix = "&ADT" if sending.version.status is ReportStatus.ADDENDUM else ""
    written = [("FT", escaped.replace("\n", "\\.br\\"))] if in_one else [("TX", line) for line in escaped.split("\n")]
    return [
        "|".join(["OBX", str(number), kind, f"REPORT{suffix}", "1", words, *[""] * 6])
        for number, (kind, words) in enumerate(written, start=1)
    ]


def _escape_text(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def _fields(told: Mapping[int, str], last: int) -> Sequence[str]:
    return [told.get(number, "") for number in range(1, last + 1)]


def _time(moment: datetime | None) -> str:
    return "" if moment is None else moment.strftime("%Y%m%d%H%M%S%z")
