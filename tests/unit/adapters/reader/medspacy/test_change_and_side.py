"""Change told by verbs and in note form, and sides that a diagnosis takes from its sign. All sentences are invented."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.domain.unit import Change, ClinicalUnit, Polarity

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
