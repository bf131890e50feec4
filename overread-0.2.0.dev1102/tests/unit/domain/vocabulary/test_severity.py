"""Severities and the discrimination/robustness rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.vocabulary.severity import Importance, Severity, is_clinically_significant, severity_of

CRITICAL, SIGNIFICANT, INSIGNIFICANT = Severity


@pytest.mark.parametrize(
    ("severities", "significant"),
    [
        ([], False),
        ([INSIGNIFICANT], False),
        ([INSIGNIFICANT] * 9, False),
        ([SIGNIFICANT], True),
        ([CRITICAL], True),
        ([INSIGNIFICANT, INSIGNIFICANT, SIGNIFICANT], True),
        ([CRITICAL, INSIGNIFICANT], True),
    ],
)
def test_one_significant_span_makes_a_pair_significant(severities: list[Severity], *, significant: bool) -> None:
    """Critical and significant count alike, insignificant never adds up, and no span at all is insignificant."""
    assert is_clinically_significant(severities) is significant


@given(st.lists(st.sampled_from(Severity)), st.lists(st.sampled_from(Severity)))
def test_further_spans_never_make_a_pair_less_significant(some: list[Severity], more: list[Severity]) -> None:
    """The rule is monotone and blind to order."""
    assert is_clinically_significant(some + more) == is_clinically_significant(more + some)
    assert is_clinically_significant(some + more) >= is_clinically_significant(some)


@pytest.mark.parametrize(
    ("importance", "actionable"),
    [
        (Importance.URGENT, True),
        (Importance.ACTIONABLE, True),
        (Importance.FOLLOW_UP, False),
        (Importance.INCIDENTAL, False),
        (Importance.EXPECTED, False),
    ],
)
def test_urgent_and_actionable_findings_ask_for_something(importance: Importance, *, actionable: bool) -> None:
    """Nothing is done now about what is looked at again, incidental or expected."""
    assert importance.is_actionable is actionable


def test_each_step_of_importance_weighs_less_than_the_one_above() -> None:
    """Five steps from 1 to a twentieth; moved up and down they end at the ends."""
    weights = [step.weight for step in Importance]
    assert weights == sorted(set(weights), reverse=True) == [1.0, 0.5, 0.2, 0.1, 0.05]
    assert [step.moved(1) for step in Importance] == [Importance.URGENT, *list(Importance)[:-1]]
    assert [step.moved(-1) for step in Importance] == [*list(Importance)[1:], Importance.EXPECTED]
    assert Importance.FOLLOW_UP.words == "follow-up"


@pytest.mark.parametrize(
    ("weight", "severity"),
    [
        (0.0, INSIGNIFICANT),
        (0.149, INSIGNIFICANT),
        (0.5 * 0.3, SIGNIFICANT),
        (0.25 * 0.6, SIGNIFICANT),
        (1.0, SIGNIFICANT),
    ],
)
def test_severity_is_a_cut_of_the_weight(weight: float, severity: Severity) -> None:
    """From .15, which is what can change care wrong by three tenths, or what is looked at again missing."""
    assert severity_of(weight) is severity


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_more_weight_is_never_less_severe(a: float, b: float) -> None:
    """The classes keep the order of the weights."""
    low, high = sorted((a, b))
    assert severity_of(high).counts_as_significant >= severity_of(low).counts_as_significant
