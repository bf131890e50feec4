"""Discrimination and robustness at the maximin threshold, and of verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.application.statistics import (
    Resampling,
    compare_discrimination,
    discriminate,
    discriminate_verdicts,
    trade_off,
)

SIGNIFICANT = np.array([True, True, True, True, False, False, False, False])


def alone(rows: int = 8) -> Resampling:
    return Resampling.by_study([str(row) for row in range(rows)], draws=2_000)


def test_thresholds_trade_one_for_the_other() -> None:
    """Worked by hand: at 3 three of four significant pairs are called so, and three of four others are not."""
    curve = trade_off(np.array([5.0, 4.0, 3.0, 1.0, 4.0, 2.0, 1.0, 0.0]), SIGNIFICANT)
    assert curve.thresholds.tolist() == [0, 1, 2, 3, 4, 5, np.inf]
    assert curve.discrimination.tolist() == [1, 1, 0.75, 0.75, 0.5, 0.25, 0]
    assert curve.robustness.tolist() == [0, 0.25, 0.5, 0.75, 0.75, 1, 1]
    assert curve.thresholds[curve.maximin] == 3


def test_among_equals_the_better_average_and_then_the_lower_threshold_is_taken() -> None:
    """min(D, R) is one half at 2 and at 3 alike; D is greater at 2."""
    curve = trade_off(np.array([3.0, 2.0, 3.0, 0.0]), np.array([True, True, False, False]))
    assert (curve.discrimination.tolist(), curve.robustness.tolist()) == ([1, 1, 0.5, 0], [0, 0.5, 0.5, 1])
    assert curve.thresholds[curve.maximin] == 2


@given(
    st.lists(st.integers(0, 6).map(float), min_size=2, max_size=15),
    st.lists(st.integers(0, 6).map(float), min_size=2, max_size=15),
)
def test_no_threshold_does_better_than_the_maximin(worse: list[float], better: list[float]) -> None:
    """Against every threshold there could be, tried one by one."""
    badness, significant = np.array(worse + better), np.array([True] * len(worse) + [False] * len(better))
    curve = trade_off(badness, significant)
    best = max(
        min((badness[significant] >= cut).mean(), (badness[~significant] < cut).mean()) for cut in np.arange(-1, 9, 0.5)
    )
    assert min(curve.discrimination[curve.maximin], curve.robustness[curve.maximin]) == pytest.approx(best)


def test_scores_are_cut_at_the_maximin_threshold() -> None:
    """D 0.75, R 0.5 where the best threshold is uneven, and a pair without a score counts in neither."""
    badness = np.array([5.0, 4.0, 3.0, 1.0, 4.0, 3.0, 1.0, 0.0, np.nan])
    told = discriminate(badness, np.append(SIGNIFICANT, True), alone(9))
    assert told is not None
    assert (told.threshold, told.discrimination.value, told.robustness.value) == (3, 0.75, 0.5)
    assert (told.average.value, told.gap.value) == (0.625, 0.25)
    assert told.right.tolist()[:-1] == [1, 1, 1, 0, 0, 0, 1, 1]
    assert np.isnan(told.right[-1])
    assert told.curve is not None


def test_verdicts_need_no_threshold() -> None:
    """D and R weigh the same, however many pairs of either kind there are."""
    verdicts = np.array([1.0, 1.0, 0.0, 1.0, 0.0, np.nan])
    told = discriminate_verdicts(verdicts, np.array([True, True, True, True, False, False]), alone(6))
    assert told is not None
    assert (told.threshold, told.curve) == (None, None)
    assert (told.discrimination.value, told.robustness.value, told.average.value) == (0.75, 1, 0.875)
    assert told.gap.value == pytest.approx(0.25)


def test_pairs_of_one_kind_tell_nothing() -> None:
    """Both shares need pairs of their own kind."""
    assert discriminate(np.array([1.0, 2.0, np.nan]), np.array([True, True, False]), alone(3)) is None
    assert discriminate_verdicts(np.ones(3), np.zeros(3, dtype=bool), alone(3)) is None
    with pytest.raises(ValueError, match="with and without"):
        trade_off(np.ones(2), np.ones(2, dtype=bool))


def test_intervals_are_as_wide_as_the_papers() -> None:
    """Beyond Scalar Scores Table 7: CRIMSON's 75.0, 80.5 and 77.8 have half-widths of 6.0, 5.5 and 4.2 points.

    With 200 pairs of either kind, as its figures in halves of a point imply.
    """
    significant = np.arange(400) < 200
    verdicts = np.where(significant, np.arange(400) < 150, np.arange(400) < 239).astype(float)
    told = discriminate_verdicts(verdicts, significant, alone(400))
    assert told is not None
    assert (told.discrimination.value, told.robustness.value) == (0.75, 0.805)
    for estimate, half in ((told.discrimination, 0.060), (told.robustness, 0.055), (told.average, 0.042)):
        assert estimate.low is not None
        assert estimate.high is not None
        assert (estimate.high - estimate.low) / 2 == pytest.approx(half, abs=0.005)


def test_two_metrics_are_compared_by_their_average() -> None:
    """The difference is that of the averages of D and R."""
    one = discriminate_verdicts(np.array([1.0, 1, 1, 1, 0, 0, 0, 0]), SIGNIFICANT, alone())
    other = discriminate_verdicts(np.array([1.0, 0, 0, 1, 0, 1, 0, 0]), SIGNIFICANT, alone())
    assert one is not None
    assert other is not None
    told = compare_discrimination(one, other, SIGNIFICANT, alone())
    assert told.difference.value == pytest.approx(1 - (0.5 + 0.75) / 2)


def test_pairs_that_one_metric_did_not_score_weigh_in_neither() -> None:
    """The same verdicts are the same, though one metric leaves most significant pairs unscored."""
    verdicts = np.array([1.0, 1, 1, 0, 1, 0, 0, 0])
    few = discriminate_verdicts(np.where(np.arange(8) < 3, np.nan, verdicts), SIGNIFICANT, alone())
    every = discriminate_verdicts(verdicts, SIGNIFICANT, alone())
    assert few is not None
    assert every is not None
    told = compare_discrimination(few, every, SIGNIFICANT, alone())
    assert (told.difference.value, told.bootstrap_p, told.randomisation_p, told.rows) == (0, 1, 1, 5)


def test_metrics_that_share_pairs_of_one_kind_alone_are_not_compared() -> None:
    """Only pairs that both have scored count."""
    one = discriminate_verdicts(np.array([1.0, 1, 1, np.nan, 0, 0, 0, 0]), SIGNIFICANT, alone())
    other = discriminate_verdicts(np.array([np.nan, np.nan, np.nan, 1, 0, 0, 0, 0]), SIGNIFICANT, alone())
    assert one is not None
    assert other is not None
    told = compare_discrimination(one, other, SIGNIFICANT, alone())
    assert (told.difference.value, told.randomisation_p, told.rows) == (None, None, 0)
