"""Aspects: what kind of difference a metric notes in pairs whose kind of difference is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from overread.application.statistics.tabulation import Cell, Column, Flow, Flows, Table
from overread.domain.results.scores import MetricScores
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation, Part

__all__ = ["NOTHING", "aspects"]

NOTHING = "nothing noted"
"""Where pairs go in which a metric notes no difference."""

_STRATUM = "aspect"


def aspects(meta: MetaEvaluation) -> Part:
    """Tabulates, for each metric that names discrepancies, the aspects it notes in pairs of each true aspect."""
    true = [annotated.strata.get(_STRATUM) for annotated in meta.benchmark.pairs]
    naming = [
        (scores.metric, list(_aspects_by_pair(scores, true))) for scores in meta.scores if scores.counts.get("aspect")
    ]
    if not any(true) or not naming:
        return Part()
    table = Table(
        name="aspects",
        title="Aspects noted",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="aspect", title="true aspect"),
            Column(name="noted", title="noted", percent=True),
            Column(name="nothing", title="nothing noted", percent=True),
            Column(name="instead", title="most often besides"),
            Column(name="pairs", title="pairs"),
        ),
        rows=tuple(row for metric, noted in naming for row in _rows(metric, noted)),
        note="Noted: share of the pairs in which the true aspect is among those that the metric notes.",
    )
    return Part(tables=(table,), plots=tuple(_flows(metric, noted) for metric, noted in naming))


Noted = Sequence[tuple[str, Sequence[str]]]
"""The true aspect of each scored pair that has one, and the aspects that a metric notes in it."""


def _aspects_by_pair(scores: MetricScores, true: Sequence[str | None]) -> Iterator[tuple[str, list[str]]]:
    for place in np.flatnonzero(np.isfinite(scores.scores)).tolist():
        aspect = true[place]
        if aspect is not None:
            yield aspect, [name for name, counts in scores.counts["aspect"].items() if counts[place] > 0]


def _rows(metric: str, pairs: Noted) -> Iterator[tuple[Cell, ...]]:
    for aspect in dict.fromkeys(aspect for aspect, _ in pairs):
        noted = [names for true, names in pairs if true == aspect]
        others = Counter(name for names in noted for name in names if name != aspect)
        yield (
            metric,
            aspect,
            sum(aspect in names for names in noted) / len(noted),
            sum(not names for names in noted) / len(noted),
            ", ".join(f"{name} ({count})" for name, count in others.most_common(1)),
            len(noted),
        )


def _flows(metric: str, pairs: Noted) -> Flows:
    """Each pair is one; where several aspects are noted it is split evenly between them."""
    flows: defaultdict[tuple[str, str], float] = defaultdict(float)
    for aspect, noted in pairs:
        names = noted or [NOTHING]
        for name in names:
            flows[aspect, name] += 1 / len(names)
    return Flows(
        name=f"aspects-{metric}",
        title=f"Aspects: {metric}",
        source_title="true aspect",
        target_title="noted",
        flows=tuple(Flow(source, target, count) for (source, target), count in flows.items()),
    )
