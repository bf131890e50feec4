"""How alike entities are by what they mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.findings.meaning import UNRELATED, Likeness, Meaning, relatedness
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit

from ..clinical import LEXICON, PLACES, mm, no, normal, unit, units

BOTH = frozenset({"calcified", "noncalcified"})


def alike(a: ClinicalUnit, b: ClinicalUnit) -> float:
    return relatedness(Meaning.of(a, "a"), Meaning.of(b, "b"), LEXICON)


def detail(said: ClinicalUnit, *labels: str) -> Meaning:
    return Meaning.of(said, "detail", frozenset(labels))


def meanings() -> st.SearchStrategy[Meaning]:
    labels = st.none() | st.frozensets(st.sampled_from(PLACES), min_size=1, max_size=2)
    return st.builds(lambda said, own: Meaning.of(said, said.canonical_finding, own), units(), labels)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (unit("effusion"), unit("effusion"), 1.0),
        (unit("consolidation"), unit("opacity"), 0.85),
        (unit("heart_failure"), unit("congestion"), 0.5),
        (unit("atelectasis"), unit("consolidation"), 0.2),
        (unit("effusion"), unit("nodule"), 0.0),
        # sides, heights and levels
        (unit("effusion", "left"), unit("effusion", "right"), 0.1),
        (unit("effusion", "left"), unit("effusion", "left", "right"), 0.5),
        (unit("effusion", "left"), unit("effusion"), 0.95),
        (unit("nodule", "upper_lobe"), unit("nodule", "upper_zone"), 1.0),
        (unit("nodule", "upper_lobe"), unit("nodule", "mid_zone"), 0.85),
        (unit("nodule", "upper_lobe"), unit("nodule", "lower_lobe"), 0.1),
        (unit("fracture", "t8"), unit("fracture", "t12"), 0.1),
        (unit("scar", "kidney"), unit("scar", "liver"), 0.5),
        # degrees and sizes
        (unit("effusion", severity="mild"), unit("effusion", severity="moderate"), 0.85),
        (unit("effusion", severity="mild"), unit("effusion", severity="severe"), 0.3),
        (unit("effusion", severity="severe"), unit("effusion", severity="marked"), 1.0),
        (unit("effusion", severity="mild"), unit("effusion"), 0.95),
        (unit("nodule", measurements=mm(12)), unit("nodule", measurements=mm(14)), 1.0),
        (unit("nodule", measurements=mm(12)), unit("nodule", measurements=mm(22)), 0.3),
        (unit("nodule", measurements=mm(12)), unit("nodule"), 0.95),
        # what else is told
        (unit("effusion", change=Change.NEW), unit("effusion", change=Change.IMPROVED), 0.5),
        (unit("effusion", change=Change.NEW), unit("effusion"), 0.95),
        (unit("effusion", certainty=Certainty.POSSIBLE), unit("effusion"), 0.85),
        (unit("nodule", modifiers=frozenset({"calcified"})), unit("nodule"), 0.95),
        (
            unit("nodule", modifiers=frozenset({"calcified"})),
            unit("nodule", modifiers=frozenset({"noncalcified"})),
            0.5,
        ),
        (unit("nodule", modifiers=BOTH), unit("nodule", modifiers=BOTH), 1.0),
        # denials: the types of entities tell them apart
        (no("effusion"), unit("effusion"), 1.0),
        (no("effusion"), normal("normal_pleura"), 0.85),
        (normal("normal_pleura"), no("hydropneumothorax"), 0.85),
        (normal("clear_lungs"), normal("intact_bones"), 0.0),
        (no("effusion", severity="severe"), no("effusion"), 1.0),
    ],
)
def test_findings_by_relation_place_and_attributes(one: ClinicalUnit, other: ClinicalUnit, expected: float) -> None:
    """The product of a share for the relation and a factor for each attribute that differs, in either order."""
    assert alike(one, other) == pytest.approx(expected)
    assert alike(other, one) == pytest.approx(expected)


def test_factors_multiply() -> None:
    """Another side and another degree are further off than either."""
    one, other = unit("effusion", "left", severity="mild"), unit("effusion", "right", severity="severe")
    assert alike(one, other) == pytest.approx(0.1 * 0.3)


LEFT_BASE = unit("consolidation", "left", "lower_lobe")
HAZY = unit("opacity", modifiers=frozenset({"hazy"}))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (detail(LEFT_BASE, "left", "lower_lobe"), detail(unit("nodule"), "left", "lower_lobe"), 1.0),
        (detail(LEFT_BASE, "left", "lower_lobe"), detail(LEFT_BASE, "left", "base"), 1.0),
        (detail(LEFT_BASE, "left", "lower_lobe"), detail(LEFT_BASE, "right", "lower_lobe"), 0.1),
        (detail(LEFT_BASE, "left", "lower_lobe"), detail(LEFT_BASE, "left", "upper_lobe"), 0.1),
        (detail(unit("scar"), "kidney"), detail(unit("scar"), "liver"), 0.0),
        # borne out by a finding
        (detail(LEFT_BASE, "left", "lower_lobe"), Meaning.of(LEFT_BASE, ""), 1.0),
        (detail(LEFT_BASE, "left", "lower_lobe"), Meaning.of(unit("effusion", "left", "lower_lobe"), ""), 1.0),
        (detail(LEFT_BASE, "left", "lower_lobe"), Meaning.of(unit("consolidation"), ""), 0.5 * 0.95),
        (detail(LEFT_BASE, "left", "lower_lobe"), Meaning.of(unit("effusion"), ""), 0.0),
        (detail(HAZY, "hazy"), Meaning.of(HAZY, ""), 1.0),
        (detail(HAZY, "hazy"), Meaning.of(unit("opacity"), ""), 0.5),
        (detail(normal("normal_pleura"), "pleural space"), Meaning.of(no("effusion"), ""), 0.85),
    ],
)
def test_places_and_words_of_appearance(one: Meaning, other: Meaning, expected: float) -> None:
    """By their labels, or as far as a unit of the other report says what they are said of."""
    assert relatedness(one, other, LEXICON) == pytest.approx(expected)


def test_a_finding_is_not_borne_out_by_its_place() -> None:
    """That something lies at the left base is not what it is."""
    assert relatedness(Meaning.of(LEFT_BASE, ""), detail(LEFT_BASE, "left", "lower_lobe"), LEXICON) == 0.0


@given(meanings())
def test_a_meaning_is_as_its_own(meaning: Meaning) -> None:
    """Whatever it is."""
    assert relatedness(meaning, meaning, LEXICON) == 1.0


@given(meanings(), meanings(), st.floats(-1, 1))
def test_similarities_stay_in_range_and_what_is_related_comes_first(a: Meaning, b: Meaning, cosine: float) -> None:
    """On [-1, 1]; related meanings lie above `UNRELATED`, others at or below it."""
    [[value]] = Likeness(LEXICON).between([a], [b], np.array([[cosine]])).tolist()
    assert -1.0 <= value <= 1.0
    assert (value > UNRELATED) == (relatedness(a, b, LEXICON) > 0)


@given(units(), units())
def test_findings_compare_in_either_order(one: ClinicalUnit, other: ClinicalUnit) -> None:
    """As a cosine would."""
    assert alike(one, other) == pytest.approx(alike(other, one))


ACROSS = {"left": "right", "right": "left"}


@given(
    units("effusion", "nodule", "consolidation"), units("effusion", "opacity", "nodule"), st.sampled_from(PLACES[:2])
)
def test_a_swapped_side_never_raises_the_likeness(one: ClinicalUnit, other: ClinicalUnit, side: str) -> None:
    """Of two units on one side, one is put on the other side."""
    one, other = (evolve(u, anatomy=frozenset(u.anatomy - ACROSS.keys() | {side})) for u in (one, other))
    swapped = evolve(other, anatomy=frozenset(other.anatomy - {side} | {ACROSS[side]}))
    before, after = alike(one, other), alike(one, swapped)
    assert after < before or before == after == 0.0


def test_wording_and_position_are_no_part_of_a_meaning() -> None:
    """So that meanings of two reports are equal."""
    one = unit("effusion", "left", text="left effusion", at=4, surface_finding="effusion")
    other = unit("effusion", "left", text="effusion on the left", at=90)
    assert Meaning.of(one, "effusion") == Meaning.of(other, "effusion")
    assert "left" not in repr(detail(one, "left base"))


def test_the_cosine_stands_where_no_meaning_is_known() -> None:
    """Of one known and one unknown thing nothing relates the two."""
    known: Any = Meaning.of(unit("effusion"), "effusion")
    found = Likeness(LEXICON).between([known, None], [known, None], np.full((2, 2), 0.8))
    assert found == pytest.approx(np.array([[1.0, 0.24], [0.24, 0.8]]))
    assert Likeness(LEXICON).between([], [known], np.zeros((0, 1))).shape == (0, 1)
