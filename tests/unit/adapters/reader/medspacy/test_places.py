"""What a word that every region has stands for at the place a report gives it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.domain.unit import ClinicalUnit

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
