"""One lesion in several sentences, levels of lists and ranges, counts, and where devices end. All invented."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.domain.findings.unit import Change, ClinicalUnit
from overread.domain.vocabulary.anatomy import FIRST_RIB

Read = Callable[[str], tuple[ClinicalUnit, ...]]


def _unit(read: Read, text: str, concept: str) -> ClinicalUnit:
    return next(unit for unit in read(text) if unit.canonical_finding == concept)


def test_a_lesion_is_told_in_several_sentences(read: Read) -> None:
    """Place, size, appearance and change follow one by one, and are all of the lesion."""
    (nodule,) = read(
        "There is a nodule. It lies in the right upper lobe. It measures 9 mm. Its margins are spiculated. "
        "It was not present in 2021."
    )
    assert nodule.place.side == "right"
    assert "upper_lobe" in nodule.anatomy
    assert [size.millimetres for size in nodule.measurements] == [9.0]
    assert nodule.modifiers == {"spiculated"}
    assert nodule.change is Change.NEW


@pytest.mark.parametrize(
    ("text", "concept", "attribute", "value"),
    [
        ("There is a pleural effusion on the left. It is large.", "pleural_effusion", "severity", "severe"),
        ("Fracture of the right clavicle. It is displaced.", "clavicle_fracture", "modifiers", {"displaced"}),
        (
            "Left lower lobe mass. Its wall is thick. Its inner margin is irregular.",
            "lung_mass",
            "modifiers",
            {"irregular"},
        ),
        ("There is a 9 mm nodule. It is located in the left upper lobe.", "lung_nodule", "side", "left"),
        ("Left lung nodule. It lies adjacent to the right hilum.", "lung_nodule", "side", "left"),
        ("There is a mass. It lies close to the left hilum.", "lung_mass", "side", ""),
        ("There is a nodule. It is not calcified.", "lung_nodule", "modifiers", set()),
        ("There is a small effusion. It is large.", "pleural_effusion", "severity", "mild"),
    ],
)
def test_a_further_sentence_describes_the_finding_before(
    read: Read, text: str, concept: str, attribute: str, value: object
) -> None:
    """What it denies, what only lies near and what contradicts the first sentence is not carried."""
    unit = _unit(read, text, concept)
    found = unit.place.side if attribute == "side" else getattr(unit, attribute)
    assert found == value


@pytest.mark.parametrize(
    ("text", "ribs"),
    [
        ("Fractures of the left fifth to seventh ribs.", {5, 6, 7}),
        ("The fifth, sixth and seventh ribs on the left are broken.", {5, 6, 7}),
        ("Fractures of ribs 4-7 on the left.", {4, 5, 6, 7}),
        ("Acute fractures of the left 4th, 5th and 6th ribs.", {4, 5, 6}),
        ("Rib fractures (ribs 3 through 5) on the right.", {3, 4, 5}),
        ("Right rib 5, 3 mm displaced fracture.", {5}),
        ("Fracture of the right 5th rib, 6 cm from the midline.", {5}),
        ("Fractures of the second and ninth ribs.", {2, 9}),
    ],
)
def test_ribs_of_lists_and_ranges(read: Read, text: str, ribs: set[int]) -> None:
    """Each rib of a list and each between two is named; a size is no rib."""
    levels = read(text)[0].place.levels
    assert {level - FIRST_RIB + 1 for level in levels} == ribs


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Compression fractures of T11 through L1.", {"t11", "t12", "l1"}),
        ("Compression fractures of L1-L3.", {"l1", "l2", "l3"}),
        ("Compression fractures of L1 and L3.", {"l1", "l3"}),
        ("Compression fractures from T5 to T7.", {"t5", "t6", "t7"}),
        ("Compression fractures of T9, T10 and T12.", {"t9", "t10", "t12"}),
    ],
)
def test_vertebrae_of_ranges(read: Read, text: str, labels: set[str]) -> None:
    """Those between the first and the last of a range are named with them, those of a list are not."""
    found = _unit(read, text, "vertebral_compression_fracture").anatomy
    assert {label for label in found if label[-1].isdecimal()} == labels


def test_two_fractures_behind_a_colon_are_two(read: Read) -> None:
    """Each has its own level and age: the old one is not the fresh one."""
    units = read("Two vertebral fractures: an old wedge of L1 and a fresh burst of T12.")
    told = {unit.canonical_finding: unit.modifiers for unit in units if unit.place.levels}
    assert told == {"vertebral_compression_fracture": {"old"}, "burst_fracture": {"acute"}}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A nodule of 12 mm in the left lower lobe, the only one in either lung.", "single"),
        ("A nodule of 12 mm in the left lower lobe, the largest of more than ten in both lungs.", "multiple"),
        ("A nodule in the left lower lobe, one of several in both lungs.", "multiple"),
        ("A nodule in the left lower lobe, the sole one in both lungs.", "single"),
        ("A nodule in the left lower lobe, the biggest of at least 5 in both lungs.", "multiple"),
    ],
)
def test_one_and_one_of_many(read: Read, text: str, count: str) -> None:
    """The count is of the finding, and the lungs that were looked through are no place of it."""
    unit = _unit(read, text, "lung_nodule")
    assert count in unit.modifiers
    assert unit.place.side == "left"


@pytest.mark.parametrize(
    ("text", "flail"),
    [
        ("Right ribs 5, 6 and 7 are each fractured in two places.", True),
        ("Left ribs 3 to 6 are each broken in two places.", True),
        ("Two fractures in each rib on the left.", True),
        ("A fracture of the right fifth rib in one place.", False),
        ("Fractures of two ribs on the right.", False),
    ],
)
def test_ribs_broken_twice_are_a_flail_segment(read: Read, text: str, *, flail: bool) -> None:
    """Each rib broken in two places, not two broken ribs."""
    assert any(unit.canonical_finding == "flail_chest" for unit in read(text)) is flail


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("ET tube with tip 3 cm beyond the carina.", "low_endotracheal_tube"),
        ("Endotracheal tube terminates 2 cm below the tracheal bifurcation.", "low_endotracheal_tube"),
        ("ETT with tip 1 cm past the carina.", "low_endotracheal_tube"),
        ("ET tube with tip 3 cm above the carina.", "endotracheal_tube"),
        ("ETT tip does not extend beyond the carina.", "endotracheal_tube"),
        ("Gastrostomy tube with its balloon inflated inside the abdominal wall.", "displaced_gastrostomy"),
        ("The PEG bumper lies within the abdominal wall.", "displaced_gastrostomy"),
        ("Gastrostomy tube with its balloon inflated inside the stomach.", "gastrostomy_tube"),
        ("PEG tube in place, traversing the abdominal wall into the stomach.", "gastrostomy_tube"),
        ("Foley catheter balloon in the prostatic urethra.", "device_malposition"),
        ("Nephrostomy tube in the perirenal fat.", "device_malposition"),
        ("Cholecystostomy drain lies outside the gallbladder.", "device_malposition"),
    ],
)
def test_where_a_device_ends(read: Read, text: str, concept: str) -> None:
    """A device beyond the place it is meant for is a malposition, and one on its way there is none."""
    found = {unit.canonical_finding for unit in read(text)}
    assert concept in found
    assert not found & {"gastric_distension", "bladder_distention"}
