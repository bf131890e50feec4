"""Denials behind the findings they are of, and pairs of words of which one reverses the other. All invented."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.domain.findings.unit import Change, ClinicalUnit, Polarity

Read = Callable[[str], tuple[ClinicalUnit, ...]]


@pytest.mark.parametrize(
    "text",
    [
        "Consolidation, effusion, pneumothorax: none.",
        "Consolidation, pleural effusion, pneumothorax - none.",
        "Free air, bowel obstruction, ascites: absent.",
        "Pneumothorax, rib fracture and effusion: not seen.",
        "Fracture, dislocation: nil.",
        "Left effusion, consolidation, pneumothorax: none identified.",
        "Consolidation, effusion, pneumothorax are not seen.",
        "Consolidation, effusion and pneumothorax are all absent.",
    ],
)
def test_a_denial_behind_a_list_is_of_every_item(read: Read, text: str) -> None:
    """Behind a mark, or as the predicate of a bare list, it denies the last item as it does the first."""
    assert {unit.polarity for unit in read(text)} == {Polarity.ABSENT}


@pytest.mark.parametrize(
    ("text", "present"),
    [
        ("Small effusion, pneumothorax: none.", "pleural_effusion"),
        ("Moderate cardiomegaly, pneumothorax: none.", "cardiomegaly"),
        ("There is edema, pneumothorax: none.", "pulmonary_edema"),
        ("Pneumothorax and effusion: none. Consolidation at the right base.", "consolidation"),
        ("The heart is enlarged, effusion: none.", "cardiomegaly"),
    ],
)
def test_a_denial_behind_a_list_is_not_of_what_is_there(read: Read, text: str, present: str) -> None:
    """A finding with a degree or a verb of its own stands outside the list."""
    assert [unit.canonical_finding for unit in read(text) if unit.polarity is Polarity.PRESENT] == [present]


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("The fracture of the tibial shaft is solidly united.", "tibia_fibula_fracture"),
        ("The humeral fracture has united.", "shoulder_fracture"),
        ("The fracture of the femoral shaft is now fully united.", "femur_fracture"),
        ("United fracture of the clavicle.", "clavicle_fracture"),
        ("The tibial fracture shows solid union.", "tibia_fibula_fracture"),
    ],
)
def test_a_united_fracture_is_healed(read: Read, text: str, concept: str) -> None:
    """Union is healing, and no finding of its own."""
    units = {unit.canonical_finding: unit for unit in read(text)}
    assert "healed" in units[concept].modifiers
    assert "nonunion" not in units


@pytest.mark.parametrize(
    "text",
    [
        "The fracture of the tibial shaft is non-united.",
        "The fracture of the tibial shaft is not yet united.",
        "The humeral fracture has failed to unite.",
        "Humeral fracture without evidence of bony union.",
        "The femoral fracture is not united.",
        "Failure of union of the scaphoid fracture.",
    ],
)
def test_what_has_not_united_is_a_nonunion(read: Read, text: str) -> None:
    """A prefix, "not" and "without" reverse union."""
    units = {unit.canonical_finding: unit for unit in read(text)}
    assert units["nonunion"].polarity is Polarity.PRESENT
    assert not any("healed" in unit.modifiers for unit in units.values())


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("The cavity in the left upper lobe reported last month is still clearly seen.", Change.STABLE),
        ("The cavity in the left upper lobe reported last month is no longer seen.", Change.RESOLVED),
        ("The effusion described yesterday is still plainly visible.", Change.STABLE),
        ("The effusion described yesterday is no longer visible.", Change.RESOLVED),
        ("The apical pneumothorax is still faintly visible.", Change.STABLE),
    ],
)
def test_still_seen_is_not_gone(read: Read, text: str, change: Change) -> None:
    """What is still seen is there as before, what is no longer seen is gone."""
    unit = read(text)[0]
    assert unit.change is change
    assert (unit.polarity is Polarity.ABSENT) == (change is Change.RESOLVED)
