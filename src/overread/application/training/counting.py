"""Error counters tried on pairs whose errors are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.ports import ErrorCounter
from overread.application.scoring.evaluate import Progress, batches
from overread.application.studies.reader_checks.report import Figure
from overread.domain.annotation import AnnotatedPair
from overread.domain.error_counts import ErrorCounts

__all__ = ["CountingReport", "RankCorrelation", "try_counter"]

Array = npt.NDArray[np.float64]

_RESAMPLES: Final = 1000
_BATCH: Final = 512


class RankCorrelation(Protocol):
    """A rank correlation of two lists of numbers, -1 to 1; NaN where one of them is constant."""

    def __call__(self, predicted: Array, counted: Array) -> float:
        """The correlation."""
        ...


@frozen(kw_only=True)
class CountingReport:
    """How near an error counter comes to known counts, with 95 % bootstrap intervals over studies.

    Attributes:
        pairs, studies: how many were counted; ``unscored`` more could not be.
        errors: mean absolute error by head (CREPE section 4.6), 0 or more, lower is better.
        total_error: mean absolute error of the sum of the counts.
        correlation: Kendall's tau-b of the sums, -1 to 1, higher is better; None where it is not defined.
        harmless: pairs without any error, and the mean sum predicted for them, which should be 0.
    """

    pairs: int
    studies: int
    unscored: int
    errors: Mapping[str, Figure]
    total_error: Figure
    correlation: Figure
    harmless: int
    harmless_total: float | None


def try_counter(
    counter: ErrorCounter,
    pairs: Sequence[AnnotatedPair],
    correlation: RankCorrelation,
    *,
    seed: int = 0,
    on_progress: Progress | None = None,
) -> CountingReport:
    """Counts the errors of every pair and compares them with those known; pairs that cannot be counted are left out."""
    answers: list[object] = []
    for batch in batches(pairs, _BATCH):
        answers += counter.count([counted.pair for counted in batch])
        if on_progress is not None:
            on_progress(len(answers))
    told = [(pair, a) for pair, a in zip(pairs, answers, strict=True) if isinstance(a, ErrorCounts)]
    heads = tuple(pairs[0].ratings) if pairs else ()
    predicted = np.array([[counts.counts[head] for head in heads] for _, counts in told]).reshape(len(told), len(heads))
    known = np.array([[pair.mean(head) for head in heads] for pair, _ in told]).reshape(predicted.shape)
    resample = _Resampling([pair.study for pair, _ in told], seed)
    totals, sums = predicted.sum(axis=1), known.sum(axis=1)
    harmless = sums == 0
    return CountingReport(
        pairs=len(told),
        studies=len(set(resample.studies)),
        unscored=len(pairs) - len(told),
        errors={head: resample.mean(np.abs(predicted[:, i] - known[:, i])) for i, head in enumerate(heads)},
        total_error=resample.mean(np.abs(totals - sums)),
        correlation=resample.figure(lambda rows: correlation(totals[rows], sums[rows])),
        harmless=int(harmless.sum()),
        harmless_total=float(totals[harmless].mean()) if harmless.any() else None,
    )


class _Resampling:
    """Bootstrap over studies: pairs of one study come and go together."""

    def __init__(self, studies: Sequence[str], seed: int) -> None:
        self.studies = list(studies)
        members: dict[str, list[int]] = {}
        for index, study in enumerate(self.studies):
            members.setdefault(study, []).append(index)
        self._members = [np.array(rows) for rows in members.values()]
        self._seed = seed

    def mean(self, values: Array) -> Figure:
        """The mean of a value a pair."""
        if not len(values):
            return Figure(None, None, None)
        sums = np.array([values[rows].sum() for rows in self._members])
        sizes = np.array([len(rows) for rows in self._members])
        draws = np.random.default_rng(self._seed).integers(len(sums), size=(_RESAMPLES, len(sums)))
        return _figure(float(values.mean()), sums[draws].sum(axis=1) / sizes[draws].sum(axis=1))

    def figure(self, measure: Callable[[npt.NDArray[np.int64]], float]) -> Figure:
        """Any measure of the pairs at some rows."""
        if not self.studies:
            return Figure(None, None, None)
        draws = np.random.default_rng(self._seed)
        values = [
            measure(
                np.concatenate([self._members[i] for i in draws.integers(len(self._members), size=len(self._members))])
            )
            for _ in range(_RESAMPLES)
        ]
        return _figure(measure(np.arange(len(self.studies))), np.array(values))


def _figure(value: float, resampled: Array) -> Figure:
    finite = resampled[np.isfinite(resampled)]
    if not np.isfinite(value) or not len(finite):
        return Figure(None, None, None)
    low, high = np.quantile(finite, (0.025, 0.975))
    return Figure(value, float(low), float(high))
