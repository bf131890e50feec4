"""Sides named by others, paired parts named by their side, and findings named once for two sides. All invented."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.domain.findings.unit import ClinicalUnit

Read = Callable[[str], tuple[ClinicalUnit, ...]]


def _unit(read: Read, text: str, concept: str) -> ClinicalUnit:
    return next(unit for unit in read(text) if unit.canonical_finding == concept)


@pytest.mark.parametrize(
    ("text", "concept", "side"),
    [
        ("The fifth rib on the left is broken and there is a small pneumothorax on that side.", "pneumothorax", "left"),
        ("Right lower lobe pneumonia with a small ipsilateral effusion.", "pleural_effusion", "right"),
        ("Right lower lobe pneumonia with a small contralateral effusion.", "pleural_effusion", "left"),
        ("Lingular mass with enlarged nodes in the contralateral axilla.", "axillary_lymphadenopathy", "right"),
        ("Left chest tube. There is a pneumothorax on the same side.", "pneumothorax", "left"),
        ("Plate on the left clavicle. Fracture of the humerus on the opposite side.", "shoulder_fracture", "right"),
        ("The right kidney is normal. There is hydronephrosis of the other kidney.", "hydronephrosis", "left"),
        ("Ipsilateral axillary adenopathy beside the left breast mass.", "axillary_lymphadenopathy", "left"),
        (
            "Left rib fracture. Pleural effusion on the opposite side. Pneumothorax on that side.",
            "pneumothorax",
            "right",
        ),
    ],
)
def test_a_side_is_named_by_one_before(read: Read, text: str, concept: str, side: str) -> None:
    """The side named last, in the sentence or before it, is the one meant, or the one across from it."""
    assert _unit(read, text, concept).place.side == side


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("Bilateral rib fractures. Pneumothorax on the same side.", "pneumothorax"),
        ("There is a pneumothorax on that side.", "pneumothorax"),
        ("Left rib fracture. No evidence that lung nodules have grown.", "lung_nodule"),
        ("Left rib fracture. There is no other lung nodule.", "lung_nodule"),
        ("FINDINGS: Left rib fracture.\nIMPRESSION: Pneumothorax on that side.", "pneumothorax"),
    ],
)
def test_what_names_no_side_gives_none(read: Read, text: str, concept: str) -> None:
    """Two sides, none, another section and words that only look like a reference give no side."""
    assert _unit(read, text, concept).place.side == ""


@pytest.mark.parametrize(
    ("text", "concept", "side"),
    [
        ("Of the two breasts the right is normal.", "breast_normal", "right"),
        ("The right breast is normal. The left contains a mass, with adenopathy in the axilla.", "breast_mass", "left"),
        ("The left kidney is normal. The opposite one is hydronephrotic.", "hydronephrosis", "right"),
        ("Both kidneys are normal in size. The right contains a 5 mm stone.", "renal_calculi", "right"),
        ("The left knee is normal. The other shows an effusion.", "joint_effusion", "right"),
        ("Right hip: severe osteoarthritis. The left is normal.", "joints_normal", "left"),
    ],
)
def test_a_side_stands_for_the_part_before(read: Read, text: str, concept: str, side: str) -> None:
    """Where the sentence before is about a paired part, a side or "the other" is that part."""
    assert _unit(read, text, concept).place.side == side


@pytest.mark.parametrize(
    ("text", "concept", "degrees"),
    [
        (
            "Bilateral effusions, that on the right large, with only a trace on the other side.",
            "pleural_effusion",
            {"right": "severe", "left": "mild"},
        ),
        (
            "Bilateral effusions, large on the left and on the right small.",
            "pleural_effusion",
            {"left": "severe", "right": "mild"},
        ),
        (
            "Bilateral effusions, the left one small, the right one large.",
            "pleural_effusion",
            {"left": "mild", "right": "severe"},
        ),
        (
            "Effusions on both sides: moderate on the left, trace on the right.",
            "pleural_effusion",
            {"left": "moderate", "right": "mild"},
        ),
        (
            "Moderate left effusion, with a trace on the opposite side.",
            "pleural_effusion",
            {"left": "moderate", "right": "mild"},
        ),
        (
            "Large left pneumothorax and a small one on the right.",
            "pneumothorax",
            {"left": "severe", "right": "mild"},
        ),
    ],
)
def test_each_side_keeps_its_degree(read: Read, text: str, concept: str, degrees: dict[str, str]) -> None:
    """A finding named once for two sides is two, whatever the order of sides and degrees."""
    found = {unit.place.side: unit.severity for unit in read(text) if unit.canonical_finding == concept}
    assert found == degrees


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("Right pleural effusion, left lower lobe collapse and cardiomegaly.", ["right", "left", ""]),
        ("Small right effusion, mild left basilar atelectasis.", ["right", "left"]),
        ("Left lung nodule and right adrenal mass.", ["left", "right"]),
        ("Right effusion, left lower lobe atelectasis, right rib fracture.", ["right", "left", "right"]),
        ("Left apical pneumothorax, right upper lobe consolidation.", ["left", "right"]),
    ],
)
def test_findings_of_a_list_keep_their_own_sides(read: Read, text: str, sides: list[str]) -> None:
    """A side before a list ends where an item brings one of its own."""
    assert [unit.place.side for unit in read(text)] == sides


@pytest.mark.parametrize(
    "text",
    [
        "Small bilateral pleural effusions, right slightly greater than left.",
        "Bilateral effusions, left much larger than right.",
        "Bilateral effusions, the right-sided is slightly bigger than the left.",
        "Bilateral effusions, somewhat larger on the right.",
        "Bilateral effusions, left markedly smaller than right.",
    ],
)
def test_one_side_against_the_other_is_no_change(read: Read, text: str) -> None:
    """To compare the sides says nothing of an earlier examination."""
    unit = _unit(read, text, "pleural_effusion")
    assert (unit.change, unit.place.side) == (None, "both")
