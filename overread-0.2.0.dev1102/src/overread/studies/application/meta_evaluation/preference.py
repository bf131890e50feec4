"""Preferences: whether a metric prefers the candidate that people prefer."""

from __future__ import annotations

import numpy as np

from overread.application.statistics import (
    PreferenceAccuracy,
    Resampling,
    compare_means,
    find_preferred,
    preference_accuracy,
    preference_credit,
)
from overread.application.statistics.tabulation import Column, Forest, ForestRow, HeatMap, Table
from overread.domain.results.scores import MetricScores
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation, Part, Values
from overread.studies.application.meta_evaluation.paired import compare_metrics

__all__ = ["preferences"]


def preferences(meta: MetaEvaluation) -> Part:
    """Accuracy overall and by confidence, and paired tests; nothing for a set without preferences."""
    asked = meta.benchmark.preferences
    if not asked:
        return Part()
    votes = np.asarray([preference.votes for preference in asked], dtype=np.float64)
    confidence = _confidence(meta)
    resampling = Resampling.by_study([preference.study for preference in asked], draws=meta.draws, seed=meta.seed)
    margins = {scores.metric: _margins(meta, scores) for scores in meta.scores}
    accuracies = {
        metric: preference_accuracy(margin, votes, resampling, confidence=confidence)
        for metric, margin in margins.items()
    }
    sides = find_preferred(votes)
    credits_ = [preference_credit(margin, sides) for margin in margins.values()]
    paired: tuple[tuple[Table, HeatMap], ...] = ()
    if len(credits_) > 1:
        paired = (
            compare_metrics(
                "paired-preferences",
                "Paired comparisons: accuracy of preferences",
                list(margins),
                lambda first, second: compare_means(credits_[first], credits_[second], resampling),
                note="Of the accuracy, over the comparisons that both can tell; above 0 the first is better. What "
                "changes places in the randomisation test is whether a comparison was told rightly.",
                against=meta.distributed,
            ),
        )
    by_confidence = _by_confidence(accuracies)
    return Part(
        tables=(
            _accuracy(accuracies, meta.benchmark.judges),
            *((by_confidence,) if by_confidence.rows else ()),
            *(table for table, _ in paired),
        ),
        plots=(_forest(accuracies, meta.benchmark.judges), *(heat_map for _, heat_map in paired)),
    )


def _margins(meta: MetaEvaluation, scores: MetricScores) -> Values:
    """Margins by which the metric finds the first candidate of each comparison better than the second."""
    badness = dict(zip(meta.ids, meta.badness(scores).tolist(), strict=True))
    return np.asarray(
        [badness[preference.second] - badness[preference.first] for preference in meta.benchmark.preferences],
        dtype=np.float64,
    )


def _confidence(meta: MetaEvaluation) -> Values | None:
    """Comparisons x raters; None where nobody was asked."""
    width = max(len(preference.confidence) for preference in meta.benchmark.preferences)
    if not width:
        return None
    blank = (np.nan,) * width
    return np.asarray([preference.confidence or blank for preference in meta.benchmark.preferences], dtype=np.float64)


def _accuracy(found: dict[str, PreferenceAccuracy], judges: str) -> Table:
    return Table(
        name="preferences",
        title=f"Preferences: the metric sides with {judges}",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="accuracy", title="accuracy", percent=True),
            Column(name="won", title="win rate", percent=True),
            Column(name="comparisons", title="comparisons"),
            Column(name="ties", title="ties"),
            Column(name="undecided", title="undecided"),
            Column(name="unscored", title="unscored"),
        ),
        rows=tuple(
            (metric, result.accuracy, result.won, result.comparisons, result.ties, result.undecided, result.unscored)
            for metric, result in found.items()
        ),
        note="Accuracy: a tie of the metric counts one half, and chance is 50 %. Win rate: a tie is not won, as in "
        "RadOT-Eval, Table IV, where the corrupted report must have the greater risk. Undecided: as many raters for "
        "either candidate, left out; unscored: a candidate has no score.",
    )


def _by_confidence(found: dict[str, PreferenceAccuracy]) -> Table:
    return Table(
        name="preferences-by-confidence",
        title="Preferences by the raters' confidence",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="least", title="confidence at least", digits=1),
            Column(name="accuracy", title="accuracy", percent=True),
            Column(name="comparisons", title="comparisons"),
        ),
        rows=tuple(
            (metric, level.least, level.accuracy, level.comparisons)
            for metric, result in found.items()
            for level in result.by_confidence
        ),
        note="Over the comparisons whose mean confidence is at least the one given.",
    )


def _forest(found: dict[str, PreferenceAccuracy], judges: str) -> Forest:
    return Forest(
        name="preferences",
        title=f"Preferences: the metric sides with {judges}",
        x_title="accuracy",
        rows=tuple(
            ForestRow(metric, result.accuracy) for metric, result in found.items() if result.accuracy.value is not None
        ),
        reference=0.5,
    )
