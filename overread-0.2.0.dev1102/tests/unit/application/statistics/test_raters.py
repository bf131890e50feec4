"""Agreement between raters, with ratings missing here and there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from overread.application.statistics import Estimate, Resampling, mean_rating, rater_agreement
from overread.application.statistics.measures import MEASURES

NAN = np.nan


def test_every_pair_of_raters_over_the_rows_that_both_rated() -> None:
    """By hand: the first two differ by 0, 1 and 2, the others by 1 and 3 over what both rated."""
    ratings = np.array([[1, 1, NAN], [2, 3, 3], [5, 3, 2], [NAN, NAN, 4]])
    told = rater_agreement(MEASURES["mae"], ratings, Resampling.by_study("abcd", draws=200))
    assert told.pairs[0][1].value == pytest.approx(1)
    assert told.pairs[0][2].value == pytest.approx(2)
    assert told.pairs[1][2].value == pytest.approx(0.5)
    assert told.pairs[1][0] == told.pairs[0][1]
    assert told.pairs[1][1] == Estimate(None)
    assert told.mean_of_pairs.value == pytest.approx(3.5 / 3)
    # The third against the mean of the others: 2.5, 4, and nobody in the first and last row.
    assert told.against_others[2].value == pytest.approx((0.5 + 2) / 2)


def test_a_rater_against_the_mean_of_the_others() -> None:
    """As scipy has it, and the means over raters and pairs lie within their intervals."""
    random = np.random.default_rng(0)
    ratings = random.poisson(3, 40)[:, None] + random.integers(0, 3, (40, 4)).astype(float)
    told = rater_agreement(
        MEASURES["kendall"], ratings, Resampling.by_study([str(row // 2) for row in range(40)], draws=500)
    )
    against = [stats.kendalltau(ratings[:, one], np.delete(ratings, one, 1).mean(axis=1)).statistic for one in range(4)]
    assert [estimate.value for estimate in told.against_others] == pytest.approx(against)
    assert told.mean_against_others.value == pytest.approx(np.mean(against))
    pairs = [stats.kendalltau(ratings[:, one], ratings[:, two]).statistic for one in range(4) for two in range(one)]
    mean = told.mean_of_pairs
    assert mean.value == pytest.approx(np.mean(pairs))
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low < np.mean(pairs) < mean.high


def test_raters_without_a_row_in_common_have_no_figure() -> None:
    """A pair that has one carries the mean alone."""
    ratings = np.array([[1, 2, NAN], [2, 3, NAN], [3, 5, NAN], [NAN, NAN, 1]])
    told = rater_agreement(MEASURES["kendall"], ratings, Resampling.by_study("abcd", draws=50))
    assert told.pairs[0][2] == told.against_others[2] == Estimate(None)
    assert told.mean_of_pairs.value == pytest.approx(1)


@pytest.mark.parametrize("raters", [0, 1])
def test_one_rater_agrees_with_nobody(raters: int) -> None:
    """Agreement takes two."""
    told = rater_agreement(MEASURES["kendall"], np.ones((3, raters)), Resampling.by_study("abc", draws=10))
    assert told.mean_of_pairs == told.mean_against_others == Estimate(None)


def test_a_mean_rating_is_of_the_raters_there_are() -> None:
    """A rating that is missing is left out, not counted as nought."""
    np.testing.assert_array_equal(mean_rating(np.array([[1, NAN, 2], [NAN] * 3])), [1.5, NAN])
