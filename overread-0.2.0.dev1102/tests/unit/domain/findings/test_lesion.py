"""Mentions of one finding are one lesion; what lies elsewhere, or is of another size, is another."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.findings.lesion import Lesion, lesions_of
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Polarity
from overread.domain.vocabulary.severity import Importance

from ..clinical import LEXICON, mm, no, unit, units

Units = list[ClinicalUnit]


def mentions(report: Units, other: Sequence[ClinicalUnit] = ()) -> list[list[int]]:
    """Indices of each lesion's mentions, in the order of the report."""
    lesions = lesions_of(report, other, LEXICON)
    return [sorted(index for index, _ in lesion.mentions) for lesion in lesions]


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        # in the findings and again in the impression
        ([unit("effusion", "left"), unit("effusion", "left", at=50, sentence_index=4)], [[0, 1]]),
        ([unit("effusion", "left"), unit("effusion", at=50, sentence_index=4)], [[0, 1]]),
        # an opacity, and what explains it
        ([unit("opacity", "left"), unit("consolidation", "left", at=9)], [[0, 1]]),
        ([unit("lobar_consolidation", "left"), unit("opacity", at=50, sentence_index=4)], [[0, 1]]),
        # a broader mention beside two kinds is a mention of that at its place
        (
            [unit("consolidation", "left"), unit("atelectasis", "right", at=9), unit("opacity", "left", at=18)],
            [[0, 2], [1]],
        ),
        # two kinds of one finding
        ([unit("consolidation"), unit("atelectasis", at=9)], [[0], [1]]),
        # places apart
        ([unit("effusion", "left"), unit("effusion", "right", at=9)], [[0], [1]]),
        ([unit("nodule", "apex"), unit("nodule", "base", at=9)], [[0], [1]]),
        ([unit("nodule", "apex"), unit("nodule", "mid_zone", at=9)], [[0], [1]]),
        ([unit("nodule", "apex"), unit("nodule", "upper_lobe", at=9)], [[0, 1]]),
        ([unit("nodule", "anterior"), unit("nodule", "posterior", at=9)], [[0], [1]]),
        ([unit("fracture", "rib_4"), unit("fracture", "rib_7", at=9)], [[0], [1]]),
        ([unit("fracture", "rib_4"), unit("fracture", at=9)], [[0, 1]]),
        # another size in another sentence is another nodule; of a few millimetres it is not
        (
            [unit("nodule", measurements=mm(8)), unit("nodule", at=50, sentence_index=4, measurements=mm(20))],
            [[0], [1]],
        ),
        ([unit("nodule", measurements=mm(8)), unit("nodule", at=50, sentence_index=4, measurements=mm(9))], [[0, 1]]),
        ([unit("nodule", measurements=mm(8)), unit("nodule", at=50, sentence_index=4)], [[0, 1]]),
        # what is not asserted is no lesion
        ([no("effusion"), unit("nodule", at=9)], [[1]]),
    ],
)
def test_mentions_that_agree_are_one_lesion(report: Units, expected: list[list[int]]) -> None:
    """Of one name or a broader one, at no other place, of no other size; the order of mention does not matter."""
    assert mentions(report) == expected
    last = len(report) - 1
    turned = sorted(sorted(last - index for index in lesion) for lesion in expected)
    assert sorted(mentions(report[::-1])) == turned


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ([unit("effusion", "left", "right")], [[0, 1]]),
        ([unit("effusion")], [[0, 1]]),
        ([unit("effusion", "left"), unit("effusion", "right")], [[0], [1]]),
        ([unit("effusion", "left")], [[0], [1]]),
        ([no("effusion", "left", "right")], [[0], [1]]),
        ([unit("nodule", "left", "right")], [[0], [1]]),
    ],
)
def test_left_and_right_are_one_where_the_other_report_speaks_of_both(other: Units, expected: list[list[int]]) -> None:
    """Bilateral effusions are compared with a left and a right one as one, and with each by itself as two."""
    both = [unit("effusion", "left"), unit("effusion", "right", at=9)]
    assert mentions(both, other) == expected


def _only(report: Units) -> Lesion:
    (lesion,) = lesions_of(report, (), LEXICON)
    return lesion


def test_a_lesion_says_what_all_its_mentions_say() -> None:
    """Place, degree, change, size and words from wherever they stand, looked at early or late."""
    parts = [
        unit("consolidation", "left", modifiers=frozenset({"patchy"})),
        unit("opacity", "lower_lobe", at=20, severity="mild", measurements=mm(12)),
        unit("consolidation", at=50, sentence_index=4, change=Change.WORSENED, measurements=mm(42)),
    ]
    lesion = _only(parts)
    assert lesion.lead is parts[0]
    assert (lesion.place.side, lesion.place.heights) == ("left", frozenset({0}))
    assert lesion.degrees == {0.33: "mild"}
    assert lesion.changes == {Change.WORSENED}
    assert lesion.size == mm(42)[0]
    assert lesion.modifiers == lesion.described.modifiers == {"patchy"}
    assert lesion.names == {"consolidation", "opacity"}


def test_a_size_told_after_a_narrower_mention_without_one_is_the_lesions() -> None:
    """What a lesion says is asked for while it is put together, and must not be remembered from then."""
    report = [unit("nodule", measurements=mm(42)), unit("small_nodule", at=20, sentence_index=1)]
    assert _only(report).size == mm(42)[0]


@pytest.mark.parametrize(
    ("report", "doubt"),
    [
        ([unit("nodule", certainty=Certainty.POSSIBLE)], 2),
        ([unit("nodule", polarity=Polarity.UNCERTAIN)], 2),
        ([unit("nodule", certainty=Certainty.PROBABLE)], 1),
        ([unit("nodule", certainty=Certainty.POSSIBLE), unit("nodule", at=9)], 0),
        # an opacity that is there makes no pneumonia certain
        ([unit("consolidation", certainty=Certainty.POSSIBLE), unit("opacity", at=9)], 2),
    ],
)
def test_a_lesion_is_as_sure_as_its_surest_mention_by_that_name(report: Units, doubt: int) -> None:
    """A broader term that is certain leaves the narrower one open."""
    assert _only(report).doubt == doubt


def test_a_lesion_asks_for_what_the_gravest_mention_does() -> None:
    """A small nodule is looked at again; called a nodule as well, it is what nodules are."""
    assert _only([unit("small_nodule")]).importance is Importance.FOLLOW_UP
    assert _only([unit("small_nodule"), unit("nodule", at=9)]).importance is Importance.ACTIONABLE


@given(st.lists(units(), max_size=8), st.lists(units(), max_size=4))
def test_every_asserted_finding_is_a_mention_of_one_lesion(report: Units, other: Units) -> None:
    """None is lost and none told twice, whatever the other report says."""
    told = sorted(index for lesion in mentions(report, other) for index in lesion)
    assert told == [index for index, said in enumerate(report) if said.asserts_finding]


@pytest.mark.parametrize(
    ("report", "other", "expected"),
    [
        # each of the other report's two lies at one of the levels: neither speaks of both
        ([unit("fracture", "l1"), unit("fracture", "t12", at=9)], [unit("fracture", "l1")], [[0], [1]]),
        (
            [unit("fracture", "rib_4"), unit("fracture", "rib_8", at=9)],
            [unit("fracture", "rib_4"), unit("fracture", "rib_8", at=9)],
            [[0], [1]],
        ),
        # one that names both levels, or none, does
        ([unit("fracture", "l1"), unit("fracture", "t12", at=9)], [unit("fracture", "l1", "t12")], [[0, 1]]),
        ([unit("fracture", "l1"), unit("fracture", "t12", at=9)], [unit("fracture")], [[0, 1]]),
        ([unit("fracture", "l1"), unit("fracture", "t12", at=9)], [unit("fracture", "l3")], [[0], [1]]),
    ],
)
def test_levels_are_one_lesion_only_where_the_other_report_names_both(
    report: Units, other: Units, expected: list[list[int]]
) -> None:
    """A fracture at one level is no mention of that at another because the other report has one of the two."""
    assert mentions(report, other) == expected
