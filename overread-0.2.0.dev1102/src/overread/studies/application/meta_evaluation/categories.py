"""Errors by category: predicted counts against the mean count of the raters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from overread.application.statistics import mean_rating
from overread.application.statistics.tabulation import Cell, Column, Table
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.studies.application.meta_evaluation.counted_errors import predicted_counts
from overread.studies.application.meta_evaluation.evaluation import GRADES, MetaEvaluation, Part, Values, both

__all__ = ["categories"]

_MEASURES = {"kendall": "Kendall tau-b", "mae": "MAE", "rmse": "RMSE"}


def categories(meta: MetaEvaluation) -> Part:
    """A table for each grade of error that the raters counted by category and a metric predicts."""
    people = _people(meta)
    tables = [_table(meta, grade, people) for grade in GRADES]
    return Part(tables=tuple(table for table in tables if table.rows))


def _people(meta: MetaEvaluation) -> Mapping[str, Values]:
    """Mean count of each category by target; the total of a category is the sum of both grades, rater by rater."""
    target_names = {target.name for target in meta.benchmark.targets}
    means: dict[str, Values] = {}
    for category in ErrorCategory:
        names = [f"{grade}.{category.value}" for grade in GRADES]
        total, *grades = names
        means |= {name: mean_rating(meta.ratings(name)) for name in names if name in target_names}
        if total not in target_names and target_names.issuperset(grades):
            means[total] = mean_rating(np.sum([meta.ratings(name) for name in grades], axis=0))
    return means


def _table(meta: MetaEvaluation, grade: str, people: Mapping[str, Values]) -> Table:
    return Table(
        name=f"categories-{grade}",
        title=f"Errors by category: {_WORDS[grade]}",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="category", title="category"),
            *(Column(name=name, title=title) for name, title in _MEASURES.items()),
            Column(name="people", title="mean count, people"),
            Column(name="predicted", title="mean count, metric"),
            Column(name="pairs", title="pairs"),
        ),
        rows=tuple(_rows(meta, grade, people)),
        note="Predicted counts against the mean rater, for metrics that count errors by category. MAE and RMSE are in "
        "errors a report, 0 is best. A dash: not defined, as for a category of which there is none.",
    )


_WORDS = {
    "total": "all errors",
    "significant": "clinically significant errors",
    "insignificant": "clinically insignificant errors",
}


def _rows(meta: MetaEvaluation, grade: str, people: Mapping[str, Values]) -> Iterator[tuple[Cell, ...]]:
    for scores in meta.scores:
        counts = predicted_counts(scores)
        for category in ErrorCategory:
            name = f"{grade}.{category.value}"
            if name not in people or name not in counts:
                continue
            predicted = np.asarray(counts[name], dtype=np.float64)
            rows = both(predicted, people[name])
            if not rows.any():
                continue
            yield (
                scores.metric,
                f"{category.value} {category.label}",
                *(meta.estimate(measure, predicted, people[name]) for measure in _MEASURES),
                float(people[name][rows].mean()),
                float(predicted[rows].mean()),
                int(rows.sum()),
            )
