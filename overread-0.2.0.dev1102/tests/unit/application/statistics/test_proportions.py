"""Shares with weights: Wilson's interval where weights are equal, and one that covers where they are not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.application.statistics.proportions import Share, wilson


def _share(*rows: tuple[bool, float]) -> Share:
    share = Share()
    for is_so, weight in rows:
        share.count(is_so, weight)
    return share


@pytest.mark.parametrize(
    ("so", "rows", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_is_as_published(so: int, rows: int, low: float, high: float) -> None:
    """The four examples of Newcombe, Statistics in Medicine 17, 1998, table I, method 3."""
    assert list(wilson(so / rows, rows)) == pytest.approx([low, high], abs=5e-5)


@given(st.integers(0, 40), st.integers(1, 40), st.floats(0.01, 1000))
def test_equal_weights_give_wilsons_interval(so: int, others: int, weight: float) -> None:
    """However much each row stands for, as long as it is the same."""
    share = _share(*[(True, weight)] * so, *[(False, weight)] * others)
    estimate = share.estimate
    low, high = wilson(so / (so + others), so + others)
    assert share.effective == pytest.approx(so + others)
    assert [estimate.value, estimate.low, estimate.high] == pytest.approx([so / (so + others), low, high], abs=1e-12)


def test_the_weighted_share_by_hand() -> None:
    """What the rows tell is the less of what their spread and their weights alone say."""
    heavy_and_rare = _share((True, 6.0), *[(False, 1.0)] * 24)
    # p = 6 / 30; V = (0.8^2 * 36 + 0.2^2 * 24) / 30^2 = 24 / 900; p (1 - p) / V = 6; Kish: 900 / 60 = 15
    assert heavy_and_rare.estimate.value == pytest.approx(0.2)
    assert heavy_and_rare.effective == pytest.approx(6.0)
    light_and_rare = _share((True, 1.0), *[(False, 1.0)] * 3, (False, 6.0))
    # p = 1 / 10; V = (0.9^2 * 1 + 0.1^2 * 39) / 100 = 1.2 / 100; p (1 - p) / V = 7.5; Kish: 100 / 40 = 2.5
    assert light_and_rare.effective == pytest.approx(2.5)
    assert _share((True, 3.0), (True, 1.0)).effective == pytest.approx(16 / 10)


def test_without_a_row_nothing_is_told() -> None:
    """Neither a value nor an interval is made up."""
    estimate = Share().estimate
    assert (estimate.value, estimate.low, estimate.high) == (None, None, None)


@given(st.lists(st.tuples(st.booleans(), st.floats(0.5, 500)), min_size=1, max_size=30))
def test_an_interval_holds_its_share_and_stays_within_bounds(rows: list[tuple[bool, float]]) -> None:
    """Whatever the weights; and no row is worth more than itself."""
    share = _share(*rows)
    estimate = share.estimate
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0
    assert 0.0 < share.effective <= len(rows) + 1e-9


@pytest.mark.parametrize("rate", [0.6, 0.9, 0.97])
def test_intervals_of_weighted_rows_cover(rate: float) -> None:
    """Of shares in rows drawn by their risk, where the riskier are the less concordant, at least 93 of 100 do."""
    source = random.Random(7)  # noqa: S311 - a simulation
    covered = 0
    for _ in range(1000):
        share = Share()
        for _ in range(80):
            risky = source.random() < 0.6
            share.count(source.random() < (2 * rate - 1 if risky else rate + 0.02), 1.0 if risky else 15.0)
        estimate = share.estimate
        truth = _truth(rate)
        covered += (estimate.low or 0.0) <= truth <= (1.0 if estimate.high is None else estimate.high)
    assert covered >= 930


def _truth(rate: float) -> float:
    """The share among all that the rows above are drawn from."""
    risky, others = 0.6 * 1.0, 0.4 * 15.0
    return (risky * (2 * rate - 1) + others * (rate + 0.02)) / (risky + others)
