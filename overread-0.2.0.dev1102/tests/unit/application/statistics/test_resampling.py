"""Draws: whole studies, the same whatever the block, and memory that stays small."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from overread.application.statistics import Resampling, interval, resampling

STUDIES = ["b", "a", "b", "c", "a", "b"]


def bootstrap_weights(studies: Sequence[str], draws: int, seed: int) -> resampling.Weights:
    """All blocks of draws at once."""
    return np.concatenate(list(Resampling.by_study(studies, draws=draws, seed=seed).weights()))


def test_rows_of_a_study_come_and_go_together() -> None:
    """Rows of a study depend on each other."""
    weights = bootstrap_weights(STUDIES, 200, 3)
    assert weights.shape == (200, 6)
    assert weights.dtype == np.float32
    np.testing.assert_array_equal(weights[:, 0], weights[:, 2])
    np.testing.assert_array_equal(weights[:, 1], weights[:, 4])


def test_each_draw_takes_as_many_studies_as_there_are() -> None:
    """With replacement: over many draws each of three studies is left out (2/3)^3 of the time."""
    weights = bootstrap_weights(STUDIES, 20_000, 0)[:, [0, 1, 3]]
    assert (weights.sum(axis=1) == 3).all()
    np.testing.assert_allclose((weights == 0).mean(axis=0), 8 / 27, atol=0.015)


def test_draws_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory can be bounded without changing an interval."""
    whole = bootstrap_weights(STUDIES, 100, 7)
    swaps = np.concatenate(list(Resampling.by_study([str(row) for row in range(20)], draws=100).swaps()))
    monkeypatch.setattr(resampling, "_BLOCK", 16)
    blocks = list(Resampling.by_study(STUDIES, draws=100, seed=7).weights())
    assert max(map(len, blocks)) < 10
    np.testing.assert_array_equal(np.concatenate(blocks), whole)
    smaller = Resampling.by_study([str(row) for row in range(20)], draws=100)
    np.testing.assert_array_equal(np.concatenate(list(smaller.swaps())), swaps)


def test_draws_depend_on_the_seed_and_not_on_the_order_of_rows() -> None:
    """A sorted file has the same intervals."""
    weights = bootstrap_weights(STUDIES, 50, 1)
    np.testing.assert_array_equal(bootstrap_weights(STUDIES[::-1], 50, 1), weights[:, ::-1])
    assert (bootstrap_weights(STUDIES, 50, 2) != weights).any()


def test_a_metric_that_lacks_rows_meets_the_same_draws() -> None:
    """Metrics are compared draw by draw."""
    rows = np.array([True, False, True, True, False, False])
    drawn = Resampling.by_study(STUDIES, draws=50, seed=1)
    np.testing.assert_array_equal(np.concatenate(list(drawn.weights(rows))), bootstrap_weights(STUDIES, 50, 1)[:, rows])


def test_very_many_studies_are_drawn_in_groups() -> None:
    """All rows of a study stay together, groups are equally large, and no block grows with the rows."""
    many = 4 * resampling.MOST_CLUSTERS
    drawn = Resampling.by_study([f"{row // 2}" for row in range(2 * many)], draws=10)
    assert drawn.count == resampling.MOST_CLUSTERS
    assert set(np.bincount(drawn.clusters)) == {8}
    np.testing.assert_array_equal(drawn.clusters[::2], drawn.clusters[1::2])
    assert all(block.size <= resampling._BLOCK for block in drawn.weights())


def test_few_studies_are_swapped_in_every_way_once() -> None:
    """With few studies the test is exact."""
    drawn = Resampling.by_study(STUDIES, draws=8)
    (swaps,) = drawn.swaps()
    assert drawn.swaps_are_complete
    assert len(np.unique(swaps, axis=0)) == len(swaps) == 8
    assert not Resampling.by_study(STUDIES, draws=7).swaps_are_complete


def test_an_interval_is_of_the_draws_that_are_defined() -> None:
    """Draws without a value are left out; without any there is no interval."""
    assert interval([np.nan, *range(201)], 10**6) == pytest.approx((5.0, 195.0), abs=0.01)
    assert interval([np.nan, np.inf], 50) == (None, None)


@pytest.mark.parametrize("clusters", [2, 5, 10, 50, 1000])
def test_an_interval_is_wider_where_clusters_are_few(clusters: int) -> None:
    """The tails of Hesterberg's expanded percentile interval, by the distributions of scipy.stats."""
    quantile = stats.t.ppf(0.975, clusters - 1) * np.sqrt(clusters / (clusters - 1))
    tail = stats.norm.sf(quantile)
    assert tail < 0.025
    low, high = interval(np.linspace(0, 1, 100_001), clusters)
    assert (low, high) == pytest.approx((tail, 1 - tail), abs=1e-6)


@pytest.mark.parametrize("clusters", [0, 1])
def test_one_cluster_has_no_interval(clusters: int) -> None:
    """Every draw is the same, which says nothing of the spread between clusters."""
    assert interval([0.5] * 10, clusters) == (None, None)


def test_an_interval_rests_on_the_clusters_of_its_rows() -> None:
    """Not on all there are: of three studies two have a row that counts."""
    resampling = Resampling.by_study(["a", "a", "b", "c"], draws=10)
    assert resampling.held(np.array([True, True, False, True])) == 2
    assert resampling.held(np.zeros(4, dtype=bool)) == 0


def test_no_draws_are_refused() -> None:
    """An interval of no draws would be NaN."""
    with pytest.raises(ValueError, match="at least 1"):
        Resampling.by_study(STUDIES, draws=0)
