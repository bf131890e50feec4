"""The RADPEER score that is proposed: the rules as they are stated, and never lower for a graver discrepancy."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Scale, Unscored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.hospital.domain.radpeer import OUTRIGHT, proposal, proposal_of
from overread.hospital.domain.review import Radpeer

OMISSION = Discrepancy(
    category=ErrorCategory.OMITTED_FINDING,
    aspect=ErrorAspect.DESCRIPTION,
    type=ErrorType.OMISSION,
    severity=Severity.SIGNIFICANT,
    reason="left out",
    finding="pneumothorax",
    importance=Importance.URGENT,
    extent=OUTRIGHT,
)
GRAVER: dict[str, list[Any]] = {
    "severity": [Severity.INSIGNIFICANT, Severity.SIGNIFICANT, Severity.CRITICAL],
    "importance": [None, *reversed(Importance)],
    "extent": [None, 0.0, 0.3, OUTRIGHT, 1.0],
    "probability": [0.1, 0.5, 1.0],
}
"""Values of what makes a discrepancy graver, the least first."""

discrepancies = st.builds(
    lambda **values: evolve(OMISSION, **values), **{name: st.sampled_from(steps) for name, steps in GRAVER.items()}
)


@pytest.mark.parametrize(
    ("found", "score"),
    [
        ([], Radpeer.CONCUR),
        ([evolve(OMISSION, severity=Severity.INSIGNIFICANT)], Radpeer.CONCUR),
        ([evolve(OMISSION, probability=0.4)], Radpeer.CONCUR),
        ([evolve(OMISSION, importance=Importance.FOLLOW_UP)], Radpeer.UNDERSTANDABLE_INSIGNIFICANT),
        ([evolve(OMISSION, importance=None, extent=None)], Radpeer.UNDERSTANDABLE_INSIGNIFICANT),
        ([evolve(OMISSION, importance=Importance.ACTIONABLE)], Radpeer.UNDERSTANDABLE_SIGNIFICANT),
        ([evolve(OMISSION, extent=0.45)], Radpeer.UNDERSTANDABLE_SIGNIFICANT),
        (
            [evolve(OMISSION, severity=Severity.CRITICAL, importance=Importance.FOLLOW_UP)],
            Radpeer.EXPECTED_INSIGNIFICANT,
        ),
        ([OMISSION], Radpeer.EXPECTED_SIGNIFICANT),
        ([evolve(OMISSION, importance=Importance.ACTIONABLE), OMISSION], Radpeer.EXPECTED_SIGNIFICANT),
    ],
)
def test_the_rules_are_as_stated(found: list[Discrepancy], score: Radpeer) -> None:
    """One case of each rule of `proposal_of`, worked out by hand."""
    assert proposal_of(found).score is score


def test_reasons_name_the_discrepancies_that_ask_for_the_score() -> None:
    """And say what is not known; the others are left out."""
    slight = evolve(OMISSION, finding="lung_nodule", importance=Importance.FOLLOW_UP)
    actionable = evolve(OMISSION, finding="rib_fracture", importance=Importance.ACTIONABLE)
    [reason] = proposal_of([slight, actionable]).reasons
    assert reason == (
        "omitted finding (rib fracture): actionable finding; "
        "it may be an understandable miss: how hard it was to see is not known"
    )


@given(st.lists(discrepancies, max_size=4), discrepancies, st.sampled_from(sorted(GRAVER)), st.data())
def test_a_graver_discrepancy_never_lowers_the_proposal(
    others: list[Discrepancy], one: Discrepancy, name: str, data: st.DataObject
) -> None:
    """Whatever makes it graver: its class, what it asks for, how wrong it is, or how sure it is."""
    steps = GRAVER[name]
    place = steps.index(getattr(one, name))
    graver = evolve(one, **{name: data.draw(st.sampled_from(steps[place:]))})
    assert _rank([*others, graver]) >= _rank([*others, one])


@given(st.lists(discrepancies, max_size=4), discrepancies)
def test_one_more_discrepancy_never_lowers_the_proposal(others: list[Discrepancy], one: Discrepancy) -> None:
    """Nor does their order matter."""
    assert _rank([*others, one]) >= _rank(others)
    assert proposal_of([one, *others]).score is proposal_of([*others, one]).score


def test_nothing_is_proposed_without_a_score() -> None:
    """What could not be read is no concurrence."""
    unscored = EvaluationResult(
        pair_id="1",
        metric="notation",
        scale=Scale(0.0, 1.0, higher_is_better=True),
        signature=Signature("notation"),
        outcome=Unscored("empty"),
    )
    assert proposal(unscored) is proposal(None) is None


def _rank(found: list[Discrepancy]) -> int:
    return list(Radpeer).index(proposal_of(found).score)
