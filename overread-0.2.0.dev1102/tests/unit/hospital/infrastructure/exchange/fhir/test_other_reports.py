"""Documents without a DiagnosticReport are read as reports on imaging, or refused with a reason."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from fhir.resources.R4B import get_fhir_model_class as model_r4b

from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.fhir.reading import read_fhir
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

from .invented import OPTIONS, TEXT, Json, bundle, form, identifier, patient, report

_DATA = Path(__file__).parents[5] / "data" / "fhir"
_DICOM = "http://dicom.nema.org/resources/ontology/DCM"
_STUDY = {"coding": [{"system": "http://loinc.org", "code": "18748-4"}]}
_ORDER = {
    "resourceType": "ServiceRequest",
    "id": "o1",
    "status": "completed",
    "intent": "order",
    "subject": {"reference": "Patient/p1"},
    "identifier": [identifier("A200", "ACSN")],
    "code": {"text": "CT abdomen"},
}


def _read(document: Any, options: FhirOptions = OPTIONS) -> ReportVersion:
    [version] = read_fhir(document, options)
    return version


def _refusal(document: Any, options: FhirOptions = OPTIONS) -> tuple[str, str]:
    with pytest.raises(RefusedMessageError) as caught:
        read_fhir(document, options)
    return caught.value.code, caught.value.location


def _reference(**changes: Any) -> Json:
    """A final document of R4; a change to None leaves an element out."""
    whole = {
        "resourceType": "DocumentReference",
        "id": "d1",
        "meta": {"versionId": "3", "lastUpdated": "2026-03-01T10:00:00Z"},
        "identifier": [identifier("A100", "ACSN"), identifier("F7", "FILL")],
        "status": "current",
        "docStatus": "final",
        "type": _STUDY,
        "subject": {"reference": "Patient/p1"},
        "date": "2026-03-01T09:00:00Z",
        "author": [{"reference": "Organization/radiology"}, {"reference": "Practitioner/dr-grey"}],
        "content": [{"attachment": form(TEXT)}],
        "context": {
            "event": [
                {"coding": [{"system": _DICOM, "code": "CT"}]},
                {"text": "CT chest"},
            ],
            "period": {"start": "2026-03-01T07:30:00Z"},
        },
    } | changes
    return {name: value for name, value in whole.items() if value is not None}


def _reference_r5(**changes: Any) -> Json:
    """The same of R5, where the context is what it refers to."""
    more = {
        "context": [{"reference": "Encounter/e1"}],
        "event": [{"concept": {"text": "CT chest"}}],
        "modality": [{"coding": [{"system": _DICOM, "code": "CT"}]}],
        "period": {"start": "2026-03-01T07:30:00Z"},
    }
    return _reference(**(more | changes))


@pytest.mark.parametrize("document", [_reference(), _reference_r5()], ids=["R4", "R5"])
def test_a_document_is_read_field_by_field(document: Json) -> None:
    """As a report is: number, status, times, reader, what was done, and the text that it holds."""
    version = _read(bundle(document, patient()))
    [examination] = version.examinations
    assert (examination.site, examination.accession, examination.modality) == ("north", "A100", "CT")
    assert (examination.patient, examination.procedure) == ("MRN-5", "CT chest")
    assert examination.performed == datetime(2026, 3, 1, 7, 30, tzinfo=UTC)
    assert (version.status, version.text.text, version.reader) == (ReportStatus.FINAL, TEXT, "dr-grey")
    assert (version.filler, version.issued) == ("F7", datetime(2026, 3, 1, 9, tzinfo=UTC))
    assert version.message == "north/DocumentReference/d1/3"


def test_a_document_alone_is_read() -> None:
    """Without a bundle, as a subscription sends it; whoever authenticated it comes before its authors."""
    version = _read(json.dumps(_reference(authenticator={"reference": "Practitioner/dr-lead"})).encode())
    assert (version.examinations[0].patient, version.reader) == ("p1", "dr-lead")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"docStatus": "preliminary"}, ReportStatus.PRELIMINARY),
        ({"docStatus": "final"}, ReportStatus.FINAL),
        ({"docStatus": "final", "status": "superseded"}, ReportStatus.FINAL),
        ({"docStatus": "amended"}, ReportStatus.CORRECTED),
        ({"docStatus": "entered-in-error"}, ReportStatus.CANCELLED),
        ({"docStatus": "final", "status": "entered-in-error"}, ReportStatus.CANCELLED),
    ],
)
def test_each_status_of_a_document_has_one_meaning(said: Json, status: ReportStatus) -> None:
    """One that was superseded was what it was when it was written; what was filed by mistake does not count."""
    assert _read(_reference(**said)).status is status


@pytest.mark.parametrize("said", [{"docStatus": None}, {"docStatus": "unknown"}, {"docStatus": "deprecated"}])
def test_a_document_of_unknown_status_is_refused(said: Json) -> None:
    """The status of the reference alone does not tell how far the report is."""
    document = _reference_r5(**said) if said["docStatus"] else _reference(**said)
    assert _refusal(document) == ("unknown-status", "DocumentReference.docStatus")


def _replacing(code: str = "replaces", target: str = "DocumentReference/d0") -> list[Json]:
    return [{"code": code, "target": {"reference": target}}]


def test_a_document_that_replaces_another_is_a_correction() -> None:
    """Unless what it replaces came along and was not final yet, or the source is said to replace such documents."""
    assert _read(_reference(relatesTo=_replacing())).status is ReportStatus.CORRECTED
    assert _read(_reference(relatesTo=_replacing("appends"))).status is ReportStatus.ADDENDUM
    assert _read(_reference(relatesTo=_replacing("transforms"))).status is ReportStatus.FINAL
    early = _reference(docStatus="preliminary", relatesTo=_replacing())
    assert _read(early).status is ReportStatus.PRELIMINARY
    before = _reference(id="d0", docStatus="preliminary", meta={"lastUpdated": "2026-03-01T08:00:00Z"})
    together = read_fhir(bundle(_reference(relatesTo=_replacing()), before), OPTIONS)
    assert [version.status for version in together] == [ReportStatus.PRELIMINARY, ReportStatus.FINAL]
    final = evolve(OPTIONS, replacement=ReportStatus.FINAL)
    assert _read(_reference(relatesTo=_replacing()), final).status is ReportStatus.FINAL
    r5 = [{"code": {"coding": [{"code": "replaces"}]}, "target": {"reference": "DocumentReference/d0"}}]
    assert _read(_reference_r5(relatesTo=r5)).status is ReportStatus.CORRECTED


def test_a_replacement_is_a_correction_or_a_final() -> None:
    """No other status is one that a document may have for replacing another."""
    with pytest.raises(ValueError, match="replacement"):
        evolve(OPTIONS, replacement=ReportStatus.DRAFT)


@pytest.mark.parametrize(
    "related",
    [
        {"context": {"related": [{"identifier": identifier("A200", "ACSN")}]}},
        {"context": {"related": [{"reference": "Patient/p1"}, {"reference": "ServiceRequest/o1"}]}},
        {"masterIdentifier": identifier("A200", "ACSN")},
        {
            "extension": [
                {
                    "url": "http://hl7.org/fhir/5.0/StructureDefinition/extension-DocumentReference.basedOn",
                    "valueReference": {"reference": "ServiceRequest/o1"},
                }
            ]
        },
    ],
)
def test_the_number_may_stand_on_what_a_document_is_about(related: Json) -> None:
    """On its order, or in a reference to it that has nothing but the number."""
    document = _reference(identifier=None, **related)
    assert _read(bundle(document, _ORDER, patient())).keys[0].accession == "A200"


def test_the_number_of_r5_may_stand_on_the_order() -> None:
    """Which R5 has an element for; the study tells its modality, and the order what was asked for."""
    study = {
        "resourceType": "ImagingStudy",
        "id": "s1",
        "status": "available",
        "subject": {"reference": "Patient/p1"},
        "modality": [{"coding": [{"system": _DICOM, "code": "MR"}]}],
    }
    document = _reference_r5(
        identifier=None,
        modality=None,
        event=None,
        context=[{"reference": "ImagingStudy/s1"}],
        basedOn=[{"reference": "ServiceRequest/o1"}],
    )
    [examination] = _read(bundle(document, _ORDER, study)).examinations
    assert (examination.accession, examination.modality, examination.procedure) == ("A200", "MR", "CT abdomen")


def test_a_document_without_a_number_is_refused() -> None:
    """It names the places where the number may stand."""
    with pytest.raises(RefusedMessageError, match=r"context\.related") as caught:
        read_fhir(_reference(identifier=None), OPTIONS)
    assert (caught.value.code, caught.value.location) == ("no-accession", "DocumentReference.identifier")


def test_a_document_of_another_service_is_refused() -> None:
    """A discharge letter is no report; a source may name its own types of documents."""
    letter = {"coding": [{"system": "http://loinc.org", "code": "18842-5"}]}
    own = {"coding": [{"system": "https://ris.example/types", "code": "RAD-BEF"}]}
    plain = {"coding": [{"system": "http://loinc.org", "code": "LP29684-5"}]}
    bare = {"context": None}
    assert _refusal(_reference(type=letter, **bare)) == ("not-imaging", "DocumentReference.type")
    assert _refusal(_reference(type=own, **bare)) == ("not-imaging", "DocumentReference.type")
    assert _read(_reference(type=own, **bare), evolve(OPTIONS, document_types=frozenset({"RAD-BEF"}))).text.text == TEXT
    assert _read(_reference(type=letter, category=[plain], **bare)).text.text == TEXT


def test_the_text_may_be_a_binary_of_the_bundle() -> None:
    """As IHE's mobile documents have it; what did not come along is not fetched."""
    url = "https://pacs.example/fhir/Binary/b1"
    document = _reference(content=[{"attachment": {"contentType": "text/plain", "url": url}}])
    data = base64.b64encode(TEXT.encode()).decode()
    binary = {"resourceType": "Binary", "id": "b1", "contentType": "text/plain", "data": data}
    assert _read(bundle(document, binary)).text.text == TEXT
    assert _refusal(document) == ("not-embedded", "DocumentReference.content.attachment")


def test_a_model_may_be_the_author_of_a_document() -> None:
    """What it wrote and nobody signed is a draft."""
    device = {
        "resourceType": "Device",
        "id": "net",
        "deviceName": [{"name": "head-net", "type": "model-name"}],
        "version": [{"value": "2"}],
    }
    document = _reference(docStatus="preliminary", author=[{"reference": "Device/net"}])
    version = _read(bundle(document, device))
    assert (version.status, version.model, version.reader) == (ReportStatus.DRAFT, "head-net 2", "")


def test_a_report_comes_before_its_document() -> None:
    """A DocumentReference beside a DiagnosticReport files the same text."""
    assert _read(bundle(_reference(), report())).message == "north/r1/2"


def test_both_releases_accept_what_is_tried_here() -> None:
    """These resources are what the definitions have, so that what is refused is refused for its content."""
    model_r4b("DocumentReference").model_validate(_reference())


# --- documents with a composition ----------------------------------------------------------------------------------


def _narrative(text: str) -> Json:
    return {"status": "additional", "div": f'<div xmlns="http://www.w3.org/1999/xhtml"><p>{text}</p></div>'}


def _composition(**changes: Any) -> Json:
    whole = {
        "resourceType": "Composition",
        "id": "c1",
        "meta": {"versionId": "1"},
        "status": "final",
        "type": _STUDY,
        "subject": {"reference": "Patient/p1"},
        "date": "2026-03-01T09:00:00Z",
        "author": [{"reference": "Organization/radiology"}],
        "attester": [
            {"mode": "personal", "party": {"reference": "Practitioner/clerk"}},
            {"mode": "legal", "party": {"reference": "Practitioner/dr-grey"}},
        ],
        "title": "CT chest",
        "event": [
            {
                "code": [{"text": "CT chest"}],
                "period": {"start": "2026-03-01T07:30:00Z"},
                "detail": [{"reference": "ServiceRequest/o1"}],
            }
        ],
        "section": [
            {"title": "Findings", "text": _narrative("Small effusion.")},
            {"title": "Impression", "text": _narrative("Effusion.")},
        ],
    } | changes
    return {name: value for name, value in whole.items() if value is not None}


def _document(**changes: Any) -> Json:
    return bundle(_composition(**changes), _ORDER, patient(), kind="document")


def test_a_document_with_a_composition_alone_is_a_report() -> None:
    """Its sections are the text, and whoever attested it for the law is the reader."""
    version = _read(_document())
    [examination] = version.examinations
    assert (examination.accession, examination.patient, examination.procedure) == ("A200", "MRN-5", "CT abdomen")
    assert version.text.text == "Findings:\nSmall effusion.\n\nImpression:\nEffusion."
    assert (version.status, version.reader) == (ReportStatus.FINAL, "dr-grey")
    assert version.message == "north/Composition/c1/1"
    model_r4b("Composition").model_validate(_composition())


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"status": "preliminary"}, ReportStatus.PRELIMINARY),
        ({"status": "amended"}, ReportStatus.CORRECTED),
        ({"status": "entered-in-error"}, ReportStatus.CANCELLED),
        (
            {"relatesTo": [{"code": "replaces", "targetIdentifier": {"value": "R-1"}}]},
            ReportStatus.CORRECTED,
        ),
        ({"relatesTo": [{"code": "appends", "targetIdentifier": {"value": "R-1"}}]}, ReportStatus.ADDENDUM),
    ],
)
def test_each_status_of_a_composition_has_one_meaning(said: Json, status: ReportStatus) -> None:
    """Final, unless it replaces another or adds to it."""
    assert _read(_document(**said)).status is status


def test_sections_may_tell_order_and_study() -> None:
    """By their codes: a study in a section of comparison is another's, and its number none of this report's."""

    def section(code: str) -> Json:
        coding = [{"system": "http://loinc.org", "code": code}]
        entry = [{"reference": "ServiceRequest/o1"}]
        return {"title": "About", "code": {"coding": coding}, "text": _narrative("About."), "entry": entry}

    assert _read(_document(event=None, section=[section("55115-0")])).keys[0].accession == "A200"
    assert _refusal(_document(event=None, section=[section("18834-2")])) == ("no-accession", "Composition.identifier")


def test_a_document_that_is_no_report_is_refused() -> None:
    """A patient summary has a composition, too."""
    summary = {"coding": [{"system": "http://loinc.org", "code": "60591-5"}]}
    assert _refusal(_document(type=summary)) == ("not-imaging", "Composition.type")
    assert _refusal(bundle(_composition(), _ORDER, patient()))[0] == "not-a-report"


def test_a_replacement_of_the_european_imaging_report_is_a_correction() -> None:
    """Its composition says that it replaces another document; report and order tell all else."""
    content = (_DATA / "imaging_report_replacement.json").read_bytes()
    model_r4b("Bundle").model_validate_json(content)
    version = _read(content)
    assert (version.status, version.reader) == (ReportStatus.CORRECTED, "LIND-3")
    assert (version.keys[0].accession, version.examinations[0].modality) == ("CT-2041", "CT")
    assert version.text.text.startswith("Findings:\nNodule of 9 mm in the right upper lobe.")
    document = json.loads(content)
    del document["entry"][0]["resource"]["relatesTo"]
    assert _read(document).status is ReportStatus.FINAL


def test_a_report_may_say_itself_that_it_replaces_another() -> None:
    """By FHIR's extension, or by R5's relation of its composition."""
    url = "http://hl7.org/fhir/StructureDefinition/diagnosticReport-replaces"
    extension = [{"url": url, "valueReference": {"reference": "DiagnosticReport/r0"}}]
    assert _read(report(extension=extension)).status is ReportStatus.CORRECTED
    before = report(id="r0", status="preliminary", meta={"lastUpdated": "2026-02-01T00:00:00Z"})
    statuses = [version.status for version in read_fhir(bundle(report(extension=extension), before), OPTIONS)]
    assert statuses == [ReportStatus.PRELIMINARY, ReportStatus.FINAL]
    assert _read(report(extension=extension, status="preliminary")).status is ReportStatus.PRELIMINARY


def test_a_section_without_a_code_may_be_the_order_by_its_title() -> None:
    """Its title counts only as long as no code says what it is."""
    section = {"text": _narrative("About."), "entry": [{"reference": "ServiceRequest/o1"}]}
    for title in ("Order", "Imaging order "):
        assert _read(_document(event=None, section=[section | {"title": title}])).keys[0].accession == "A200"
    compared = {"title": "Order", "code": {"coding": [{"system": "http://loinc.org", "code": "18834-2"}]}}
    for other in ({"title": "Comparison"}, compared):
        assert _refusal(_document(event=None, section=[section | other]))[0] == "no-accession"
