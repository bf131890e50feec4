"""Severities and the discrimination/robustness rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.severity import Importance, Severity, is_clinically_significant

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
        (Importance.INCIDENTAL, False),
        (Importance.EXPECTED, False),
    ],
)
def test_urgent_and_actionable_findings_ask_for_something(importance: Importance, *, actionable: bool) -> None:
    """What is expected or asks for nothing is not actionable."""
    assert importance.is_actionable is actionable
