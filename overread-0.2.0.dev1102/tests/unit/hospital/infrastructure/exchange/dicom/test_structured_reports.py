"""Structured reports of DICOM."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.filewriter import dcmwrite
from pydicom.sequence import Sequence
from pydicom.uid import DeflatedExplicitVRLittleEndian, ExplicitVRLittleEndian

from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.dicom.structured_reports import read_structured_report
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

from ..documents.invented_pdf import pdf_of

_BASIC = "1.2.840.10008.5.1.4.1.1.88.11"


def code(meaning: str, value: str = "1", scheme: str = "99X") -> Sequence:
    """A coded entry."""
    entry = Dataset()
    entry.CodeValue, entry.CodingSchemeDesignator, entry.CodeMeaning = value, scheme, meaning
    return Sequence([entry])


def item(kind: str, name: str, value: object = None, *below: Dataset, relation: str = "CONTAINS") -> Dataset:
    """A content item."""
    entry = Dataset()
    entry.ValueType, entry.RelationshipType = kind, relation
    if name:
        entry.ConceptNameCodeSequence = code(name, {"Procedure reported": "121058"}.get(name, "1"))
    if kind == "TEXT":
        entry.TextValue = value
    elif kind == "CODE":
        entry.ConceptCodeSequence = code(str(value))
    elif kind == "NUM":
        measured = Dataset()
        measured.NumericValue = str(value)
        measured.MeasurementUnitsCodeSequence = code("millimeter", "mm", "UCUM")
        entry.MeasuredValueSequence = Sequence([measured])
    elif kind == "PNAME":
        entry.PersonName = value
    if below:
        entry.ContentSequence = Sequence(below)
    return entry


def report(*items: Dataset) -> Dataset:
    """A verified report of a chest CT."""
    dataset = Dataset()
    dataset.SOPClassUID, dataset.SOPInstanceUID = _BASIC, "1.2.3.4"
    dataset.SpecificCharacterSet = "ISO_IR 192"
    dataset.Modality, dataset.ModalitiesInStudy = "SR", ["CT", "SR"]
    dataset.PatientID, dataset.PatientBirthDate, dataset.PatientSex = "P9", "19560301", "F"
    dataset.AccessionNumber, dataset.StudyDescription = "ACC1", "CT chest"
    dataset.StudyDate, dataset.StudyTime, dataset.TimezoneOffsetFromUTC = "20260301", "080000", "-0500"
    dataset.ContentDate, dataset.ContentTime = "20260301", "081000.25"
    dataset.CompletionFlag, dataset.VerificationFlag = "COMPLETE", "VERIFIED"
    dataset.ValueType, dataset.ConceptNameCodeSequence = "CONTAINER", code("Diagnostic imaging report")
    observer, author = Dataset(), Dataset()
    observer.VerifyingObserverName, observer.VerificationDateTime = "Adler^Ruth", "20260301081500"
    observer.VerifyingObserverIdentificationCodeSequence = code("Adler", "17")
    author.PersonName = "Brook^Sam"
    dataset.VerifyingObserverSequence, dataset.AuthorObserverSequence = Sequence([observer]), Sequence([author])
    dataset.ContentSequence = Sequence(items or [item("TEXT", "Impression", "Clear.")])
    return dataset


def written(dataset: Dataset, syntax: str = ExplicitVRLittleEndian) -> bytes:
    """The file of a report."""
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = syntax
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = dataset.SOPClassUID, dataset.SOPInstanceUID
    dataset.file_meta = meta
    file = BytesIO()
    dcmwrite(file, dataset, enforce_file_format=True)
    return file.getvalue()


def read(dataset: Dataset, *, site: str = "north", zone: str | None = None) -> ReportVersion:
    return read_bytes(written(dataset), site, zone)


def read_bytes(data: bytes, site: str = "north", zone: str | None = None) -> ReportVersion:
    with NamedTemporaryFile(suffix=".dcm") as file:
        file.write(data)
        file.flush()
        return read_structured_report(Path(file.name), "a.dcm", site, zone)


def refusal(data: bytes) -> str:
    with pytest.raises(RefusedMessageError) as refused:
        read_bytes(data)
    assert refused.value.message == "a.dcm"
    assert "Clear" not in str(refused.value)
    return refused.value.code


def test_attributes_have_their_place() -> None:
    """Who, what, when and how far; the modality is the study's, never SR."""
    version = read(report())
    [examination] = version.examinations
    assert (version.status, version.reader, version.source, version.message) == (
        *(ReportStatus.FINAL, "17", "dicom", "1.2.3.4"),
    )
    assert version.issued == datetime(2026, 3, 1, 13, 15, tzinfo=UTC)
    assert (examination.site, examination.accession, examination.patient) == ("north", "ACC1", "P9")
    assert (examination.modality, examination.procedure) == ("CT", "CT chest")
    assert examination.performed == datetime(2026, 3, 1, 13, tzinfo=UTC)
    assert (examination.context.age, examination.context.sex) == (70.0, "F")


def test_the_tree_becomes_text() -> None:
    """Containers are headings, codes their meanings, and what modifies an item stands beside it."""
    mass = item(
        *("CODE", "Finding", "Mass"),
        item("CODE", "Laterality", "Left", relation="HAS CONCEPT MOD"),
        item("NUM", "Diameter", 12, relation="HAS PROPERTIES"),
        item("IMAGE", "Source", relation="INFERRED FROM"),
    )
    version = read(
        report(
            item("CODE", "Procedure reported", "CT of chest", relation="HAS CONCEPT MOD"),
            item("PNAME", "Person observer name", "Roe^Jan", relation="HAS OBS CONTEXT"),
            item("CONTAINER", "History", None, item("TEXT", "History", "Cough.")),
            item(
                *("CONTAINER", "Findings", None, item("TEXT", "Finding", "Lungs clear.\r\nHeart normal.")),
                *(mass, item("NUM", "Aortic diameter", 31), item("CODE", "Lymph nodes", "Normal")),
                item("CONTAINER", "Empty", None, item("IMAGE", "Key")),
            ),
            item("TEXT", "Impression", "Größe ≥ 5 mm."),
        )
    )
    assert version.text.text == (
        "HISTORY:\nCough.\n\nFINDINGS:\nLungs clear.\nHeart normal.\nMass (Laterality: Left; Diameter: 12 mm)\n"
        "Aortic diameter: 31 mm\nLymph nodes: Normal\n\nIMPRESSION:\nGröße ≥ 5 mm."
    )
    assert version.examinations[0].procedure == "CT of chest"


@pytest.mark.parametrize(
    ("completion", "verification", "status", "reader"),
    [
        ("COMPLETE", "VERIFIED", ReportStatus.FINAL, "17"),
        ("COMPLETE", "UNVERIFIED", ReportStatus.PRELIMINARY, "Brook Sam"),
        ("PARTIAL", "UNVERIFIED", ReportStatus.PARTIAL, "Brook Sam"),
    ],
)
def test_flags_are_the_status(completion: str, verification: str, status: ReportStatus, reader: str) -> None:
    """And decide whose report it is."""
    dataset = report()
    dataset.CompletionFlag, dataset.VerificationFlag = completion, verification
    version = read(dataset)
    assert (version.status, version.reader) == (status, reader)


def test_orders_name_the_examinations() -> None:
    """A report on several requests is one of several examinations."""
    requests = []
    for number in ("ACC1", "ACC2"):
        request = Dataset()
        request.AccessionNumber, request.FillerOrderNumberImagingServiceRequest = number, "FI1"
        requests.append(request)
    dataset = report()
    dataset.ReferencedRequestSequence = Sequence(requests)
    version = read(dataset)
    assert [examination.accession for examination in version.examinations] == ["ACC1", "ACC2"]
    assert version.filler == "FI1"


def _without(name: str) -> Callable[[Dataset], None]:
    return lambda dataset: delattr(dataset, name)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_without("AccessionNumber"), "no-accession"),
        (_without("VerificationFlag"), "unknown-status"),
        (_without("ContentSequence"), "no-text"),
        (lambda dataset: setattr(dataset, "SOPClassUID", "1.2.840.10008.5.1.4.1.1.88.67"), "unknown-document"),
        (lambda dataset: setattr(dataset.ContentSequence[0], "ValueType", "TABLE"), "unread-part"),
        (lambda dataset: setattr(dataset.ContentSequence[0], "TextValue", "x" * 600_000), "too-large"),
    ],
)
def test_what_is_no_report_is_refused(change: Callable[[Dataset], None], code: str) -> None:
    """With a code for each reason."""
    dataset = report()
    change(dataset)
    assert refusal(written(dataset)) == code


def test_what_is_meant_to_exhaust_is_refused() -> None:
    """Trees that are too deep, too many items, deflated files and files that are too large."""
    nested = item("TEXT", "Impression", "Clear.")
    for _ in range(200):
        nested = item("CONTAINER", "Findings", None, nested)
    assert refusal(written(report(nested))) in ("too-large", "bad-dicom")
    assert refusal(written(report()) + b"\xfe\xff\x00\xe0" * 30_000) == "too-large"
    assert refusal(bytes(9 * 2**20)) == "too-large"
    assert refusal(written(report(), DeflatedExplicitVRLittleEndian)) == "bad-dicom"


def test_a_site_must_be_set() -> None:
    """No DICOM file says where its accession numbers come from."""
    with pytest.raises(RefusedMessageError, match="site"):
        read(report(), site="")


@given(st.binary(max_size=300), st.integers(0, 1500))
def test_damaged_files_are_refused(noise: bytes, place: int) -> None:
    """Whatever stands in them."""
    data = bytearray(written(report()))
    data[place : place + len(noise)] = noise
    with suppress(RefusedMessageError):
        read_bytes(bytes(data))


def pdf_report(data: bytes, **changes: object) -> Dataset:
    """A verified report as a PDF in DICOM's envelope, padded to an even length."""
    dataset = report()
    for name in (
        "CompletionFlag",
        "ValueType",
        "ContentSequence",
        "VerifyingObserverSequence",
        "AuthorObserverSequence",
    ):
        delattr(dataset, name)
    dataset.SOPClassUID, dataset.Modality = "1.2.840.10008.5.1.4.1.1.104.1", "DOC"
    dataset.ConceptNameCodeSequence = code("Radiology report", "18748-4", "LN")
    dataset.MIMETypeOfEncapsulatedDocument = "application/pdf"
    dataset.EncapsulatedDocument, dataset.EncapsulatedDocumentLength = data + b"\0" * (len(data) % 2), len(data)
    for name, value in changes.items():
        setattr(dataset, name, value)
    return dataset


def test_a_pdf_in_an_envelope_is_read() -> None:
    """Its text, and all else from the attributes; the flag alone says whether it is signed."""
    data = pdf_of([["FINDINGS: The lungs are clear.", "IMPRESSION: Normal chest."]])
    version = read(pdf_report(data))
    assert version.text.text == "FINDINGS: The lungs are clear.\nIMPRESSION: Normal chest."
    assert (version.status, version.keys[0].accession, version.reader) == (ReportStatus.FINAL, "ACC1", "")
    assert (version.examinations[0].patient, version.examinations[0].modality) == ("P9", "CT")
    assert version.issued == datetime(2026, 3, 1, 13, 10, tzinfo=UTC)
    assert read(pdf_report(data, VerificationFlag="UNVERIFIED")).status is ReportStatus.PRELIMINARY


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"VerificationFlag": None}, "unknown-status"),
        ({"ConceptNameCodeSequence": code("Informed consent", "59284-0", "LN")}, "unknown-document"),
        ({"ConceptNameCodeSequence": code("Radiology report", "18748-4", "99X")}, "unknown-document"),
        ({"ConceptNameCodeSequence": None}, "unknown-document"),
        ({"EncapsulatedDocumentLength": 100_000}, "bad-dicom"),
        ({"EncapsulatedDocument": b"no PDF"}, "bad-dicom"),
        ({"EncapsulatedDocument": b"no PDF", "EncapsulatedDocumentLength": 6}, "bad-pdf"),
        ({"AccessionNumber": None}, "no-accession"),
    ],
)
def test_a_pdf_that_is_no_report_is_refused(changes: dict[str, object], reason: str) -> None:
    """Of no status, of another kind, without a title, cut off, damaged, or on no examination."""
    assert refusal(written(pdf_report(pdf_of([["FINDINGS: Clear."]]), **changes))) == reason
