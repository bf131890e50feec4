"""A heading of an organ, and what stands behind its colon."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.domain.findings.unit import ClinicalUnit

Read = Callable[[str], tuple[ClinicalUnit, ...]]


@pytest.mark.parametrize(
    ("sentence", "finding"),
    [
        ("Heart/mediastinum: Enlarged heart.", "cardiomegaly"),
        ("Heart and mediastinum: mildly enlarged cardiac silhouette.", "cardiomegaly"),
        ("Mediastinum: enlarged heart, tortuous aorta.", "cardiomegaly"),
        ("Heart/mediastinum: Normal heart size.", "heart_size_normal"),
        ("Mediastinum: enlarged lymph nodes.", "mediastinal_lymphadenopathy"),
        ("Mediastinum: prominent aortic knob.", "aortic_ectasia"),
        ("Hila: enlarged hilar nodes.", "hilar_lymphadenopathy"),
        ("Liver/spleen: enlarged spleen.", "splenomegaly"),
        ("Kidneys: small left kidney.", "renal_atrophy"),
    ],
)
def test_a_phrase_that_names_its_organ_is_about_that_one(read: Read, sentence: str, finding: str) -> None:
    """The heading's organ is not called what another organ is."""
    findings = [unit.canonical_finding for unit in read(sentence)]
    assert findings[0] == finding
    assert not {"mediastinal_widening", "hilar_enlargement", "hepatomegaly"}.intersection(findings)


@pytest.mark.parametrize(
    ("sentence", "finding"),
    [
        ("Heart: enlarged.", "cardiomegaly"),
        ("Heart/mediastinum: mildly enlarged.", "cardiomegaly"),
        ("Mediastinum: widened.", "mediastinal_widening"),
        ("Mediastinum: shifted to the left.", "mediastinal_shift"),
        ("Lungs: clear.", "lungs_clear"),
    ],
)
def test_a_phrase_without_an_organ_is_about_the_heading_s(read: Read, sentence: str, finding: str) -> None:
    """The colon stands for the verb; heart and mediastinum enlarged at once are the silhouette."""
    assert [unit.canonical_finding for unit in read(sentence)] == [finding]
