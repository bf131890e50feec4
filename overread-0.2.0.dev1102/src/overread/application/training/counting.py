"""Error counters tried on pairs whose errors are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.batching import batches
from overread.application.ports import ErrorCounter
from overread.application.scoring.evaluate import Progress
from overread.application.statistics import Estimate, Resampling, estimate, estimate_mean
from overread.application.statistics.correlations import Kendall
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.error_counts import ErrorCounts

__all__ = ["CountingReport", "try_counter"]

Array = npt.NDArray[np.float64]

_DRAWS: Final = 1000
_BATCH: Final = 512


@frozen(kw_only=True)
class CountingReport:
    """Accuracy of an error counter against known counts, with 95 % bootstrap intervals over studies.

    Attributes:
        pairs, studies: numbers that were counted; ``unscored`` more pairs could not be.
        errors: mean absolute error by head (CREPE section 4.6), 0 or more, lower is better.
        total_error: mean absolute error of the sum of the counts.
        correlation: Kendall's tau-b of the sums, -1 to 1, higher is better; None where it is not defined.
        harmless: pairs without any error, and the mean sum predicted for them, which should be 0.
    """

    pairs: int
    studies: int
    unscored: int
    errors: Mapping[str, Estimate]
    total_error: Estimate
    correlation: Estimate
    harmless: int
    harmless_total: float | None


def try_counter(
    counter: ErrorCounter,
    pairs: Sequence[AnnotatedPair],
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
    answered = [(pair, a) for pair, a in zip(pairs, answers, strict=True) if isinstance(a, ErrorCounts)]
    heads = tuple(pairs[0].ratings) if pairs else ()
    predicted = np.array([[counts.counts[head] for head in heads] for _, counts in answered]).reshape(
        len(answered), len(heads)
    )
    known = np.array([[pair.mean(head) for head in heads] for pair, _ in answered]).reshape(predicted.shape)
    studies = [pair.study for pair, _ in answered]
    resampling = Resampling.by_study(studies, draws=_DRAWS, seed=seed)
    totals, sums = predicted.sum(axis=1), known.sum(axis=1)
    harmless = sums == 0
    return CountingReport(
        pairs=len(answered),
        studies=len(set(studies)),
        unscored=len(pairs) - len(answered),
        errors={head: estimate_mean(np.abs(predicted[:, i] - known[:, i]), resampling) for i, head in enumerate(heads)},
        total_error=estimate_mean(np.abs(totals - sums), resampling),
        correlation=estimate(Kendall(), totals, sums, resampling),
        harmless=int(harmless.sum()),
        harmless_total=float(totals[harmless].mean()) if harmless.any() else None,
    )
