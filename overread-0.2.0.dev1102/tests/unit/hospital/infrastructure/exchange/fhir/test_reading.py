"""Diagnostic reports become versions of reports, or are refused with a reason."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from attrs import evolve
from fhir.resources import get_fhir_model_class as model_r5
from fhir.resources.R4B import get_fhir_model_class as model_r4b
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions, FhirRelease
from overread.hospital.infrastructure.exchange.fhir.reading import read_each, read_fhir
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

from ..documents.invented_pdf import pdf_of
from .invented import OPTIONS, TEXT, bundle, form, identifier, patient, report

_AI = {"security": [{"system": "http://terminology.hl7.org/CodeSystem/v3-ObservationValue", "code": "AIAST"}]}


def _read(document: Any, options: FhirOptions = OPTIONS) -> ReportVersion:
    [found] = read_fhir(document, options)
    return found


def _refused(document: Any, options: FhirOptions = OPTIONS) -> RefusedMessageError:
    with pytest.raises(RefusedMessageError) as caught:
        read_fhir(document, options)
    return caught.value


def test_a_report_is_read_field_by_field() -> None:
    """What a final report says of itself arrives: numbers, status, times with zones, reader and text."""
    found = _read(json.dumps(report()).encode())
    [examination] = found.examinations
    assert (examination.site, examination.accession, examination.modality) == ("north", "A100", "CT")
    assert examination.procedure == "CT chest"
    assert examination.performed == datetime(2026, 3, 1, 6, 30, tzinfo=UTC)
    assert (found.status, found.text.text, found.reader, found.model) == (ReportStatus.FINAL, TEXT, "dr-grey", "")
    assert (found.filler, found.placer) == ("F7", "P9")
    assert found.issued == datetime(2026, 3, 1, 7, 45, tzinfo=UTC)
    assert (found.source, found.message) == ("fhir", "north/r1/2")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("partial", ReportStatus.PARTIAL),
        ("preliminary", ReportStatus.PRELIMINARY),
        ("modified", ReportStatus.PRELIMINARY),
        ("final", ReportStatus.FINAL),
        ("amended", ReportStatus.CORRECTED),
        ("corrected", ReportStatus.CORRECTED),
        ("appended", ReportStatus.ADDENDUM),
        ("cancelled", ReportStatus.CANCELLED),
        ("entered-in-error", ReportStatus.CANCELLED),
    ],
)
def test_each_status_has_one_meaning(said: str, status: ReportStatus) -> None:
    """FHIR's value set diagnostic-report-status, R5's "modified" with it, as its definitions read."""
    assert _read(report(status=said)).status is status


@pytest.mark.parametrize(
    ("said", "code"), [("unknown", "unknown-status"), ("final-ish", "unknown-status"), ("registered", "no-report-yet")]
)
def test_a_status_that_says_nothing_is_refused(said: str, code: str) -> None:
    """Nobody guesses whether a report is final; the refusal names the place and not what stood there."""
    error = _refused(report(status=said))
    assert (error.code, error.location) == (code, "DiagnosticReport.status")
    assert "final-ish" not in str(error)


@pytest.mark.parametrize("name", ["addendumOf", "extends"])
def test_a_report_of_its_own_that_adds_to_another_is_an_addendum(name: str) -> None:
    """An addendum may be a final report as far as its status goes; the standard extension tells it apart."""
    url = f"http://hl7.org/fhir/StructureDefinition/diagnosticReport-{name}"
    extension = [{"url": url, "valueReference": {"reference": "DiagnosticReport/r0"}}]
    assert _read(report(extension=extension)).status is ReportStatus.ADDENDUM
    code = {"coding": [{"system": "http://loinc.org", "code": "55107-7"}]}
    assert _read(report(code=code)).status is ReportStatus.ADDENDUM


def test_plain_text_comes_before_html_and_html_before_findings() -> None:
    """What is presented is the whole report as it was signed; other forms of it say the same."""
    forms = [form("<p>Page.</p>", "text/html"), form("Words.", "text/plain; charset=utf-8")]
    assert _read(report(presentedForm=forms, conclusion="Other.")).text.text == "Words."
    assert _read(report(presentedForm=forms[:1], conclusion="Other.")).text.text == "Page."
    pdf = form(b"%PDF-1.7", "application/pdf")
    assert _read(report(presentedForm=[pdf, *forms])).text.text == "Words."


def test_rich_text_and_pdf_are_read() -> None:
    """Where there is neither plain text nor HTML; an RTF before a PDF, whatever their order."""
    rtf = form(r"{\rtf1\ansi FINDINGS: No\'a0effusion.\par IMPRESSION: Clear.\par}", "application/rtf")
    pdf = form(pdf_of([["FINDINGS: Small effusion.", "", "IMPRESSION: Effusion."]]), "application/pdf")
    assert _read(report(presentedForm=[pdf])).text.text.split() == [
        "FINDINGS:",
        "Small",
        "effusion.",
        "IMPRESSION:",
        "Effusion.",
    ]
    assert _read(report(presentedForm=[pdf, rtf])).text.text.split()[-2:] == ["IMPRESSION:", "Clear."]
    assert _read(report(presentedForm=[pdf, rtf, form("Words.")])).text.text == "Words."
    named_otherwise = form(r"{\rtf1\ansi Clear.\par}", "text/plain")
    assert _read(report(presentedForm=[named_otherwise])).text.text.strip() == "Clear."


def test_html_is_read_and_nothing_in_it_runs() -> None:
    """Blocks become lines, entities letters, and scripts, styles and hidden heads are left out."""
    page = (
        "<html><head><title>T</title><style>p{}</style></head><body>"
        "<h1>Findings</h1><p>A&nbsp;nodule of &lt;5&nbsp;mm.</p>"
        "<script>document.write('x')</script><ul><li>No   effusion.</li><li>Heart&#x20;normal.</li></ul>"
        "<pre>Line one\nLine two</pre></body></html>"
    )
    text = _read(report(presentedForm=[form(page, "text/html")])).text.text
    assert [line for line in text.split("\n") if line] == [
        "Findings",
        "A nodule of <5 mm.",
        "No effusion.",
        "Heart normal.",
        "Line one",
        "Line two",
    ]


def test_a_charset_that_is_told_is_used() -> None:
    """Older systems send Latin-1, and say so."""
    sent = form("Pleura vergrößert".encode("latin-1"), "text/plain; charset=ISO-8859-1")
    assert _read(report(presentedForm=[sent])).text.text == "Pleura vergrößert"


def _observation(name: str, text: str) -> dict[str, Any]:
    return {"resourceType": "Observation", "id": name, "status": "final", "code": {"text": "x"}, "valueString": text}


def test_findings_and_conclusion_are_joined_where_nothing_is_presented() -> None:
    """Observations hold the findings, the conclusion the impression: together they are the report."""
    whole = report(presentedForm=None, conclusion="Effusion.", result=[{"reference": "Observation/o1"}])
    found = _read(bundle(whole, _observation("o1", "Small effusion.")))
    assert found.text.text == "FINDINGS:\nSmall effusion.\n\nIMPRESSION:\nEffusion."
    contained = report(
        presentedForm=None, result=[{"reference": "#o1"}], contained=[_observation("o1", "Small effusion.")]
    )
    assert _read(contained).text.text == "Small effusion."
    assert _read(report(presentedForm=None, conclusion="Effusion.")).text.text == "Effusion."


def test_the_narrative_is_the_last_resort() -> None:
    """A server's own rendering repeats headers and codes: it is read only where nothing else is there."""
    div = '<div xmlns="http://www.w3.org/1999/xhtml"><p>Clear lungs.</p></div>'
    narrative = {"status": "generated", "div": div}
    assert _read(report(presentedForm=None, text=narrative)).text.text == "Clear lungs."
    assert _read(report(presentedForm=None, text=narrative, conclusion="Clear.")).text.text == "Clear."
    empty = {"status": "empty", "div": div}
    assert _refused(report(presentedForm=None, text=empty)).code == "no-text"


@pytest.mark.parametrize(
    ("forms", "code"),
    [
        ([form(b"%PDF-1.7", "application/pdf")], "bad-pdf"),
        ([form(b"\x89PNG", "image/png")], "unreadable-form"),
        ([form(b"\x89PNG", "image/png"), {"contentType": "application/pdf", "url": "http://pacs/1"}], "not-embedded"),
        ([{"contentType": "text/plain", "url": "http://169.254.169.254/secret"}], "not-embedded"),
        ([form(b"\xff\xfe", "text/plain")], "bad-charset"),
        ([form("x", "text/plain; charset=none-such")], "bad-charset"),
        ([form("x") | {"hash": "AAAAAAAAAAAAAAAAAAAAAAAAAAA="}], "changed-form"),
        ([form("  \n ")], "no-text"),
    ],
)
def test_a_form_that_cannot_be_read_is_refused(forms: list[Any], code: str) -> None:
    """A conclusion does not stand in for a report that was presented in another form; nothing is fetched."""
    assert _refused(report(presentedForm=forms, conclusion="Clear.")).code == code


def test_a_result_that_did_not_come_along_is_refused() -> None:
    """A conclusion alone would be read as a report that leaves its findings out."""
    whole = report(presentedForm=None, conclusion="Clear.", result=[{"reference": "Observation/none"}])
    assert _refused(whole).code == "unresolved-result"


def test_several_forms_must_say_the_same() -> None:
    """In one kind: which of two would be the report is not known, and the other would be lost."""
    same = [form("Clear lungs."), form("Clear\nlungs.\n")]
    assert _read(report(presentedForm=same)).text.text == "Clear lungs."
    for kind in ("text/plain", "text/html"):
        forms = [form("Clear lungs.", kind), form("Addendum: small pneumothorax.", kind)]
        assert _refused(report(presentedForm=forms)).code == "unclear-form"


@pytest.mark.parametrize(
    ("kind", "data", "text"),
    [
        ("text/plain; charset=iso-8859-1", b"the patient\x92s \x96 5 mm", "the patient\u2019s \u2013 5 mm"),
        ("text/plain", b"\xef\xbb\xbfClear.", "Clear."),
        ("text/plain", "the patient\x92s".encode(), "the patient\u2019s"),
    ],
)
def test_marks_of_other_programs_are_read(kind: str, data: bytes, text: str) -> None:
    """Quotes and dashes of Windows under the name of ISO 8859-1; a mark of the order of bytes is no letter."""
    assert _read(report(presentedForm=[form(data, kind)])).text.text == text


def test_utf_8_under_another_name_is_refused() -> None:
    """Each letter would be two."""
    sent = form("vergrößert", "text/plain; charset=ISO-8859-1")
    assert _refused(report(presentedForm=[sent])).code == "bad-charset"


def test_words_that_are_struck_out_are_not_said() -> None:
    """In HTML; what is never closed would take the rest along, and is refused."""
    page = "<p><del>No</del> <s>large</s> <strike>old</strike> small pneumothorax.</p>"
    assert _read(report(presentedForm=[form(page, "text/html")])).text.text == "small pneumothorax."
    assert _refused(report(presentedForm=[form("<p><s>No</p><p>Rest.</p>", "text/html")])).code == "bad-html"


def _of_results(*observations: dict[str, Any], **more: Any) -> dict[str, Any]:
    references = [{"reference": f"Observation/{each['id']}"} for each in observations]
    return bundle(report(presentedForm=None, result=references, **more), *observations)


def test_results_of_several_names_bear_them() -> None:
    """Equal words about two things are said twice; under one name, as lines of one text, once each."""
    left, right = (
        _observation(name, "Normal.") | {"code": {"text": f"{name.title()} kidney"}} for name in ("left", "right")
    )
    assert _read(_of_results(left, right)).text.text == "Left kidney: Normal.\nRight kidney: Normal."
    assert _read(_of_results(_observation("a", "Clear."), _observation("b", "Clear."))).text.text == "Clear."


def test_results_that_were_taken_back_are_not_said() -> None:
    """Nor are numbers; where nothing else is there the report has no text."""
    wrong = _observation("a", "Small pneumothorax.") | {"status": "entered-in-error"}
    size = {**_observation("b", ""), "valueQuantity": {"value": 5, "unit": "mm"}}
    del size["valueString"]
    assert _read(_of_results(wrong, size, _observation("c", "Clear."))).text.text == "Clear."
    assert _refused(_of_results(wrong)).code == "no-text"


@pytest.mark.parametrize(
    "more",
    [
        {"valueCodeableConcept": {"text": "Pneumothorax"}},
        {"component": [{"code": {"text": "Left"}, "valueString": "Pneumothorax."}]},
        {"hasMember": [{"reference": "Observation/other"}]},
        {"note": [{"text": "Pneumothorax."}]},
        {"interpretation": [{"text": "Pneumothorax"}]},
        {"interpretation": [{"coding": [{"system": "http://snomed.info/sct", "code": "36118008"}]}]},
        {"bodySite": {"text": "Left lung"}},
    ],
)
def test_a_result_that_says_more_than_text_is_refused(more: dict[str, Any]) -> None:
    """A finding in it would be left out."""
    observation = _observation("a", "Clear.") | more
    if "valueCodeableConcept" in more:
        del observation["valueString"]
    assert _refused(_of_results(observation, conclusion="Clear.")).code == "unreadable-result"


_FLAG = {"system": "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation", "code": "POS"}


@pytest.mark.parametrize("value", [{"valueBoolean": True}, {"interpretation": [{"coding": [_FLAG]}]}])
def test_a_result_that_is_a_yes_or_no_is_refused(value: dict[str, Any]) -> None:
    """Its code names the finding, and nothing of it would be in the text."""
    observation = {**_observation("a", ""), "code": {"text": "Pneumothorax"}, **value}
    del observation["valueString"]
    assert _refused(_of_results(observation, conclusion="Clear.")).code == "unreadable-result"


def test_what_is_beside_the_text_of_a_result_and_says_nothing_more_is_left_out() -> None:
    """A flag of it, a place of which the text tells the side, and numbers."""
    told = {"interpretation": [{"coding": [_FLAG]}], "bodySite": {"text": "Left lung"}}
    number = {**_observation("b", ""), "valueInteger": 3, "interpretation": [{"coding": [_FLAG | {"code": "H"}]}]}
    del number["valueString"]
    assert (
        _read(_of_results(_observation("a", "Nodule on the left.") | told, number)).text.text == "Nodule on the left."
    )


def test_what_turns_the_meaning_of_a_result_is_refused() -> None:
    """As it is on the report itself."""
    observation = _observation("a", "Pneumothorax.") | {"modifierExtension": [{"url": "urn:x", "valueBoolean": True}]}
    assert _refused(_of_results(observation)).code == "unknown-modifier"


def test_a_result_of_another_patient_is_refused() -> None:
    """Nobody's report holds what was found in somebody else."""
    subjects = [{"reference": f"Patient/{name}"} for name in ("p1", "p2")]
    own, other = ({**_observation("a", "Clear."), "subject": each} for each in subjects)
    assert _read(_of_results(own, subject=subjects[0])).text.text == "Clear."
    assert _refused(_of_results(other, subject=subjects[0])).code == "several-patients"


@pytest.mark.parametrize(
    ("conclusion", "code"),
    [(None, {"coding": [{"code": "36118008"}]}), (None, {"text": "Tension"}), ("Clear.", {"text": "Tension"})],
)
def test_a_conclusion_in_codes_alone_is_refused(conclusion: str | None, code: dict[str, Any]) -> None:
    """Beside its words, or a report that is presented as a whole, it says nothing more."""
    told = _of_results(_observation("a", "Heart normal."), conclusion=conclusion, conclusionCode=[code])
    assert _refused(told).code == "coded-conclusion"
    assert _read(report(conclusionCode=[code])).text.text == TEXT
    said = _of_results(_observation("a", "Heart normal."), conclusion="No Tension.", conclusionCode=[code])
    assert "No Tension." in _read(said).text.text


def test_a_narrative_with_words_of_its_own_is_the_report() -> None:
    """Its status says so; where it lacks a part of the conclusion, neither is the whole."""
    div = '<div xmlns="http://www.w3.org/1999/xhtml"><p>Small apical pneumothorax.</p><p>Drain in place.</p></div>'
    own = {"status": "additional", "div": div}
    whole = report(presentedForm=None, text=own, conclusion="Drain in place.")
    assert _read(whole).text.text == "Small apical pneumothorax.\n\nDrain in place."
    assert _refused(report(presentedForm=None, text=own, conclusion="Tension.")).code == "unclear-text"


def test_a_cancelled_report_needs_no_text() -> None:
    """It is the withdrawal that counts."""
    assert _read(report(status="cancelled", presentedForm=None)).text.text == ""


def test_orders_and_studies_tell_the_accession_where_the_report_does_not() -> None:
    """The order has number and indication, the study modality and scanner."""
    order = {
        "resourceType": "ServiceRequest",
        "id": "s1",
        "status": "active",
        "intent": "order",
        "subject": {"reference": "Patient/p1"},
        "identifier": [identifier("A200", "ACSN")],
        "code": {"text": "CT abdomen"},
        "reasonCode": [{"text": "Pain."}],
    }
    study = {
        "resourceType": "ImagingStudy",
        "id": "i1",
        "status": "available",
        "subject": {"reference": "Patient/p1"},
        "modality": [{"system": "http://dicom.nema.org/resources/ontology/DCM", "code": "CT"}],
        "started": "2026-03-01T05:00:00Z",
    }
    whole = report(
        identifier=None,
        category=None,
        effectiveDateTime=None,
        subject={"reference": "Patient/p1"},
        basedOn=[{"reference": "ServiceRequest/s1"}],
        imagingStudy=[{"reference": "ImagingStudy/i1"}],
    )
    [examination] = _read(bundle(whole, order, study, patient())).examinations
    assert (examination.accession, examination.modality, examination.procedure) == ("A200", "CT", "CT abdomen")
    assert examination.performed == datetime(2026, 3, 1, 5, tzinfo=UTC)
    assert examination.patient == "MRN-5"
    assert (examination.context.sex, examination.context.indication) == ("female", "Pain.")
    assert examination.context.age == pytest.approx(66, abs=0.01)


def test_one_report_may_cover_several_examinations() -> None:
    """Each accession number is an examination, once, at the site that its numbering belongs to."""
    options = FhirOptions(site="north", sites={"urn:south": "south"}, accession_systems=frozenset({"urn:plain"}))
    numbers = [
        identifier("A1", "ACSN"),
        identifier("A2", "ACSN", "urn:south"),
        {"system": "urn:plain", "value": "A3"},
        identifier("A1", "ACSN"),
    ]
    keys = _read(report(identifier=numbers), options).keys
    assert [(key.site, key.accession) for key in keys] == [("north", "A1"), ("south", "A2"), ("north", "A3")]


def test_a_report_without_an_accession_number_is_refused() -> None:
    """Nothing could be paired with it."""
    assert _refused(report(identifier=[identifier("F7", "FILL")])).code == "no-accession"


def test_other_services_are_refused() -> None:
    """A laboratory has accession numbers too."""
    category = [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0074", "code": "MB"}]}]
    assert _refused(report(category=category)).code == "not-imaging"


_DEVICE = {
    "resourceType": "Device",
    "id": "d1",
    "deviceName": [{"name": "ChestDraft", "type": "model-name"}],
    "version": [{"value": "2.1"}],
}


def test_a_report_by_a_device_that_nobody_verified_is_a_draft() -> None:
    """The model is named with its version; a person as interpreter makes it a report of that person."""
    by_device = {"resultsInterpreter": None, "performer": [{"reference": "Device/d1"}], "status": "preliminary"}
    draft = _read(bundle(report(**by_device), _DEVICE))
    assert (draft.status, draft.model, draft.reader) == (ReportStatus.DRAFT, "ChestDraft 2.1", "")
    read = _read(bundle(report(performer=[{"reference": "Device/d1"}], status="preliminary"), _DEVICE))
    assert (read.status, read.model, read.reader) == (ReportStatus.PRELIMINARY, "", "dr-grey")


def test_a_provenance_tells_of_the_model_that_wrote_a_report() -> None:
    """As in HL7's guide on the transparency of artificial intelligence: the agent is a device, the label AIAST."""
    provenance = {
        "resourceType": "Provenance",
        "id": "v1",
        "target": [{"reference": "DiagnosticReport/r1"}],
        "recorded": "2026-03-01T08:45:00Z",
        "agent": [{"who": {"reference": "Device/d1"}}],
    }
    whole = report(resultsInterpreter=None, status="preliminary", meta=_AI)
    draft = _read(bundle(whole, _DEVICE, provenance))
    assert (draft.status, draft.model) == (ReportStatus.DRAFT, "ChestDraft 2.1")
    assert _refused(whole).code == "unnamed-model"
    for target in ("DiagnosticReport/r2", "DiagnosticReport/r1/_history/7"):
        other = provenance | {"target": [{"reference": target}]}
        assert _refused(bundle(whole, _DEVICE, other)).code == "unnamed-model"


def test_readers_are_known_by_identifier_before_anything_else() -> None:
    """The same person comes with different resource ids from different servers."""
    grey = {"resourceType": "Practitioner", "id": "dr-grey", "identifier": [{"value": "NPI-1"}]}
    assert _read(bundle(report(), grey)).reader == "NPI-1"
    logical = [{"type": "Practitioner", "identifier": {"value": "NPI-2"}}]
    assert _read(report(resultsInterpreter=logical)).reader == "NPI-2"
    role = {
        "resourceType": "PractitionerRole",
        "id": "role-1",
        "practitioner": {"reference": "Practitioner/dr-grey"},
    }
    in_role = report(resultsInterpreter=[{"reference": "PractitionerRole/role-1"}])
    assert _read(bundle(in_role, role, grey)).reader == "NPI-1"
    department = report(resultsInterpreter=None, performer=[{"display": "Radiology"}, {"reference": "Organization/o"}])
    assert _read(department).reader == ""


def test_r5_is_read_as_r4_is() -> None:
    """Names that changed between the releases are both known; a server's release can be insisted on."""
    r5 = report(study=[{"reference": "ImagingStudy/i1"}], category=None, identifier=None)
    study = {
        "resourceType": "ImagingStudy",
        "id": "i1",
        "status": "available",
        "subject": {"reference": "Patient/p1"},
        "identifier": [identifier("A300", "ACSN")],
        "modality": [{"coding": [{"system": "http://dicom.nema.org/resources/ontology/DCM", "code": "MR"}]}],
    }
    [examination] = _read(bundle(r5, study)).examinations
    assert (examination.accession, examination.modality) == ("A300", "MR")
    assert _refused(bundle(r5, study), FhirOptions(site="north", release=FhirRelease.R4B)).code == "not-fhir"


def test_what_is_no_fhir_is_refused_by_place_and_never_by_value() -> None:
    """The sender learns where to look; what stands there, or a name they made up, is not repeated."""
    error = _refused(report(issued="SECRET", zebra_SECRET_1=1))
    assert error.code == "not-fhir"
    assert "issued" in error.detail
    assert "SECRET" not in str(error)


def test_bundles_of_versions_are_read_oldest_first() -> None:
    """A history lists the newest first; its versions are told apart by their message."""
    first = report(meta={"versionId": "1", "lastUpdated": "2026-03-01T08:00:00Z"}, status="preliminary")
    second = report()
    found = read_fhir(bundle(second, first, kind="history"), OPTIONS)
    assert [each.message for each in found] == ["north/r1/1", "north/r1/2"]
    undated = [report(meta={"versionId": each}) for each in ("3", "2", "1")]
    found = read_fhir(bundle(*undated, kind="history"), OPTIONS)
    assert [each.message for each in found] == ["north/r1/1", "north/r1/2", "north/r1/3"]


def test_a_report_without_a_version_has_no_message() -> None:
    """With its id alone every later version would pass for a resend, and be lost."""
    assert _read(report(meta=None)).message == ""


def test_deletions_in_a_history_are_no_versions_and_elsewhere_refused() -> None:
    """What a server deleted was not withdrawn by anybody who read it."""
    gone = {"request": {"method": "DELETE", "url": "DiagnosticReport/r1"}}
    history = bundle(report(), kind="history")
    history["entry"].append(gone)
    assert len(read_fhir(history, OPTIONS)) == 1
    assert _refused(history | {"type": "transaction"}).code == "unknown-request"


def test_one_bad_report_keeps_no_other_out() -> None:
    """Each is read or refused in its place; all or none is the choice of who asks for it."""
    found = read_each(bundle(report(status="unknown"), report(id="r2")), OPTIONS)
    assert isinstance(found[0], RefusedMessageError)
    assert (found[0].code, found[0].message) == ("unknown-status", "north/r1/2")
    assert isinstance(found[1], ReportVersion)
    assert _refused(bundle(report(id="r2"), report(status="unknown"))).message == "north/r1/2"


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "unreadable"),
        (
            b'<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><DiagnosticReport xmlns="http://hl7.org/fhir"/>',
            "unreadable",
        ),
        ('<?xml version="1.0" encoding="utf-16"?><a/>'.encode("utf-16"), "unreadable"),
        (b"<a", "unreadable"),
        (b"<a>" * 9_000 + b"</a>" * 9_000, "unreadable"),
        (b'<DiagnosticReport xmlns="urn:other"><status value="final"/></DiagnosticReport>', "not-fhir"),
        (b'<Nothing xmlns="http://hl7.org/fhir"/>', "not-fhir"),
        (b'<Patient xmlns="http://hl7.org/fhir"/>', "not-a-report"),
        (b"{", "unreadable"),
        (b"[]", "unreadable"),
        (b'{"a": NaN}', "unreadable"),
        (b'{"a": 1, "a": 2}', "unreadable"),
        ("{}".encode("utf-16"), "unreadable"),
        (b"[" * 100_000, "unreadable"),
        (b" " * 2001, "too-large"),
        ({"resourceType": "Patient"}, "not-a-report"),
        ({"resourceType": "Bundle", "type": "batch-response"}, "unknown-bundle"),
        ({"resourceType": "Bundle", "type": "batch", "entry": [None, 7, {"resource": 3}]}, "not-a-report"),
        (bundle(report(), report(), report()), "too-many"),
        (bundle(report(), *[patient()] * 40), "too-many"),
        (report(modifierExtension=[{"url": "urn:not", "valueBoolean": True}]), "unknown-modifier"),
        (report(implicitRules="http://example.org/rules"), "unknown-modifier"),
    ],
)
def test_documents_that_cannot_be_taken_are_refused(document: Any, code: str) -> None:
    """Each with a code of its own, whatever was sent."""
    assert (
        _refused(
            document, FhirOptions(site="north", max_bytes=200_000 if code != "too-large" else 2000, max_reports=2)
        ).code
        == code
    )


def test_a_resource_that_is_nested_without_end_is_refused() -> None:
    """Extensions may stand in extensions; hundreds of them are an attack on whoever walks through them."""
    inner: dict[str, Any] = {"url": "urn:x", "valueBoolean": True}
    for _ in range(300):
        inner = {"url": "urn:x", "extension": [inner]}
    assert _refused(json.dumps(report(extension=[inner])).encode()).code == "not-fhir"


@pytest.mark.parametrize("kind", [None, "", 7, ["Patient"], "Nothing"])
def test_a_resource_within_that_names_no_type_is_refused(kind: object) -> None:
    """The library that knows FHIR's definitions trips over some of these."""
    assert _refused(json.dumps(report(contained=[{"resourceType": kind}])).encode()).code == "not-fhir"


_LEAVES = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["final", "#", "#o", "Device/1"])
)
_NAMES = st.sampled_from(
    [*report(), "contained", "entry", "resource", "reference", "coding", "text", "div", "extension"]
)
_TREES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4), max_leaves=12
)


@settings(max_examples=150, deadline=None)
@given(changes=st.dictionaries(_NAMES, _TREES, max_size=3), others=st.lists(_TREES, max_size=2))
def test_whatever_is_sent_is_read_or_refused(changes: dict[str, Any], others: list[Any]) -> None:
    """No shape of a document ends in anything but versions or a refusal."""
    document = {"resourceType": "Bundle", "type": "batch", "entry": [{"resource": report() | changes}, *others]}
    with suppress(RefusedMessageError):
        assert all(isinstance(each, ReportVersion) for each in read_fhir(document, OPTIONS))


def _in_xml(document: dict[str, Any], release: FhirRelease) -> bytes:
    """What the library makes of it."""
    models = {FhirRelease.R4B: model_r4b, FhirRelease.R5: model_r5}
    model = models[release](document["resourceType"])
    written: str | bytes = model.model_validate(document).model_dump_xml()
    return written if isinstance(written, bytes) else written.encode()


@pytest.mark.parametrize("release", FhirRelease)
@pytest.mark.parametrize("told", [None, "release"])
def test_xml_is_read_as_json_is(release: FhirRelease, told: str | None) -> None:
    """Reports and bundles, with pages and what is contained in them."""
    page = '<div xmlns="http://www.w3.org/1999/xhtml"><p>Clear <b>lungs</b>.</p></div>'
    options = evolve(OPTIONS, release=release if told else None)
    for document in (report(), bundle(report(text={"status": "generated", "div": page}), report(id="r2"))):
        assert read_fhir(_in_xml(document, release), options) == read_fhir(document, options)


@pytest.mark.parametrize(
    "odd",
    [
        '<conclusion value="a"/><conclusion value="b"/>',
        '<conclusion value="a" negated="true"/>',
        '<conclusion xmlns="urn:other" value="a"/>',
        '<finding value="a"/>',
        "No effusion.",
    ],
)
def test_nothing_of_xml_is_left_out(odd: str) -> None:
    """What the definitions do not have, or have once, refuses the document: half a report would pass for a whole."""
    whole = _in_xml(report(), FhirRelease.R4B).decode()
    assert _refused(whole.replace("</DiagnosticReport>", f"{odd}</DiagnosticReport>").encode()).code == "not-fhir"


_XML = _in_xml(bundle(report(), patient()), FhirRelease.R5)
_PIECES = [
    b"<",
    b"/>",
    b"&",
    b"&x;",
    b"<?x?>",
    b"<![CDATA[",
    b'<text value="1"/>',
    b'<div xmlns="urn:x"/>',
    b"\xff",
    b"\0",
]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(_XML)), st.integers(0, 60), st.sampled_from([b"", *_PIECES]))
def test_damaged_xml_is_read_or_refused(at: int, cut: int, piece: bytes) -> None:
    """Whatever stands in the place of whatever."""
    with suppress(RefusedMessageError):
        assert all(isinstance(each, ReportVersion) for each in read_fhir(_XML[:at] + piece + _XML[at + cut :], OPTIONS))


def _section(title: str, text: str, **more: Any) -> dict[str, Any]:
    div = f'<div xmlns="http://www.w3.org/1999/xhtml"><p>{text}</p></div>'
    return {"title": title, "text": {"status": "generated", "div": div}, **more}


def _composition(**more: Any) -> dict[str, Any]:
    return {
        "resourceType": "Composition",
        "id": "c1",
        "status": "final",
        "type": {"text": "Radiology report"},
        "date": "2026-03-01T08:45:00+01:00",
        "author": [{"display": "Dr Grey"}],
        "title": "CT head",
        "section": [
            _section("Findings", "No haemorrhage.", section=[_section("Bones", "No fracture.")]),
            _section("Impression", "Normal."),
        ],
        **more,
    }


def test_a_documents_text_is_that_of_its_composition() -> None:
    """Section by section, each under its title, where the report presents no form of its own."""
    bare = report(presentedForm=None)
    [version] = read_fhir(bundle(_composition(), bare, kind="document"), OPTIONS)
    assert version.text.text == "Findings:\nNo haemorrhage.\n\nBones:\nNo fracture.\n\nImpression:\nNormal."
    [presented] = read_fhir(bundle(_composition(), report(), kind="document"), OPTIONS)
    assert presented.text == read_fhir(report(), OPTIONS)[0].text
    [apart] = read_each(bundle(_composition(), bare, kind="collection"), OPTIONS)
    assert isinstance(apart, RefusedMessageError)


def test_a_composition_that_may_mean_the_opposite_is_refused() -> None:
    """As a report is."""
    bare = report(presentedForm=None)
    twisted = _composition(modifierExtension=[{"url": "urn:not", "valueBoolean": True}])
    assert _refused(bundle(twisted, bare, kind="document")).code == "unknown-modifier"


def test_a_section_whose_words_stand_elsewhere_is_refused() -> None:
    """It has entries and no narrative."""
    impression = {"title": "Impression", "entry": [{"reference": "Observation/o1"}]}
    composition = _composition(section=[_section("Findings", "No haemorrhage."), impression])
    assert _refused(bundle(composition, report(presentedForm=None), kind="document")).code == "unreadable-section"


def test_identifiers_that_are_no_longer_used_name_nobody() -> None:
    """Neither examination nor patient nor reader is known by a number that another has taken the place of."""
    old = {"use": "old"}
    person = {"resourceType": "Patient", "id": "p", "identifier": [{**old, "value": "P1"}, {"value": "P2"}]}
    grey = {"resourceType": "Practitioner", "id": "g", "identifier": [{**old, "value": "G1"}, {"value": "G2"}]}
    found = _read(
        report(
            identifier=[identifier("A1", "ACSN") | old, identifier("A2", "ACSN")],
            contained=[person, grey],
            subject={"reference": "#p"},
            resultsInterpreter=[{"reference": "#g"}],
        )
    )
    assert [(each.accession, each.patient) for each in found.examinations] == [("A2", "P2")]
    assert found.reader == "G2"
    assert _refused(report(identifier=[identifier("A1", "ACSN") | old])).code == "no-accession"
