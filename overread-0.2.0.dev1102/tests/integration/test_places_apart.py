"""One finding at another bone, level, organ or part of one."""

from __future__ import annotations

import pytest

import overread
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect


def _found(reference: str, candidate: str) -> tuple[Discrepancy, ...]:
    return overread.score(reference=reference, candidate=candidate, metrics=["notation:fast"])["notation"].discrepancies


@pytest.mark.parametrize(
    ("report", "here", "there"),
    [
        ("Tear of the posterior horn of the {} meniscus.", "medial", "lateral"),
        ("Fracture of the {}.", "scaphoid", "lunate"),
        ("Fracture of the {}.", "radius", "ulna"),
        ("Fracture of the {} malleolus.", "medial", "lateral"),
        ("Fracture of the {} metatarsal.", "fifth", "second"),
        ("Full thickness tear of the {} tendon.", "supraspinatus", "subscapularis"),
        ("Acute infarct in the left {} lobe.", "frontal", "occipital"),
        ("Mass in the {} colon.", "sigmoid", "transverse"),
        ("Mass in the pancreatic {}.", "head", "tail"),
        ("Mass in the gastric {}.", "antrum", "fundus"),
        ("Segment {} liver metastasis.", "2", "VII"),
        ("8 mm stone in the {} left ureter.", "proximal", "distal"),
        ("Aneurysm of the {} aorta, 5.6 cm.", "ascending", "descending"),
        ("Severe spinal stenosis at {}.", "L4-L5", "L2-L3"),
        ("Mass in the {} outer quadrant of the left breast.", "upper", "lower"),
        ("Deep vein thrombosis of the left {} vein.", "common femoral", "posterior tibial"),
        ("Fracture of the left {}.", "superior pubic ramus", "acetabulum"),
    ],
)
def test_another_place_is_a_wrong_location(report: str, here: str, there: str) -> None:
    """It is told once; the same place is no difference."""
    (found,) = _found(report.format(here), report.format(there))
    assert found.aspect is ErrorAspect.LOCATION
    assert found.severity is Severity.SIGNIFICANT or (
        found.importance is not None and not found.importance.is_actionable
    )
    assert _found(report.format(here), f"There is: {report.format(here)}") == ()


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Fracture of the distal radius.", "Fracture of the wrist."),
        ("Mass in the sigmoid colon.", "Mass in the descending colon."),
        ("Mass in the pancreatic head.", "Mass in the pancreatic body."),
        ("Disc bulges at L3-L4 and L4-L5.", "Disc bulge at L3-L4. Disc bulge at L4-L5."),
        ("Fractures of the second and third metatarsals.", "Second metatarsal fracture. Third metatarsal fracture."),
        ("Infarct in the left frontoparietal region.", "Infarct in the left frontal lobe."),
        ("Metastases in segments 5 and 8 of the liver.", "Metastases in liver segments 5 and 8."),
        ("Disc herniation at L4-L5.", "Disc herniation below L4."),
    ],
)
def test_what_one_place_holds_of_another_is_no_difference(reference: str, candidate: str) -> None:
    """Neighbours that are taken for one another, a place within a larger one, and one sentence for two."""
    assert _found(reference, candidate) == ()


def test_a_second_place_that_is_left_out_is_no_mention_of_the_first() -> None:
    """The other report's words for one lesion do not cover another one in another part."""
    found = _found(
        "Acute infarct in the left frontal lobe. Acute infarct in the left cerebellum.",
        "Acute infarct in the left frontal lobe.",
    )
    assert [d.severity for d in found] == [Severity.SIGNIFICANT]


@pytest.mark.parametrize(
    "report",
    [
        "No fracture of the ulna. Fracture of the radius.",
        "L3-L4: No disc herniation. L4-L5: Large disc herniation.",
        "The medial meniscus is intact. Tear of the lateral meniscus.",
    ],
)
def test_a_denial_at_another_place_contradicts_nothing(report: str) -> None:
    """The candidate says the same in another order of sentences."""
    first, second = report.split(". ")
    assert _found(report, f"{second.removesuffix('.')}. {first}.") == ()
