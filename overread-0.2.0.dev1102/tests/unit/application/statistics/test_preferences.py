"""Accuracy of preferences, ties and divided raters, and by confidence."""

from __future__ import annotations

import numpy as np
import pytest

from overread.application.statistics import (
    Estimate,
    Resampling,
    find_preferred,
    preference_accuracy,
    preference_credit,
    preference_wins,
)

NAN = np.nan


def alone(rows: int) -> Resampling:
    return Resampling.by_study([str(row) for row in range(rows)], draws=200)


def test_most_raters_decide_and_divided_ones_do_not() -> None:
    """Raters who abstain do not vote."""
    votes = np.array([[1, 1], [-1, 0], [1, -1], [0, 0], [NAN, -1], [NAN, NAN]])
    np.testing.assert_array_equal(find_preferred(votes), [1, -1, NAN, NAN, -1, NAN])


def test_a_tie_of_scores_counts_one_half() -> None:
    """A metric that cannot tell two candidates apart is right as often as a coin."""
    credit = preference_credit(np.array([2.0, -0.1, 0.0, 3.0, NAN, 1.0]), np.array([1.0, 1, -1, -1, 1, NAN]))
    np.testing.assert_array_equal(credit, [1, 0, 0.5, 0, NAN, NAN])


def test_a_tie_of_scores_is_not_won() -> None:
    """As in RadOT-Eval, Table IV: the corrupted report has the greater risk, or it is no win."""
    won = preference_wins(np.array([2.0, -0.1, 0.0, 3.0, NAN, 1.0]), np.array([1.0, 1, -1, -1, 1, NAN]))
    np.testing.assert_array_equal(won, [1, 0, 0, 0, NAN, NAN])


def test_what_is_left_out_is_counted() -> None:
    """Right, wrong, tied; one comparison without a score, one undecided and also unscored."""
    margin = np.array([2.0, -1.0, 0.0, NAN, NAN])
    votes = np.array([[1.0], [1.0], [-1.0], [1.0], [0.0]])
    told = preference_accuracy(margin, votes, alone(5))
    assert told.accuracy.value == pytest.approx(0.5)
    assert told.won.value == pytest.approx(1 / 3)
    assert (told.comparisons, told.ties, told.undecided, told.unscored) == (3, 1, 1, 1)
    assert told.by_confidence == ()


def test_accuracy_by_confidence_is_of_those_at_least_so_sure() -> None:
    """Mean confidence of two raters: 2, 3.5 and 5; the last two are right."""
    confidence = np.array([[1.0, 3.0], [4.0, 3.0], [5.0, NAN]])
    told = preference_accuracy(np.array([-1.0, 1.0, 1.0]), np.ones((3, 2)), alone(3), confidence=confidence)
    assert [(level.least, level.comparisons) for level in told.by_confidence] == [(2, 3), (3, 2), (4, 1), (5, 1)]
    assert [level.accuracy.value for level in told.by_confidence] == pytest.approx([2 / 3, 1, 1, 1])


def test_without_comparisons_there_is_no_accuracy() -> None:
    """Confidence alone tells nothing."""
    told = preference_accuracy(np.array([NAN]), np.ones((1, 1)), alone(1), confidence=np.array([[5.0]]))
    assert told.accuracy == Estimate(None)
    assert told.by_confidence == ()
