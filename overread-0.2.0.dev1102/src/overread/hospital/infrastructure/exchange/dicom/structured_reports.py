"""Structured reports of DICOM, and PDFs in its envelope, as versions of reports."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from overread.domain.reports.report import ClinicalContext
from overread.exceptions import MissingDependencyError
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.dicom._content import (
    children,
    concept_code,
    content_text,
    meaning,
    person,
)
from overread.hospital.infrastructure.exchange.documents.reading import PDF, text_of_document
from overread.hospital.infrastructure.exchange.imaging import REPORT_CODES, age_at
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["SOURCE", "read_structured_report"]

SOURCE: Final = "dicom"
"""Source of versions that came this way."""

_LARGEST: Final = 8 * 2**20
_MOST_ITEMS: Final = 20_000
_ITEM_MARKS: Final = (b"\xfe\xff\x00\xe0", b"\xff\xfe\xe0\x00")
"""How an item of a sequence begins, in either order of bytes."""

_REPORTS: Final = frozenset(f"1.2.840.10008.5.1.4.1.1.88.{number}" for number in (11, 22, 33, 34))
"""Basic Text, Enhanced, Comprehensive and Comprehensive 3D SR; key objects, doses and measurements are no reports."""

_ENCAPSULATED_PDF: Final = "1.2.840.10008.5.1.4.1.1.104.1"
_LOINC: Final = "LN"
_TITLES: Final = REPORT_CODES | {
    "11528-7",  # radiology report
}
"""LOINC's titles of documents that are reports on imaging; PDFs are also consents, curves and forms."""

_DEFLATED: Final = "1.2.840.10008.1.2.1.99"
_STRUCTURED: Final = "SR"
_PROCEDURE: Final = "121058"
"""Code of the procedure that is reported (DCM)."""

_OBSERVER: Final = "121008"
"""Code of a person who observed (DCM)."""

_LONGEST: Final = 200


def read_structured_report(path: Path, name: str, site: str, zone: str | None) -> ReportVersion:
    """The version of a report that a file with a structured report, or with a PDF in its place, is.

    Args:
        path: where the file is.
        name: by which it was dropped, for refusals.
        site: where its accession numbers come from.
        zone: IANA name of the zone of times that tell none; such times are unknown if it is None.

    Raises:
        RefusedMessageError: if it is no report, or cannot be read.
    """
    try:
        with _quiet():
            return _version(_dataset(path), site, zone)
    except RefusedMessageError as error:
        raise RefusedMessageError(error.code, error.detail, location=error.location, message=name) from None
    except (MemoryError, OSError, MissingDependencyError):
        raise
    except Exception:  # noqa: BLE001 - the library raises all sorts of them, which quote values
        detail = "the file is damaged, or no DICOM file; export it again"
        raise RefusedMessageError("bad-dicom", detail, message=name) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library's warnings to ourselves: they quote values."""
    log = logging.getLogger("pydicom")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def _dataset(path: Path) -> Any:
    """The attributes of a file, within bounds that no report needs."""
    from pydicom import dcmread
    from pydicom.filereader import read_file_meta_info

    if path.stat().st_size > _LARGEST or sum(map(path.read_bytes().count, _ITEM_MARKS)) > _MOST_ITEMS:
        detail = f"a structured report may have at most {_LARGEST:,} bytes and {_MOST_ITEMS:,} items"
        raise RefusedMessageError("too-large", detail)
    syntax = str(read_file_meta_info(path).get("TransferSyntaxUID", ""))
    if syntax == _DEFLATED:
        detail = "the file is deflated; send it in Explicit VR Little Endian"
        raise RefusedMessageError("bad-dicom", detail, location="TransferSyntaxUID")
    return dcmread(path, stop_before_pixels=True)


def _version(report: Any, site: str, zone: str | None) -> ReportVersion:
    kind = str(report.get("SOPClassUID", ""))
    if kind not in _REPORTS | {_ENCAPSULATED_PDF}:
        detail = "only Basic Text, Enhanced and Comprehensive SR are read, and Encapsulated PDF"
        raise RefusedMessageError("unknown-document", detail, location="SOPClassUID")
    status = _status(report)
    text = _pdf_text(report) if kind == _ENCAPSULATED_PDF else content_text(report)
    if not text:
        raise RefusedMessageError("no-text", "the report has no text", location="ContentSequence")
    verified = _verification(report) if status is ReportStatus.FINAL else None
    requests = report.get("ReferencedRequestSequence") or ()
    return ReportVersion(
        examinations=tuple(_examinations(report, requests, site, zone)),
        status=status,
        text=text,
        reader=_reader(report, verified),
        filler=_number(requests, "FillerOrderNumberImagingServiceRequest"),
        placer=_number(requests, "PlacerOrderNumberImagingServiceRequest"),
        issued=_issued(report, verified, zone),
        source=SOURCE,
        message=_word(report, "SOPInstanceUID"),
    )


def _pdf_text(report: Any) -> str:
    """The text of an encapsulated PDF that says it is a report on imaging."""
    titles = report.get("ConceptNameCodeSequence") or ()
    if not any(title.get("CodingSchemeDesignator") == _LOINC and title.get("CodeValue") in _TITLES for title in titles):
        detail = "the title of the PDF must say that it is a report on imaging, by a LOINC code such as 18748-4"
        raise RefusedMessageError("unknown-document", detail, location="ConceptNameCodeSequence")
    data = bytes(report.get("EncapsulatedDocument") or b"")
    length = int(report.get("EncapsulatedDocumentLength") or len(data))
    if length > len(data):
        detail = "the document is shorter than its length says: a part of it is missing; send it again"
        raise RefusedMessageError("bad-dicom", detail, location="EncapsulatedDocumentLength")
    return text_of_document(data[:length], PDF, location="EncapsulatedDocument")


def _status(report: Any) -> ReportStatus:
    """The status by both flags; a final report that follows another is a correction, as its history tells.

    A PDF has the flag of verification alone.
    """
    completion, verification = (str(report.get(name) or "") for name in ("CompletionFlag", "VerificationFlag"))
    if completion == "PARTIAL":
        return ReportStatus.PARTIAL
    statuses = {"VERIFIED": ReportStatus.FINAL, "UNVERIFIED": ReportStatus.PRELIMINARY}
    is_pdf = str(report.get("SOPClassUID", "")) == _ENCAPSULATED_PDF
    if completion not in ({"", "COMPLETE"} if is_pdf else {"COMPLETE"}) or verification not in statuses:
        detail = "CompletionFlag must be PARTIAL or COMPLETE, and VerificationFlag UNVERIFIED or VERIFIED"
        if is_pdf:
            detail = "VerificationFlag must be UNVERIFIED or VERIFIED: nothing else tells whether the report is signed"
        raise RefusedMessageError("unknown-status", detail, location="VerificationFlag")
    return statuses[verification]


def _verification(report: Any) -> Any:
    """The last verification; None where nobody is named."""
    observers = report.get("VerifyingObserverSequence") or ()
    return max(observers, key=lambda observer: str(observer.get("VerificationDateTime") or ""), default=None)


def _reader(report: Any, verified: Any) -> str:
    """Identifier or name of the person who verified a report, else of its author."""
    if verified is not None:
        codes = verified.get("VerifyingObserverIdentificationCodeSequence")
        identifier = str(codes[0].get("CodeValue") or "") if codes else ""
        return identifier or person(verified.get("VerifyingObserverName"))
    for author in report.get("AuthorObserverSequence") or ():
        codes = author.get("PersonIdentificationCodeSequence")
        identifier = str(codes[0].get("CodeValue") or "") if codes else ""
        if identifier or author.get("PersonName"):
            return identifier or person(author.get("PersonName"))
    observers = (child for child in children(report) if concept_code(child) == _OBSERVER)
    return next((person(child.get("PersonName")) for child in observers), "")


def _examinations(report: Any, requests: Sequence[Any], site: str, zone: str | None) -> list[Examination]:
    if not site:
        raise RefusedMessageError("no-site", "set a site for the folder; a DICOM file names none")
    numbers = [number for request in requests if (number := _word(request, "AccessionNumber"))]
    numbers = list(dict.fromkeys(numbers)) or [number for number in [_word(report, "AccessionNumber")] if number]
    if not numbers:
        raise RefusedMessageError("no-accession", "the accession number is missing", location="AccessionNumber")
    performed = _moment(report, _word(report, "StudyDate") + _word(report, "StudyTime"), zone)
    modalities = {str(one) for one in _several(report.get("ModalitiesInStudy"))} - {_STRUCTURED, ""}
    reported = (child for child in children(report) if concept_code(child) == _PROCEDURE)
    procedure = next((meaning(child.get("ConceptCodeSequence")) for child in reported), "")
    return [
        Examination(
            site=site,
            accession=number,
            patient=_word(report, "PatientID"),
            modality=modalities.pop() if len(modalities) == 1 else "",
            procedure=procedure or meaning(report.get("ProcedureCodeSequence")) or _word(report, "StudyDescription"),
            body_part=_word(report, "BodyPartExamined"),
            performed=performed,
            context=ClinicalContext(
                age=age_at(_word(report, "PatientBirthDate"), performed), sex=_word(report, "PatientSex") or None
            ),
        )
        for number in numbers
    ]


def _several(value: Any) -> Sequence[Any]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def _number(requests: Sequence[Any], name: str) -> str:
    """A number that all requests share; "" where they have several."""
    numbers = {_word(request, name) for request in requests}
    return numbers.pop() if len(numbers) == 1 else ""


def _issued(report: Any, verified: Any, zone: str | None) -> datetime | None:
    if verified is not None and (at := str(verified.get("VerificationDateTime") or "")):
        return _moment(report, at, zone)
    return _moment(report, _word(report, "ContentDate") + _word(report, "ContentTime"), zone)


def _moment(report: Any, value: str, zone: str | None) -> datetime | None:
    """A time as DICOM writes it; None where it is not told, or not in which zone."""
    digits, offset = value, _word(report, "TimezoneOffsetFromUTC")
    for sign in "+-":
        if sign in digits:
            digits, _, own = digits.partition(sign)
            offset = f"{sign}{own}"
    digits = digits.split(".")[0]
    if len(digits) < len("YYYYMMDD"):
        return None
    try:
        local = datetime.strptime(digits.ljust(14, "0"), "%Y%m%d%H%M%S")  # noqa: DTZ007 - the zone follows
        if offset:
            minutes = int(offset[1:3]) * 60 + int(offset[3:5])
            return local.replace(tzinfo=timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes)))
    except ValueError:
        raise RefusedMessageError("bad-time", "a date or time is not written as DICOM has it") from None
    return None if zone is None else local.replace(tzinfo=ZoneInfo(zone))


def _word(dataset: Any, name: str) -> str:
    """An identifier or a name, "" where it is not told."""
    value = str(dataset.get(name) or "").strip()
    if len(value) > _LONGEST or not value.isprintable():
        detail = f"an identifier may have at most {_LONGEST} printable characters"
        raise RefusedMessageError("bad-identifier", detail, location=name)
    return value
