"""The ranking of systems by each metric, tested together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from attrs import field, frozen

from overread.application.statistics import Estimate, PairedDifference, Resampling, holm
from overread.domain.results.scores import Floats
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison._aligned import PairFacts, Source, common_ids, sign
from overread.studies.application.comparison._letters import significance_letters
from overread.studies.application.comparison._means import mean_differences

__all__ = ["Ranking", "rankings_of"]

_SIGNIFICANT: Final = 0.05


@frozen(kw_only=True)
class Ranking:
    """One metric's ranking.

    Attributes:
        metric: its name.
        sign: what a score is multiplied by so that more is better.
        order: the systems, best first, by their place among the sources.
        means: of each source.
        tests: the paired difference of two sources, by their places, the smaller first.
        p_values: of the tests, after Holm's correction over those of all metrics.
        letters: of the systems in ``order``.
        pairs: that every system has a score for.
    """

    metric: str
    sign: float
    order: tuple[int, ...]
    means: tuple[Estimate, ...]
    tests: Mapping[tuple[int, int], PairedDifference] = field(repr=False)
    p_values: Mapping[tuple[int, int], float | None] = field(repr=False)
    letters: tuple[str, ...]
    pairs: int


@frozen(kw_only=True)
class _Tested:
    """Means and tests of one metric, before the tests are corrected."""

    metric: str
    sign: float
    means: tuple[Estimate, ...]
    tests: Mapping[tuple[int, int], PairedDifference] = field(repr=False)
    pairs: int


def rankings_of(
    sources: Sequence[Source], metrics: Sequence[str], facts: PairFacts, draws: int, seed: int
) -> list[Ranking]:
    """The ranking by each metric. Raises `ConfigurationError` where no pair is scored in every file."""
    outcomes = [_test_metric(sources, metric, facts, draws, seed) for metric in metrics]
    corrected = iter(holm([test.randomisation_p for outcome in outcomes for test in outcome.tests.values()]))
    return [_ranking_of(sources, outcome, {two: next(corrected) for two in outcome.tests}) for outcome in outcomes]


def _test_metric(sources: Sequence[Source], metric: str, facts: PairFacts, draws: int, seed: int) -> _Tested:
    held = [source.metrics[metric] for source in sources]
    ids = common_ids(held)
    scores = np.stack([result.on(result.scores, ids) for result in held]) if ids else np.empty((len(held), 0))
    scored = ~np.isnan(scores).any(axis=0)
    if not scored.any():
        raise ConfigurationError([f"{metric}: no pair is scored in every file; are the ids the same?"])
    rows = [np.asarray(row[scored], dtype=np.float64) for row in scores]
    studies = facts.studies_of([name for name, there in zip(ids, scored, strict=True) if there])
    twos = list(combinations(range(len(held)), 2))
    columns: list[Floats] = [*rows, *(rows[i] - rows[j] for i, j in twos)]
    differences = mean_differences(columns, Resampling.by_study(studies, draws=draws, seed=seed))
    return _Tested(
        metric=metric,
        sign=sign(higher_is_better=held[0].higher_is_better),
        means=tuple(difference.difference for difference in differences[: len(held)]),
        tests=dict(zip(twos, differences[len(held) :], strict=True)),
        pairs=int(scored.sum()),
    )


def _ranking_of(sources: Sequence[Source], told: _Tested, p_values: Mapping[tuple[int, int], float | None]) -> Ranking:
    order = sorted(range(len(sources)), key=lambda i: (-told.sign * (told.means[i].value or 0.0), sources[i].name))
    apart = [two for two, p in p_values.items() if p is not None and p < _SIGNIFICANT]
    letters = significance_letters(len(sources), [(order.index(i), order.index(j)) for i, j in apart])
    return Ranking(
        metric=told.metric,
        sign=told.sign,
        order=tuple(order),
        means=told.means,
        tests=told.tests,
        p_values=p_values,
        letters=tuple(letters),
        pairs=told.pairs,
    )
