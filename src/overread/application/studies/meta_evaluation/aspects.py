"""Aspects: what kind of difference a metric notes in pairs whose kind of difference is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from overread.application.studies.meta_evaluation.scores import TrialScores
from overread.application.studies.meta_evaluation.trial import Part, Trial
from overread.application.studies.tabulation import Cell, Column, Flow, Flows, Table

__all__ = ["NOTHING", "aspects"]

NOTHING = "nothing noted"
"""Where pairs go in which a metric notes no difference."""

_STRATUM = "aspect"


def aspects(trial: Trial) -> Part:
    """For each metric that names discrepancies, the aspects it notes in pairs of each true aspect."""
    true = {
        annotated.pair.id: annotated.strata[_STRATUM]
        for annotated in trial.benchmark.pairs
        if _STRATUM in annotated.strata
    }
    naming = [scores for scores in trial.scores if scores.aspects]
    if not true or not naming:
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
        rows=tuple(row for scores in naming for row in _rows(scores, true)),
        note="Noted: share of the pairs in which the true aspect is among those that the metric notes.",
    )
    return Part(tables=(table,), plots=tuple(_flows(scores, true) for scores in naming))


def _rows(scores: TrialScores, true: Mapping[str, str]) -> Iterator[tuple[Cell, ...]]:
    for aspect in dict.fromkeys(true.values()):
        noted = [scores.aspects[key] for key, value in true.items() if value == aspect and key in scores.aspects]
        if not noted:
            continue
        others = Counter(name for names in noted for name in names if name != aspect)
        yield (
            scores.metric,
            aspect,
            sum(aspect in names for names in noted) / len(noted),
            sum(not names for names in noted) / len(noted),
            ", ".join(f"{name} ({count})" for name, count in others.most_common(1)),
            len(noted),
        )


def _flows(scores: TrialScores, true: Mapping[str, str]) -> Flows:
    """Each pair is one; where several aspects are noted it is split evenly between them."""
    flows: defaultdict[tuple[str, str], float] = defaultdict(float)
    for key, aspect in true.items():
        if key not in scores.aspects:
            continue
        names = list(scores.aspects[key]) or [NOTHING]
        for name in names:
            flows[aspect, name] += 1 / len(names)
    return Flows(
        name=f"aspects-{scores.metric}",
        title=f"Aspects: {scores.metric}",
        source_title="true aspect",
        target_title="noted",
        flows=tuple(Flow(source, target, count) for (source, target), count in flows.items()),
    )
