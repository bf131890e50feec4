"""Paired comparisons of metrics by their primary measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from overread.application.statistics import Standard, compare_measures
from overread.application.statistics.measures import MEASURES
from overread.application.studies.meta_evaluation.contrasts import contrasted_target
from overread.application.studies.meta_evaluation.paired import compared
from overread.application.studies.meta_evaluation.trial import Part, Trial

__all__ = ["paired_primary"]

_STANDARDS: Final[Mapping[str, Standard]] = {"pearson": "z"}
_WORDS: Final = {"ranks": "ranks", "z": "z scores"}


def paired_primary(trial: Trial) -> Part:
    """Differences of the primary measure on the primary target; sets with D and R compare their average instead."""
    target = trial.primary
    if target is None or len(trial.rows(target)) < 2 or contrasted_target(trial) is not None:  # noqa: PLR2004
        return Part()
    rows, standard = trial.rows(target), _STANDARDS.get(trial.measure, "ranks")
    people, measure = trial.judged(target), MEASURES[trial.measure]
    vectors = [trial.badness(scores, target) for scores in rows]
    words = target.label or target.name
    table, heat_map = compared(
        "paired",
        f"Paired comparisons: {trial.measure_words}, {words}",
        [scores.metric for scores in rows],
        lambda first, second: compare_measures(
            measure, vectors[first], vectors[second], people, trial.resampling, standard=standard
        ),
        note=f"Of the {trial.measure_words}, over the pairs that both scored; above 0 the first is better. What "
        f"changes places in the randomisation test are the {_WORDS[standard]} that two metrics give the pairs of a "
        "study.",
        against=trial.distributed,
    )
    return Part(tables=(table,), plots=(heat_map,))
