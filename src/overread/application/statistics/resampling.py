"""Drawing studies: with replacement for intervals, and swapping two systems in them for tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.telling import heard_draws
from overread.extras import require

__all__ = ["DRAWS", "Resampling", "interval"]

Weights = npt.NDArray[np.float32]
_Number = TypeVar("_Number", bound=np.generic)

DRAWS: Final = 10_000
"""Draws of every interval and test, as Beyond Scalar Scores appendix B.3 takes."""

MOST_CLUSTERS: Final = 5_000
"""Studies beyond this number are drawn in groups.

The width of an interval from m clusters has a relative standard error of about 1 / sqrt(2m): one per cent here.
"""

_BLOCK: Final = 2**22
_UPPER: Final = 0.975
_FEWEST: Final = 2


@frozen(kw_only=True, eq=False)
class Resampling:
    """Draws of whole studies: all rows of a study come and go together, as they share a reference.

    The draws depend on the number of studies and the seed alone, so that every metric, target and measure meets the
    same ones, whatever rows it lacks. Nothing larger than some 16 MB is held at a time.

    Attributes:
        clusters: by row, which cluster it belongs to: the rank of its study by name or, of more than 5,000 studies, one
            of 5,000 groups that the studies are dealt to at random.
        count: clusters there are.
        draws: how many draws.
        seed: of the draws.
    """

    clusters: npt.NDArray[np.intp] = field(repr=False)
    count: int
    draws: int = DRAWS
    seed: int = 0

    @classmethod
    def by_study(cls, studies: Sequence[str], *, draws: int = DRAWS, seed: int = 0) -> Resampling:
        """Draws for rows whose studies are given, in order of the rows.

        Raises:
            ValueError: if ``draws`` is below 1.
        """
        names, clusters = np.unique(np.asarray(list(studies), dtype=np.str_), return_inverse=True)
        return cls._of(clusters, len(names), draws, seed)

    @classmethod
    def by_row(cls, rows: int, *, draws: int = DRAWS, seed: int = 0) -> Resampling:
        """Resampling of rows that are a study each; see `by_study`."""
        return cls._of(np.arange(rows), rows, draws, seed)

    @classmethod
    def _of(cls, clusters: npt.NDArray[np.intp], count: int, draws: int, seed: int) -> Resampling:
        if draws < 1:
            raise ValueError(f"draws must be at least 1, not {draws}")
        if count > MOST_CLUSTERS:
            dealt = np.arange(count) % MOST_CLUSTERS
            np.random.default_rng((seed, 2)).shuffle(dealt)
            clusters, count = dealt[clusters], MOST_CLUSTERS
        return cls(clusters=clusters.astype(np.intp), count=count, draws=draws, seed=seed)

    def counts(self) -> Iterator[Weights]:
        """Blocks of draws x clusters: how often a draw takes a cluster; each draw takes as many as there are."""
        size = max(1, _BLOCK // max(1, self.count))
        if self.draws <= size:
            yield _only_block(self.count, self.draws, self.seed)
            heard_draws(self.draws * self.count)
            return
        random = np.random.default_rng((self.seed, 0))
        for start in range(0, self.draws, size):
            block = _tally(random, min(size, self.draws - start), self.count)
            yield block
            heard_draws(block.size)

    def weights(self, rows: npt.NDArray[np.bool_] | None = None) -> Iterator[Weights]:
        """Blocks of draws x rows: how often a draw takes a row.

        Args:
            rows: which of the rows to tell of, all of them by default.
        """
        return self._spread(self.counts(), rows)

    def swaps(self) -> Iterator[npt.NDArray[np.bool_]]:
        """Blocks of draws x clusters: whether two systems change places in a cluster, each with probability one half.

        Where there are no more ways to do so than draws, each way comes once: see `swaps_are_complete`.
        """
        if self.swaps_are_complete:
            ways = np.arange(2**self.count)[:, None]
            yield (ways >> np.arange(self.count)) & 1 == 1
            return
        random = np.random.default_rng((self.seed, 1))
        size = max(1, _BLOCK // self.count)
        for start in range(0, self.draws, size):
            yield random.random((min(size, self.draws - start), self.count), dtype=np.float32) < 0.5  # noqa: PLR2004

    def row_swaps(self, rows: npt.NDArray[np.bool_] | None = None) -> Iterator[npt.NDArray[np.bool_]]:
        """`swaps` as blocks of draws x rows, of the rows named or of all."""
        return self._spread(self.swaps(), rows)

    def held(self, rows: npt.NDArray[np.bool_]) -> int:
        """Number of clusters that these rows belong to: what an interval over them rests on."""
        return int(np.count_nonzero(np.bincount(self.clusters[rows], minlength=self.count)))

    @property
    def swaps_are_complete(self) -> bool:
        """True if `swaps` goes through every possible way instead of drawing some."""
        return self.count < self.draws.bit_length()

    def _spread(
        self, blocks: Iterator[npt.NDArray[_Number]], rows: npt.NDArray[np.bool_] | None
    ) -> Iterator[npt.NDArray[_Number]]:
        clusters = self.clusters if rows is None else self.clusters[rows]
        size = max(1, _BLOCK // max(1, len(clusters)))
        for block in blocks:
            for start in range(0, len(block), size):
                part = block[start : start + size, clusters]
                yield part
                heard_draws(part.size)


def interval(values: npt.ArrayLike, clusters: int) -> tuple[float | None, float | None]:
    """Ends of the 95 % interval over the draws in which a figure is defined; None where nothing is known of its spread.

    Percentiles, linear between draws, and wider than 2.5 and 97.5 by what the bootstrap of few clusters is too narrow:
    for m clusters the tail is that of the normal distribution beyond t * sqrt(m / (m - 1)), t the 97.5 % quantile of
    Student's t with m - 1 degrees of freedom (the expanded percentile interval of Hesterberg, "What teachers should
    know about the bootstrap", The American Statistician 69, 2015). With 50 clusters it is from percentile 2.1 to 97.9.

    Args:
        values: the figure in each draw.
        clusters: that the figure rests on. With fewer than two every draw is the same, and there is no interval.
    """
    drawn = np.asarray(values, dtype=np.float64)
    drawn = drawn[np.isfinite(drawn)]
    if not drawn.size or clusters < _FEWEST:
        return None, None
    tail = 100 * _tail(clusters)
    low, high = np.percentile(drawn, (tail, 100 - tail))
    return float(low), float(high)


@lru_cache(maxsize=256)
def _tail(clusters: int) -> float:
    """Share of draws beyond each end."""
    require("an interval", "statistics", "scipy")
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415 - scipy is slow to import

    quantile = stdtrit(clusters - 1, _UPPER) * math.sqrt(clusters / (clusters - 1))
    return float(ndtr(-quantile))


@lru_cache(maxsize=4)
def _only_block(count: int, draws: int, seed: int) -> Weights:
    block = _tally(np.random.default_rng((seed, 0)), draws, count)
    block.setflags(write=False)
    return block


def _tally(random: np.random.Generator, draws: int, count: int) -> Weights:
    if count == 0:
        return np.zeros((draws, 0), dtype=np.float32)
    taken = random.integers(0, count, size=(draws, count))
    taken += np.arange(draws)[:, None] * count
    return np.bincount(taken.ravel(), minlength=draws * count).reshape(draws, count).astype(np.float32)
