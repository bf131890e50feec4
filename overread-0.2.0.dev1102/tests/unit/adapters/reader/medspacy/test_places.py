"""What a word that every region has stands for at the place a report gives it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.domain.findings.unit import ClinicalUnit

Read = Callable[[str], tuple[ClinicalUnit, ...]]


@pytest.mark.parametrize(
    ("sentence", "finding"),
    [
        ("A stone of 7 mm is lodged in the distal common bile duct.", "choledocholithiasis"),
        ("No calculus in either ureter.", "ureteral_calculus"),
        ("Polypoid tumor of the bladder wall.", "bladder_mass"),
        ("Infiltrating neoplasm of the right frontal lobe.", "brain_mass"),
        ("Wedge-shaped infarct in the upper pole of the spleen.", "splenic_infarct"),
        ("Old scar in the left temporal lobe.", "encephalomalacia"),
        ("Hematoma in the left cerebellar hemisphere.", "intraparenchymal_hemorrhage"),
        ("Abscess within the right hepatic lobe.", "liver_abscess"),
        ("An aneurysm of the abdominal aorta.", "abdominal_aortic_aneurysm"),
        ("The calcaneus is fractured.", "foot_fracture"),
        ("Tumor in the right lower lobe abutting the liver.", "lung_cancer"),
        ("Primary lung cancer with mediastinal nodes.", "lung_cancer"),
    ],
)
def test_the_place_tells_what_a_word_stands_for(read: Read, sentence: str, finding: str) -> None:
    """Stones, tumors, infarcts and scars are those of the organ they are put in, unless named with another."""
    assert finding in {unit.canonical_finding for unit in read(sentence)}


@pytest.mark.parametrize(
    ("sentence", "finding"),
    [
        ("The right ureter is distended along its length.", "hydroureter"),
        ("Thrombus extends into the left branch of the portal vein.", "portal_vein_thrombosis"),
        ("A simple cyst of 4 cm arises from the right ovary.", "ovarian_cyst"),
        ("The spleen is torn at its lower pole.", "splenic_laceration"),
        ("The spinal cord is flattened from behind.", "cord_compression"),
        ("Mechanical small bowel ileus.", "bowel_obstruction"),
        ("Dislocated ventricular lead.", "device_malposition"),
    ],
)
def test_states_of_organs_are_findings(read: Read, sentence: str, finding: str) -> None:
    """An organ and its state, or what it holds, make the finding whatever the words between."""
    assert finding in {unit.canonical_finding for unit in read(sentence)}


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Cath lab informed.", "communication"),
        ("EP attending called 1740.", "communication"),
        ("Withdraw 3 to 4 cm.", "recommendation"),
        ("Stat echo.", "recommendation"),
        ("Repeat tomorrow.", "recommendation"),
        ("Interrogate the device.", "recommendation"),
        ("Check patency of the drain.", "recommendation"),
        ("Thoracocentesis is advised.", "recommendation"),
    ],
)
def test_telegraphic_advice_and_messages(read: Read, sentence: str, kind: str) -> None:
    """Advice and messages of two or three words are what they are in whole sentences."""
    assert {unit.administrative for unit in read(sentence)} == {kind}
