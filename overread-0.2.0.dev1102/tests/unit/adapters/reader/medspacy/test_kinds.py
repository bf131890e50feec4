"""Words that tell the kind of a disease: perforated, closed-loop, non-occlusive."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.domain.findings.unit import ClinicalUnit

Read = Callable[[str], tuple[ClinicalUnit, ...]]

LEXICON = load_knowledge().lexicon


@pytest.mark.parametrize(
    ("text", "finding", "word"),
    [
        ("Perforated appendicitis.", "appendicitis", "perforated"),
        ("Appendicitis with perforation.", "appendicitis", "perforated"),
        ("Acute appendicitis without perforation.", "appendicitis", "uncomplicated"),
        ("Non-occlusive portal vein thrombus.", "portal_vein_thrombosis", "nonocclusive"),
        ("Closed-loop small bowel obstruction.", "bowel_obstruction", "closed_loop"),
        ("Compound fracture of the tibia.", "tibia_fibula_fracture", "open"),
        ("Obstructing left ureteral stone.", "ureteral_calculus", "obstructing"),
        ("Left ureteral stone without obstruction.", "ureteral_calculus", "nonobstructing"),
    ],
)
def test_a_word_of_kind_counts_beside_a_finding_and_within_it(read: Read, text: str, finding: str, word: str) -> None:
    """A denied word of the graver kind tells the milder one."""
    found = next(unit for unit in read(text) if unit.canonical_finding == finding)
    own = frozenset().union(*(kinds.graver | kinds.milder for kinds in LEXICON.kinds(finding)))
    assert found.modifiers & own == {word}


def test_kinds_are_of_findings_that_the_lexicon_has() -> None:
    """A name that was mistyped would never tell anything."""
    kinds = LEXICON.qualities.kinds
    assert {name for each in kinds for name in each.of | each.told_by} <= LEXICON.findings.keys()


def test_an_aneurysm_said_to_have_ruptured_is_a_ruptured_one(read: Read) -> None:
    """However the sentence says it, and not where it denies it."""
    said = ["Infrarenal abdominal aortic aneurysm with rupture.", "Ruptured abdominal aortic aneurysm."]
    denied = "Infrarenal abdominal aortic aneurysm without rupture."
    assert {unit.canonical_finding for text in said for unit in read(text)} == {"ruptured_aortic_aneurysm"}
    assert {unit.canonical_finding for unit in read(denied)} == {"abdominal_aortic_aneurysm"}
