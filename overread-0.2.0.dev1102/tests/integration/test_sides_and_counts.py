"""Sides that stand in a title or in what is normal, and numbers of things, however they are written."""

from __future__ import annotations

import pytest

import overread
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect


def _notation(reference: str, candidate: str) -> EvaluationResult:
    return overread.score(reference=reference, candidate=candidate, metrics=["notation:fast"])["notation"]


@pytest.mark.parametrize(
    "report",
    [
        "{} ANKLE\n\nNo fracture. Soft tissue swelling.",
        "EXAM: X-ray {} ankle, 3 views.\nFINDINGS: No fracture. Mild soft tissue swelling.",
        "{} wrist, two views\n\nDistal radius fracture.",
        "MRI {} KNEE\nSagittal and axial sequences.\n\nFindings\nMedial meniscus tear. Moderate effusion.",
        "TECHNIQUE: Three views of the {} foot.\nFINDINGS: Fracture of the fifth metatarsal.",
    ],
)
def test_the_other_side_in_a_title_is_significant_where_nothing_else_names_one(report: str) -> None:
    """All that was found is taken to be in the other limb."""
    (found,) = _notation(report.format("Left"), report.format("RIGHT")).discrepancies
    assert found.aspect is ErrorAspect.LOCATION
    assert found.severity is Severity.SIGNIFICANT
    assert _notation(report.format("Left"), report.format("left")).discrepancies == ()


def test_the_other_side_in_a_title_is_a_slip_where_the_body_names_the_side() -> None:
    """It is listed, and insignificant: the reader of the candidate sees which limb was examined."""
    report = "XR {} KNEE, AP AND LATERAL\nLeft knee effusion. No fracture."
    (found,) = _notation(report.format("LEFT"), report.format("RIGHT")).discrepancies
    assert found.aspect is ErrorAspect.LOCATION
    assert found.severity is Severity.INSIGNIFICANT


def test_a_title_without_a_side_or_with_both_is_no_other_side() -> None:
    """Only opposite sides are held against each other."""
    report = "XR {}\nNo fracture. Soft tissue swelling."
    assert _notation(report.format("left ankle"), report.format("ankle")).discrepancies == ()
    assert _notation(report.format("left and right ankles"), report.format("left ankle")).discrepancies == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "The {0} pneumothorax seen on Monday has not recurred.",
        "Bilateral symmetric hilar and {0} paratracheal lymphadenopathy.",
        "Free air under both hemidiaphragms, up to 9 mm on the {0}.",
        "Both kidneys are normal in size ({0} 10.6 cm, {1} 10.9 cm).",
        "Large mass in the superior mediastinum, mainly {0}-sided, displacing the trachea to the {1}.",
    ],
)
def test_sides_that_stand_the_other_way_round_are_listed(sentence: str) -> None:
    """Though no finding lies elsewhere by what its words say."""
    (found,) = _notation(sentence.format("left", "right"), sentence.format("right", "left")).discrepancies
    assert found.aspect is ErrorAspect.LOCATION


def test_a_finding_on_the_other_side_is_told_once() -> None:
    """The sentence that it stands in is not held against it as well."""
    (found,) = _notation("Small left pleural effusion.", "Small right pleural effusion.").discrepancies
    assert found.finding == "pleural_effusion"


@pytest.mark.parametrize(
    ("sentence", "one", "other"),
    [
        ("There are {} rib fractures on the left.", "three", "seven"),
        ("There are {} rib fractures on the left.", "3", "7"),
        ("{} new pulmonary nodules in the right lung.", "Four", "2"),
        ("Fracture of {} ribs on the right.", "two", "five"),
        ("{} left chest tubes are in place.", "Two", "Three"),
    ],
)
def test_another_number_of_things_is_a_discrepancy(sentence: str, one: str, other: str) -> None:
    """In words or in digits."""
    (found,) = _notation(sentence.format(one), sentence.format(other)).discrepancies
    assert found.aspect is ErrorAspect.SIZE
    assert found.severity is Severity.INSIGNIFICANT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("There are three rib fractures.", "There are 3 rib fractures."),
        ("Three rib fractures on the left.", "Several rib fractures on the left."),
        ("Two nodules in the right lung and one nodule in the left lung.", "Three nodules in the right and left lung."),
        ("Fractures of ribs 5 and 6 on the left.", "Fractures of left ribs 5 and 6."),
        ("Grade 2 changes of the disc.", "Grade 2 disc changes."),
        ("Two to three nodules in the right lung.", "2-3 nodules in the right lung."),
    ],
)
def test_numbers_that_agree_are_none(one: str, other: str) -> None:
    """The same number written otherwise, a sum, and what is no number of things."""
    assert "the number of them differs" not in str([d.reason for d in _notation(one, other).discrepancies])


@pytest.mark.parametrize(
    ("sentence", "one", "other"),
    [
        ("A {} millimeter nodule in the right upper lobe.", "six", "sixty"),
        ("The tip of the endotracheal tube is {} cm above the carina.", "five", "one"),
    ],
)
def test_another_measurement_in_words_is_significant(sentence: str, one: str, other: str) -> None:
    """It counts as it does in digits."""
    found = _notation(sentence.format(one), sentence.format(other))
    assert any(d.severity.counts_as_significant for d in found.discrepancies)
