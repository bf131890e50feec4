"""Errors under headings of messages, in fields of a signature, in markup, and in a "not" that no finding carries."""

from __future__ import annotations

import pytest

import overread
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect

_BODY = "FINDINGS: The heart is normal in size. The bones are intact.\n"


def _notation(reference: str, candidate: str) -> EvaluationResult:
    return overread.score(reference=reference, candidate=candidate, metrics=["notation:fast"])["notation"]


def _is_significant(reference: str, candidate: str) -> bool:
    return any(d.severity.counts_as_significant for d in _notation(reference, candidate).discrepancies)


@pytest.mark.parametrize(
    "report",
    [
        _BODY + "CRITICAL RESULT: {}",
        _BODY + "CRITICAL FINDINGS\n{}\nDiscussed with Dr. Meyer at 10:30.",
        _BODY + "COMMUNICATION: Dr. Meyer was called at 10:30. {}",
        _BODY + "PLAN: {}",
        _BODY + "ATTESTATION: I personally reviewed the images and agree with the resident. {}",
        _BODY + "DISCLAIMER: Dictated with voice recognition software. {}",
        _BODY + "Dictated by: A. Meyer MD; {}",
        _BODY + "CC: Dr. Meyer. {}",
        _BODY + "END OF REPORT\n{}",
        "<p>The heart is normal in size.</p><p>{}</p><p>The bones are intact.</p>",
        "The heart is normal in size.<br/>{}<br>The bones are intact.",
        "**The heart is normal in size.** **{}** **The bones are intact.**",
        "The heart is normal in size.\\n{}\\nThe bones are intact.",
        "The heart is\n\nnormal in size. {} The\n\nbones are intact.",
    ],
)
def test_a_finding_counts_wherever_the_layout_puts_it(report: str) -> None:
    """Headings of messages and advice, attestations, fields and markup hide no pneumothorax."""
    denied, stated = report.format("No pneumothorax."), report.format("Large right pneumothorax.")
    assert _is_significant(denied, stated)
    assert _is_significant(stated, denied)


@pytest.mark.parametrize(
    "report",
    [
        "IMPRESSION: Large right pneumothorax.\nCRITICAL RESULT: {} was called to Dr. Meyer at 10:30.",
        "IMPRESSION: Large right pneumothorax.\nATTESTATION: I have reviewed the images of the {} and agree.",
    ],
)
def test_a_message_about_a_finding_states_none(report: str) -> None:
    """What was passed on is a message, whatever it names."""
    found = _notation(report.format("The pneumothorax"), report.format("The tension pneumothorax"))
    assert not any(d.severity.counts_as_significant for d in found.discrepancies)


@pytest.mark.parametrize(
    ("denied", "stated"),
    [
        ("The nodule is not enlarged.", "The nodule is enlarged."),
        ("The mass does not invade the chest wall.", "The mass invades the chest wall."),
        ("The fracture does not involve the joint.", "The fracture involves the joint."),
        ("The thrombus does not extend into the IVC.", "The thrombus extends into the IVC."),
        ("The portal vein is not patent.", "The portal vein is patent."),
    ],
)
def test_a_not_that_no_finding_carries_is_significant(denied: str, stated: str) -> None:
    """It is told once, in either direction, and nothing is told of equal reports."""
    for reference, candidate in ((denied, stated), (stated, denied)):
        found = [d for d in _notation(reference, candidate).discrepancies if d.aspect is ErrorAspect.NEGATION]
        assert [d.severity.counts_as_significant for d in found] == [True]
    assert _notation(denied, denied).discrepancies == ()


def test_a_denial_that_a_finding_carries_is_told_once() -> None:
    """Another polarity or appearance of a finding is that finding's discrepancy."""
    for denied, stated in (
        ("There is no pneumothorax.", "There is pneumothorax."),
        ("The fracture is not displaced.", "The fracture is displaced."),
    ):
        (found,) = _notation(denied, stated).discrepancies
        assert found.finding


def test_a_sentence_beside_its_denial_is_told() -> None:
    """A candidate that says a thing and its opposite is no copy."""
    sentence = "The mass does not invade the chest wall."
    assert _is_significant(sentence, f"{sentence} The mass invades the chest wall.")


def test_a_ruptured_aneurysm_is_none_that_has_not_ruptured() -> None:
    """A rupture can change what is done at once."""
    assert _is_significant("The aneurysm has not ruptured.", "The aneurysm has ruptured.")


@pytest.mark.parametrize(
    ("stated", "denied"),
    [
        ("The zorblax is communicating with the quux.", "The zorblax is not communicating with the quux."),
        ("The zorblax is visible.", "The zorblax is no longer visible."),
        ("There is any zorblax here.", "There is never any zorblax here."),
        ("The graft is patent.", "The graft is occluded."),
        ("The left gonadal branch is patent.", "The left gonadal branch is occluded."),
        ("The mass invades the duodenum.", "The mass abuts the duodenum."),
        ("The tumour is resectable.", "The tumour is unresectable."),
    ],
)
def test_a_sentence_and_its_denial_or_contrary_are_told_once(stated: str, denied: str) -> None:
    """What no finding carries is one significant discrepancy, and the two sentences are none beside it."""
    for reference, candidate in ((stated, denied), (denied, stated)):
        (found,) = _notation(f"No effusion. {reference}", f"No effusion. {candidate}").discrepancies
        assert found.severity is Severity.SIGNIFICANT
        assert found.aspect is ErrorAspect.NEGATION


def test_a_category_that_asks_for_action_in_one_report_only_is_significant() -> None:
    """Reporting systems ask for a sample from category 4 on; the steps below it are followed up."""
    report = "Nodule in the right thyroid lobe. TI-RADS {}."
    assert [d.severity for d in _notation(report.format(5), report.format(3)).discrepancies] == [Severity.SIGNIFICANT]
    (found,) = _notation(report.format(3), report.format(2)).discrepancies
    assert found.severity is Severity.INSIGNIFICANT


def test_a_number_weighs_as_the_finding_of_its_sentence() -> None:
    """What the finding asks for is what a measurement of it bears on."""
    report = "Left adrenal mass with an attenuation that rises by {} % after contrast."
    (found,) = _notation(report.format(80), report.format(20)).discrepancies
    assert found.severity is Severity.SIGNIFICANT


@pytest.mark.parametrize(
    "line", ["CT KUB sugested.", "Comparison with CXR 11/20/2024.", "Repeat CT abdomen recomended."]
)
def test_advice_and_comparisons_are_no_titles_wherever_they_stand(line: str) -> None:
    """The order of the sentences changes nothing, also where a word is misspelt."""
    body = "9 mm left ureteric stone. No hydronephrosis."
    assert _notation(f"{body} {line}", f"{line} {body}").discrepancies == ()


def test_places_on_a_dial_are_compared() -> None:
    """An hour more or less is none, and the numbers go round."""
    report = "Mass at {} o'clock in the left breast."
    assert _notation(report.format(12), report.format(1)).discrepancies == ()
    (found,) = _notation(report.format(11), report.format(5)).discrepancies
    assert found.severity is Severity.SIGNIFICANT


@pytest.mark.parametrize(
    "place",
    [
        "{1}\nCRITICAL RESULT: {0} Dr Smith was called at 10:00.",
        "{1}\nATTENDING: {0}",
        "{1}\nSecond read: {0}",
        "{1}\nFollow-up: {0}",
        "{1}\nTranscribed 1/2/2023. {0}",
        "EXAM: CHEST PORTABLE {0} {1}",
    ],
)
def test_a_finding_under_a_heading_of_closing_is_read(place: str) -> None:
    """Also where no heading of findings stands before it, and right behind the field's name."""
    finding, rest = "Large right pneumothorax.", "Heart normal. No effusion."
    found = _notation(place.format(finding, rest), rest).discrepancies
    assert [d.finding for d in found if d.severity is Severity.SIGNIFICANT] == ["pneumothorax"]


@pytest.mark.parametrize("name", ["Attending: John Mass, MD", "Reported by: Dr A. Stone", "Second reader: Ann Hernia"])
def test_the_name_of_a_reader_is_no_finding(name: str) -> None:
    """Names have capitals."""
    report = "Heart normal. No effusion."
    assert _notation(report, f"{report}\n{name}").discrepancies == ()


@pytest.mark.parametrize(
    ("denied", "stated"),
    [
        ("Pneumothorax - no", "Pneumothorax - yes"),
        ("PTX (-)", "PTX (+)"),
        ("Pneumothorax? No.", "Pneumothorax? Yes."),
        ("Ø pneumothorax", "There is a pneumothorax"),
    ],
)
def test_answers_and_marks_deny(denied: str, stated: str) -> None:
    """As checklists and short hands write it."""
    (found,) = _notation(stated, denied).discrepancies
    assert found.aspect is ErrorAspect.NEGATION
    assert _notation("No pneumothorax.", denied).discrepancies == ()


def test_a_comma_before_tenths_is_a_point() -> None:
    """As most of Europe writes lengths; what it parts otherwise stays apart."""
    report = "Nodule of {} cm in the right upper lobe."
    assert _notation(report.format("1.5"), report.format("1,5")).discrepancies == ()
    assert _notation(report.format("1.5 x 2.2"), report.format("1,5 x 2,2")).discrepancies == ()
    assert _notation(report.format("1.5"), report.format("3,5")).discrepancies != ()


def test_the_larger_of_two_sides_is_compared() -> None:
    """Both reports name both sides, and each another one as the larger."""
    report = "Bilateral effusions, {} greater than {}."
    (found,) = _notation(report.format("right", "left"), report.format("left", "right")).discrepancies
    assert found.aspect is ErrorAspect.LOCATION
