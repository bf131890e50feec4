"""What a report says against itself, as the shipped reader reads it."""

from __future__ import annotations

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.domain.findings.contradiction import contradictions
from overread.domain.reports.report import Report

LEXICON = load_knowledge().lexicon


def _contradicted(reader: MedspacyUnitExtractor, text: str, reference: str = "Heart size is normal.") -> list[str]:
    own, units = reader.extract([Report(reference), Report(text)])
    assert isinstance(own, tuple)
    assert isinstance(units, tuple)
    return [units[each.finding].canonical_finding for each in contradictions(own, units, LEXICON)]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("Small left pleural effusion. No pleural effusion.", "pleural_effusion"),
        ("Vertebral body heights are maintained. Mild compression fracture of T12.", "vertebral_compression_fracture"),
        ("Burst fracture of L2. No vertebral fracture.", "burst_fracture"),
    ],
)
def test_what_is_asserted_and_denied_is_told_once(
    shipped_reader: MedspacyUnitExtractor, text: str, finding: str
) -> None:
    """By its own name, by a normal statement that means it, or by the denial of what it is a kind of."""
    assert _contradicted(shipped_reader, text) == [finding]
    assert _contradicted(shipped_reader, text, reference=text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Fractures of the left sixth to ninth ribs. The sternum is intact.",
        "Bilateral nasal bone fractures. No orbital floor fracture.",
        "Burst fracture of L2. Remaining vertebrae are intact.",
        "Fracture of the neck of the fifth metacarpal. The bones are otherwise intact.",
        "Right clavicle intact. Fractures of the right third to sixth ribs.",
        "Cystic pneumatosis of the right colon without portal venous gas.",
        "Small left pleural effusion. No large pleural effusion.",
    ],
)
def test_a_denial_of_another_part_or_of_the_rest_contradicts_nothing(
    shipped_reader: MedspacyUnitExtractor, text: str
) -> None:
    """Reports name what is whole beside what is broken."""
    assert _contradicted(shipped_reader, text) == []
