"""Paired comparisons of metrics by their primary measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from overread.application.statistics import Standard, compare_measures
from overread.application.statistics.measures import MEASURES
from overread.studies.application.meta_evaluation.contrasts import is_told_by_contrasts
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation, Part
from overread.studies.application.meta_evaluation.paired import compare_metrics

__all__ = ["paired_primary"]

_STANDARDS: Final[Mapping[str, Standard]] = {"pearson": "z"}
_WORDS: Final = {"ranks": "ranks", "z": "z scores"}


def paired_primary(meta: MetaEvaluation) -> Part:
    """Differences of the primary measure on the primary target; sets with D and R compare their average instead."""
    target = meta.primary
    if target is None or len(meta.rows(target)) < 2 or is_told_by_contrasts(meta, target):  # noqa: PLR2004
        return Part()
    rows, standard = meta.rows(target), _STANDARDS.get(meta.measure, "ranks")
    people, measure = meta.judged(target), MEASURES[meta.measure]
    vectors = [meta.badness(scores, target) for scores in rows]
    words = target.label or target.name
    table, heat_map = compare_metrics(
        "paired",
        f"Paired comparisons: {meta.measure_words}, {words}",
        [scores.metric for scores in rows],
        lambda first, second: compare_measures(
            measure, vectors[first], vectors[second], people, meta.resampling, standard=standard
        ),
        note=f"Of the {meta.measure_words}, over the pairs that both scored; above 0 the first is better. What "
        f"changes places in the randomisation test are the {_WORDS[standard]} that two metrics give the pairs of a "
        "study.",
        against=meta.distributed,
    )
    return Part(tables=(table,), plots=(heat_map,))
