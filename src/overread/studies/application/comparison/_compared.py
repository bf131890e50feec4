"""Ways to score, brought onto the same pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.statistics import Resampling
from overread.domain.results.scores import Floats, MetricScores
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison._aligned import PairFacts, Source, sign

__all__ = ["CommonPairs", "ComparedMetric", "both", "compared_metrics"]


@frozen(kw_only=True)
class ComparedMetric:
    """One way to score.

    Attributes:
        name: of the metric; with its file where several files hold it.
        source: name of its file.
        held: what its file holds.
        scores: for the rows of the comparison, NaN where it has none.
        badness: the same, turned where needed so that more is worse.
    """

    name: str
    source: str
    held: MetricScores
    scores: Floats = field(repr=False)
    badness: Floats = field(repr=False)


@frozen(kw_only=True)
class CommonPairs:
    """Pairs that metrics are compared on."""

    ids: tuple[str, ...] = field(repr=False)
    facts: PairFacts
    resampling: Resampling


def compared_metrics(sources: Sequence[Source], metrics: Sequence[str]) -> tuple[list[ComparedMetric], tuple[str, ...]]:
    """The ways to score under distinct names, over the pairs that any two of them hold."""
    every = [(source, held) for source in sources for held in source.metrics.values()]
    absent = [name for name in metrics if all(held.metric != name for _, held in every)]
    if absent:
        raise ConfigurationError([f"{', '.join(absent)}: not in {' or '.join(source.name for source in sources)}"])
    chosen = [(source, held) for source, held in every if not metrics or held.metric in metrics]
    if len(chosen) < 2:  # noqa: PLR2004 - a comparison takes two
        raise ConfigurationError(["there is only one metric; give another file, or one that holds several"])
    several = Counter(held.metric for _, held in chosen)
    first = chosen[0][1].ids
    if all(held.ids == first for _, held in chosen):
        ids = first
    else:
        times = Counter(name for _, held in chosen for name in held.ids)
        ids = tuple(name for name, count in times.items() if count > 1)
    compared = []
    for source, held in chosen:
        scores = held.on(held.scores, ids)
        badness = -sign(higher_is_better=held.higher_is_better) * scores
        name = f"{held.metric} ({source.name})" if several[held.metric] > 1 else held.metric
        compared.append(ComparedMetric(name=name, source=source.name, held=held, scores=scores, badness=badness))
    if not any(both(one, other).any() for one, other in combinations(compared, 2)):
        raise ConfigurationError(["no pair is scored by two of the metrics; are the ids the same?"])
    return compared, ids


def both(one: ComparedMetric, other: ComparedMetric) -> npt.NDArray[np.bool_]:
    """Mask of the rows that both score."""
    return ~np.isnan(one.scores) & ~np.isnan(other.scores)
