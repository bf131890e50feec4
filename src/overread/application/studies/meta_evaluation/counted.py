"""Error counts of metrics whose score is something else, as rows of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from overread.application.studies.meta_evaluation.scores import TrialScores

__all__ = ["error_counts", "with_error_counts"]

_SAME = 1e-6
_GRADES = ("significant", "insignificant")
_TOTAL = "total"


def error_counts(scores: TrialScores) -> Mapping[str, float]:
    """All errors that a metric counts in each pair, significant or not; empty for a metric that counts none."""
    if not scores.counts:
        return {}
    grades = [scores.subscores.get(grade) for grade in _GRADES]
    parts = [grade for grade in grades if grade is not None]
    if len(parts) < len(grades):
        parts = [counts for name, counts in scores.counts.items() if name.startswith("total.")]
    told = [key for key in scores.scores if all(key in part for part in parts)]
    return {key: sum(part[key] for part in parts) for key in told} if parts else {}


def with_error_counts(scores: Iterable[TrialScores], name: Callable[[str], str]) -> Iterator[TrialScores]:
    """Each metric's scores and, after those of one that counts errors, the count of all errors as a row of its own.

    A metric has no such row if its score is that count, as CREPE's, or if it has a subscore "total", which speaks for
    the target of that name itself.

    Args:
        scores: of metrics.
        name: of the row, by the name of the metric's own.
    """
    for each in scores:
        yield each
        counted = {} if _TOTAL in each.subscores else error_counts(each)
        if any(abs(count - each.scores.get(key, count)) > _SAME for key, count in counted.items()):
            yield TrialScores(
                metric=name(each.metric),
                higher_is_better=False,
                scores=counted,
                unscored=each.unscored,
                counts_of=each.metric,
            )
