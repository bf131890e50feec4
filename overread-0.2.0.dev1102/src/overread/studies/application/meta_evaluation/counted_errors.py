"""Preparation of metrics' scores for a study: the errors that they count, and rows under distinct names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from attrs import evolve

from overread.domain.results.scores import GRADES, Floats, MetricScores
from overread.domain.vocabulary.taxonomy import ErrorCategory

__all__ = ["error_counts", "in_table_order", "predicted_counts", "with_error_counts"]

_CATEGORIES = tuple(category.value for category in ErrorCategory)
_TOTAL = "total"
_EXPECTED = "errors"
_SAME = 1e-6


def predicted_counts(scores: MetricScores) -> dict[str, Floats]:
    """Predicted errors by the name of the target that they predict: "total.A", "significant.A", "insignificant.A".

    Of a metric that lists discrepancies those are counted, unless it tells both grades itself. Files hold them by
    category and by severity, not by both; from there, subscores named by category tell. A subscore "A" counts every
    error of that category, as CREPE's heads do (section 3.1). Where there is an "insignificant_A" beside it, as GREEN
    has, "A" counts the significant ones, and the total is their sum.
    """
    graded = any(name.startswith("insignificant_") for name in scores.subscores)
    if scores.verdicts is not None and not graded and set(GRADES) <= scores.counts.keys():
        kinds = {_TOTAL: "category", **{grade: grade for grade in GRADES}}
        return {
            f"{name}.{letter}": scores.count(kind, letter) for name, kind in kinds.items() for letter in _CATEGORIES
        }
    counted: dict[str, Floats] = {}
    for letter in (letter for letter in _CATEGORIES if letter in scores.subscores):
        counts = scores.subscores[letter]
        if not graded:
            counted[f"{_TOTAL}.{letter}"] = counts
            continue
        others = scores.subscores.get(f"insignificant_{letter}", np.full(len(counts), np.nan))
        counted[f"significant.{letter}"] = counts
        counted[f"insignificant.{letter}"] = others
        counted[f"{_TOTAL}.{letter}"] = counts + np.nan_to_num(others)
    return counted


def error_counts(scores: MetricScores) -> Floats | None:
    """All errors that a metric counts in each pair, significant or not; None for a metric that counts none.

    A metric that tells how many errors are to be expected (``errors``) is taken at that.
    """
    if _EXPECTED in scores.subscores:
        return np.where(np.isnan(scores.scores), np.nan, scores.subscores[_EXPECTED])
    counted = predicted_counts(scores)
    parts: Sequence[Floats] = [scores.subscores[grade] for grade in GRADES if grade in scores.subscores]
    if len(parts) < len(GRADES):
        parts = [counts for name, counts in counted.items() if name.startswith(f"{_TOTAL}.")]
    return np.where(np.isnan(scores.scores), np.nan, np.sum(parts, axis=0)) if counted and parts else None


def with_error_counts(scores: Iterable[MetricScores], name: Callable[[str], str]) -> Iterator[MetricScores]:
    """Each metric's scores and, after those of one that counts errors, the count of all errors as a row of its own.

    A metric has no such row if its score is that count, as CREPE's, or if it has a subscore "total", which speaks for
    the target of that name itself.

    Args:
        scores: of metrics.
        name: of the row, by the name of the metric's own.
    """
    for metric_scores in scores:
        yield metric_scores
        counted = None if _TOTAL in metric_scores.subscores else error_counts(metric_scores)
        if counted is not None and np.any(np.abs(counted - metric_scores.scores) > _SAME):
            yield MetricScores(
                metric=name(metric_scores.metric),
                higher_is_better=False,
                ids=metric_scores.ids,
                scores=counted,
                reasons=metric_scores.reasons,
                counts_of=metric_scores.metric,
            )


def in_table_order(groups: Iterable[Sequence[MetricScores]]) -> tuple[MetricScores, ...]:
    """All scores in one list under distinct names: one whose name is taken is told apart by its source."""
    by_name: dict[str, MetricScores] = {}
    for scores in (scores for group in groups for scores in group):
        source = scores.source or "scored now"
        name, number = scores.metric, 1
        while name in by_name:
            name = f"{scores.metric} ({source})" if number == 1 else f"{scores.metric} ({source} {number})"
            number += 1
        by_name[name] = evolve(scores, metric=name)
    return tuple(by_name.values())
