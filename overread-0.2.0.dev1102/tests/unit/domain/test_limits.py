"""Angles, attenuations and distances of tubes: where care changes, and what is no difference."""

from __future__ import annotations

import pytest
from attrs import evolve

from overread.domain.differences.comparison import Words, differences
from overread.domain.differences.weighing import weigh
from overread.domain.findings.extents import judge_limit, judge_size
from overread.domain.findings.lesion import lesions_of
from overread.domain.findings.qualities import Limit
from overread.domain.findings.relation import Relation
from overread.domain.findings.unit import Certainty, Measurement, largest
from overread.domain.vocabulary.severity import Importance

from .clinical import LEXICON, unit

COBB, HU = Limit("degree", (25.0, 40.0), 5.0), Limit("hu", (10.0,), 5.0)
LIMITED = evolve(
    LEXICON, qualities=evolve(LEXICON.qualities, limits={"scar": COBB, "nodule": HU}, margins={"nodule": 20.0})
)


def _measured(value: float, name: str) -> Measurement:
    return Measurement(value, name, 0.0)


@pytest.mark.parametrize(
    ("reference", "candidate", "limit", "extent"),
    [
        (20, 46, COBB, 0.4),
        (46, 20, COBB, 0.4),
        (38, 44, COBB, 0.4),
        (24, 26, COBB, None),
        (32, 34, COBB, None),
        (5, 18, COBB, 0.1),
        (5, 35, HU, 0.4),
        (-10, 8, HU, 0.1),
        (8, 12, HU, None),
    ],
)
def test_a_limit_between_two_measurements_matters(
    reference: float, candidate: float, limit: Limit, extent: float | None
) -> None:
    """Whichever report is the reference; within the spread of measurements nothing differs."""
    judged = judge_limit(
        _measured(reference, limit.unit), _measured(candidate, limit.unit), limit, Importance.ACTIONABLE
    )
    assert (judged.extent if judged else None) == extent


@pytest.mark.parametrize(("reference", "candidate", "importance"), [(20, 46, "actionable"), (20, 23, "incidental")])
def test_what_crosses_a_limit_asks_for_action(reference: float, candidate: float, importance: str) -> None:
    """Of a finding that asks for nothing by itself."""
    first, second = ([unit("scar", measurements=(_measured(value, "degree"),))] for value in (reference, candidate))
    weighing = weigh(first, second, LIMITED)
    assert [lesions[0].importance.value for lesions in weighing.lesions] == [importance] * 2


def test_a_measurement_in_another_unit_is_not_compared() -> None:
    """Degrees of a nodule are none of its attenuation."""
    reports = [
        [unit("nodule", measurements=(_measured(5, "hu"),))],
        [unit("nodule", measurements=(_measured(90, "degree"),))],
    ]
    (r,), (c,) = (lesions_of(report, (), LIMITED) for report in reports)
    assert not differences(r, c, Relation.SAME, Words(frozenset(), frozenset()), LIMITED)


def test_the_largest_size_is_a_length() -> None:
    """An angle is no size."""
    size = Measurement(4.0, "mm", 4.0)
    assert largest([_measured(90, "degree"), size]) == size
    assert largest([_measured(90, "degree")]) is None


@pytest.mark.parametrize(
    ("reference", "candidate", "extent"),
    [(41, 50, 0.0), (30, 46, 0.0), (25, 48, 0.3), (30, 5, 0.55), (25, 15, 0.4), (60, 75, 0.4)],
)
def test_a_tube_moves_with_the_head(reference: float, candidate: float, extent: float) -> None:
    """Two centimetres are no difference, unless the tube leaves where it is meant to end."""
    here, there = (Measurement(value, "mm", value) for value in (reference, candidate))
    judged = judge_size(here, there, (20, 70), Importance.ACTIONABLE, 20)
    assert judged is not None
    assert judged.extent == extent


@pytest.mark.parametrize(
    ("certainty", "sentence", "importance"),
    [
        (Certainty.PROBABLE, 0, "follow_up"),
        (Certainty.DEFINITE, 0, "follow_up"),
        (Certainty.POSSIBLE, 0, "actionable"),
        (None, 0, "actionable"),
        (Certainty.PROBABLE, 3, "actionable"),
    ],
)
def test_a_broader_word_that_its_sentence_explains_asks_for_no_more(
    certainty: Certainty | None, sentence: int, importance: str
) -> None:
    """As in "a nodule, consistent with a small one"; not where that is left open, or said elsewhere."""
    report = [unit("nodule"), unit("small_nodule", at=20, certainty=certainty, sentence_index=sentence)]
    (lesion,) = lesions_of(report, (), LEXICON)
    assert lesion.importance.value == importance
