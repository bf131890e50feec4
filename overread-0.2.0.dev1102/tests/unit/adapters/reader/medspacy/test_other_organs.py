"""Wordings that the lexicon has for one organ, where the sentence names another."""

from __future__ import annotations

import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report


def _units(extractor: MedspacyUnitExtractor, sentence: str) -> list[ClinicalUnit]:
    (extraction,) = extractor.extract([Report(sentence)])
    assert isinstance(extraction, tuple)
    return list(extraction)


@pytest.mark.parametrize(
    ("sentence", "finding"),
    [
        ("Metastasis in the left iliac wing.", "bone_metastases"),
        ("Metastasis in the left acetabulum.", "bone_metastases"),
        ("Focal lucency in the foot, third metatarsal.", "lytic_bone_lesion"),
        ("Lucency in the calcaneus.", "bone_abnormality"),
        ("Lucency in the right upper lobe.", "lung_lucency"),
        ("Infection of the foot.", "soft_tissue_abscess"),
        ("Infection in the right lower lobe.", "pneumonia"),
        ("Infarct of the liver.", "liver_lesion"),
        ("Fibrosis of the liver.", "cirrhosis"),
        ("Contusion of the L3 vertebral body.", "bone_marrow_edema_spine"),
        ("Enlarged left ovary, torsion.", "ovarian_torsion"),
        ("Calcification in the left frontal lobe.", "brain_abnormality"),
    ],
)
def test_the_organ_that_is_named_decides(extractor: MedspacyUnitExtractor, sentence: str, finding: str) -> None:
    """A finding of the chest is none where the sentence names a bone or an organ elsewhere."""
    assert [unit.canonical_finding for unit in _units(extractor, sentence)] == [finding]


@pytest.mark.parametrize(
    "sentence", ["Enlarged left ovary with absent flow, torsion.", "Absent color flow in the left testis, torsion."]
)
def test_flow_that_is_absent_denies_no_torsion(extractor: MedspacyUnitExtractor, sentence: str) -> None:
    """What is missing is a sign of what the sentence goes on with."""
    assert all(unit.asserts_finding for unit in _units(extractor, sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "Favor atelectasis over pneumonia.",
        "More likely atelectasis than pneumonia.",
        "Favor bibasilar atelectasis over pneumonia in the right clinical setting.",
    ],
)
def test_what_comes_second_is_open(extractor: MedspacyUnitExtractor, sentence: str) -> None:
    """The sentence argues for the first finding, and the right setting is no side."""
    first, second = _units(extractor, sentence)
    assert first.asserts_finding
    assert second.canonical_finding == "pneumonia"
    assert second.certainty == "possible"
    assert second.place.side == ""


@pytest.mark.parametrize(
    ("sentence", "is_there"),
    [
        ("Negative Murphy sign, normal gallbladder wall.", False),
        ("Murphy sign negative.", False),
        ("Negative sonographic Murphy sign.", False),
        ("Positive Murphy sign.", True),
        ("COVID negative patient with pneumonia.", True),
        ("Pneumonia, PCR negative.", True),
    ],
)
def test_a_negative_sign_is_denied_and_a_negative_test_denies_nothing(
    extractor: MedspacyUnitExtractor, sentence: str, *, is_there: bool
) -> None:
    """The word stands right beside the sign that was looked for."""
    assert _units(extractor, sentence)[0].asserts_finding is is_there
