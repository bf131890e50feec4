"""Change told by verbs and in note form, and sides that a diagnosis takes from its sign. All sentences are invented."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.domain.findings.unit import Change, ClinicalUnit, Polarity

Read = Callable[[str], tuple[ClinicalUnit, ...]]


def _unit(read: Read, text: str, concept: str) -> ClinicalUnit:
    return next(unit for unit in read(text) if unit.canonical_finding == concept)


@pytest.mark.parametrize(
    ("text", "concept", "change"),
    [
        ("The right effusion has slowly shrunk.", "pleural_effusion", Change.IMPROVED),
        ("Left effusion abated after diuresis.", "pleural_effusion", Change.IMPROVED),
        ("Right effusion smaller than on Monday.", "pleural_effusion", Change.IMPROVED),
        ("The left effusion has nearly gone.", "pleural_effusion", Change.IMPROVED),
        ("The effusion grew since March.", "pleural_effusion", Change.WORSENED),
        ("The left effusion has now clearly enlarged.", "pleural_effusion", Change.WORSENED),
        ("Left effusion, new, and mild edema.", "pleural_effusion", Change.NEW),
        ("Left effusion as on every earlier film.", "pleural_effusion", Change.STABLE),
        ("The left effusion has not shrunk.", "pleural_effusion", Change.STABLE),
        ("The left effusion has vanished.", "pleural_effusion", Change.RESOLVED),
        ("PICC out since yesterday, drain unchanged.", "picc", Change.RESOLVED),
        (
            "Multiple pulmonary nodules, the largest 21 mm in the right lower lobe, have increased in number.",
            "multiple_nodules",
            Change.WORSENED,
        ),
        (
            "Liver metastases, the largest 21 mm in the right lobe of the liver, have decreased in size.",
            "liver_metastases",
            Change.IMPROVED,
        ),
    ],
)
def test_a_change_is_told_by_verbs_and_notes(read: Read, text: str, concept: str, change: Change) -> None:
    """Verbs with adverbs, words behind a mark and comparisons without a verb tell what has changed."""
    unit = _unit(read, text, concept)
    assert unit.change is change
    assert (unit.polarity is Polarity.ABSENT) == (change is Change.RESOLVED)


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("No pneumonia; it can be ruled out.", "pneumonia"),
        ("The heart is not enlarged.", "heart_not_enlarged"),
        ("The lungs are clear.", "lungs_clear"),
        ("There is a nodule, fibrosis is out of proportion to age.", "lung_nodule"),
    ],
)
def test_what_only_sounds_like_a_change_is_none(read: Read, text: str, concept: str) -> None:
    """A particle is said of what stands right before it; a normal state is no improvement."""
    assert _unit(read, text, concept).change is None


@pytest.mark.parametrize(
    ("text", "concept", "side"),
    [
        ("Left basal density, probably atelectasis.", "atelectasis", "left"),
        ("Opacity in the right lower lobe, possibly pneumonia.", "pneumonia", "right"),
        ("The left basal haze is merely scar, not a consolidation.", "consolidation", "left"),
        ("Density at the right base: atelectasis.", "atelectasis", "right"),
        ("Left lower lobe opacity could be pneumonia or atelectasis.", "atelectasis", "left"),
        ("Effusion, right, atelectasis, left.", "pleural_effusion", "right"),
    ],
)
def test_a_diagnosis_lies_where_its_sign_does(read: Read, text: str, concept: str, side: str) -> None:
    """Words of doubt, a colon and "is" join a sign with what explains it, and both have one side."""
    assert _unit(read, text, concept).place.side == side


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("Left effusion and probable pneumonia.", "pneumonia"),
        ("Left effusion, probably due to heart failure.", "heart_failure"),
        ("Left effusion, without pneumothorax.", "pneumothorax"),
    ],
)
def test_what_is_only_added_takes_no_side(read: Read, text: str, concept: str) -> None:
    """Another finding, a cause elsewhere and a denial have no side of the finding before."""
    assert all(unit.place.side == "" for unit in read(text) if unit.canonical_finding == concept)


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("The rounded density over the left lower zone is a nipple shadow.", "breast_shadow"),
        ("The nodular opacity at the right base represents a nipple shadow.", "breast_shadow"),
        ("The apparent pneumothorax at the left apex is a skin fold.", "skin_fold"),
    ],
)
def test_what_is_taken_for_a_finding_is_none(read: Read, text: str, harmless: str) -> None:
    """A look-alike that the report explains is only what it is said to be."""
    assert [unit.canonical_finding for unit in read(text)] == [harmless]


@pytest.mark.parametrize(
    "text",
    [
        "The rounded density over the left lower zone is not a nipple shadow.",
        "The rounded density over the left lower zone is likely a nipple shadow.",
        "Rounded density over the left lower zone. Nipple shadow on the right.",
        "Rounded density over the left lower zone and a nipple shadow.",
        "The rounded density over the left lower zone is a granuloma.",
    ],
)
def test_what_is_not_surely_harmless_stays_a_finding(read: Read, text: str) -> None:
    """A denial, doubt, something beside it and another finding explain nothing away."""
    assert _unit(read, text, "lung_nodule").polarity is Polarity.PRESENT


def test_only_what_is_said_to_have_increased_did(read: Read) -> None:
    """A denied increase is no worsening, whatever stands between the finding and its verb."""
    text = "Multiple pulmonary nodules, the largest 21 mm in the right lower lobe, have not increased in number."
    assert _unit(read, text, "multiple_nodules").change is not Change.WORSENED
