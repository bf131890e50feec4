"""Scores as rewards."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.results.result import Scale
from overread.domain.results.reward import as_reward

UP, DOWN = Scale(0.0, 1.0, higher_is_better=True), Scale(0.0, math.inf, higher_is_better=False)


@pytest.mark.parametrize(
    ("score", "scale", "expected"),
    [
        (0.25, UP, 0.25),
        (0.25, Scale(0.0, 1.0, higher_is_better=False), 0.75),
        (-1.0, Scale(-1.0, 1.0, higher_is_better=True), 0.0),
        (0.5, Scale(-1.0, 1.0, higher_is_better=True), 0.75),
        (25.0, Scale(0.0, 100.0, higher_is_better=True), 0.25),
        (0.0, DOWN, 1.0),
        (3.0, DOWN, 0.25),
        (3.0, Scale(0.0, math.inf, higher_is_better=True), 0.75),
    ],
)
def test_worked_cases(score: float, scale: Scale, expected: float) -> None:
    """By hand: two ends are mapped straight, an open scale by s / (1 + s)."""
    assert as_reward(score, scale) == pytest.approx(expected)


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.sampled_from([UP, DOWN, Scale(0.0, math.inf, higher_is_better=True)]))
def test_a_reward_lies_on_its_range_and_keeps_the_order(one: float, other: float, scale: Scale) -> None:
    """Never beyond 0 and 1, and never better for a worse score."""
    rewards = as_reward(one, scale), as_reward(other, scale)
    assert all(0.0 <= reward <= 1.0 for reward in rewards)
    better = (one > other) if scale.higher_is_better else (one < other)
    assert rewards[0] >= rewards[1] if better else True


def test_a_scale_without_a_start_has_no_reward() -> None:
    """It would need a middle that nobody named."""
    with pytest.raises(ValueError, match="cannot be turned into a reward"):
        as_reward(0.0, Scale(-math.inf, math.inf, higher_is_better=True))
