"""Shared parts of papers that judge metrics: their study, and a paper's rows from the scores of metrics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
from attrs import evolve, field, frozen

from overread.application.statistics import Estimate
from overread.application.statistics.measures import MEASURES
from overread.application.statistics.tabulation import Cell, Forest, ForestRow
from overread.domain.results.annotation import HumanBenchmark, Target
from overread.domain.results.scores import DISTRIBUTED, Floats, MetricScores
from overread.studies.application.meta_evaluation.counted_errors import (
    in_table_order,
    predicted_counts,
    with_error_counts,
)
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation, Values, both
from overread.studies.application.reproduction.published import PublishedPaper
from overread.studies.application.reproduction.sections import Maker, Section

__all__ = [
    "LEVEL",
    "STAR",
    "MetaEvaluationStudy",
    "absolute",
    "correlate",
    "count_row",
    "count_rows",
    "differing",
    "estimate_intervals",
    "forest",
    "left_out",
    "of_level",
    "on_set",
    "paper_rows",
    "target_of",
    "unscored_notes",
]

_KNOWN = {
    "bleu": "BLEU",
    "meteor": "METEOR",
    "bertscore": "BERTScore",
    "f1radgraph": "F1 RadGraph",
    "radgraph": "F1 RadGraph",
    "radgraphf1": "F1 RadGraph",
    "rouge": "ROUGE-L",
    "rougel": "ROUGE-L",
    "semb": "SembScore",
    "sembscore": "SembScore",
    "ratescore": "RaTEScore",
    "radcliqv1": "RadCliQ-v1",
    "green": "GREEN",
    "crepe": "CREPE",
}
"""Rows of papers by the plain names of metrics."""

STAR = "rexval_star"
"""ReXVal without pairs of equal reports, as CREPE calls it."""

LEVEL = "level"
"""Stratum of RaTE-Eval that tells its tasks apart."""


@frozen(kw_only=True)
class MetaEvaluationStudy:
    """Metrics on the sets on which a paper judges metrics.

    Attributes:
        evaluations: by the name of the set; a set that was not given is not in it.
        milliseconds: time that a metric took for a pair of ReXVal, by row, where it was measured.
        untimed: why there are no times, "" where there are some.
    """

    evaluations: Mapping[str, MetaEvaluation]
    milliseconds: Mapping[str, float] = field(factory=dict)
    untimed: str = ""


def paper_rows(
    scores: Iterable[MetricScores], names: Mapping[str, str], counts: Mapping[str, str] | None
) -> tuple[MetricScores, ...]:
    """Scores under the names of a paper's rows, and a row of the error count of each metric that counts errors.

    A row of scores that come with the set says so.

    Args:
        scores: of metrics under their own names.
        names: rows that the paper calls otherwise than most do, by the metric's name in lower case, letters and digits
            alone.
        counts: names of the rows of error counts, by the name of the metric's row, of those that are not called "ROW
            error count"; None for no such rows. A metric whose score is its error count, such as CREPE, has none.
    """
    known = {**_KNOWN, **names}
    made: list[MetricScores] = []
    for result in scores:
        row = known.get(re.sub(r"[\W_]", "", result.metric).lower(), result.metric)
        made.append(evolve(result, metric=f"{row} ({DISTRIBUTED})" if result.source == DISTRIBUTED else row))
    if counts is not None:
        made = list(with_error_counts(made, lambda row: count_row(row, counts)))
    return in_table_order([made])


def count_row(row: str, counts: Mapping[str, str]) -> str:
    """Row of a metric's error count, as `paper_rows` names it."""
    return counts.get(row, f"{row} error count")


def target_of(evaluation: MetaEvaluation, name: str) -> Target | None:
    """The target of that name; None if the benchmark has none."""
    return next((target for target in evaluation.benchmark.targets if target.name == name), None)


def correlate(evaluation: MetaEvaluation, target: Target, measures: Mapping[str, str]) -> dict[str, dict[str, Cell]]:
    """Measures of each metric's agreement with people, +1 is best.

    Args:
        evaluation: metrics on a set.
        target: what people said.
        measures: by the name of the column.

    Returns:
        Figures by row and column, without intervals.
    """
    people = evaluation.people(target)
    figures: dict[str, dict[str, Cell]] = {}
    for scores in evaluation.scores:
        badness = evaluation.badness(scores, target)
        rows = both(badness, people)
        figures[scores.metric] = {
            column: MEASURES[measure].value(badness[rows], people[rows]) if rows.any() else None
            for column, measure in measures.items()
        }
    return figures


def estimate_intervals(
    evaluation: MetaEvaluation, target: Target, measures: Mapping[str, str]
) -> dict[str, dict[str, Cell]]:
    """Measures as from `correlate`, with 95 % bootstrap intervals by study."""
    people = evaluation.people(target)
    return {
        scores.metric: {
            column: evaluation.estimate(measure, evaluation.badness(scores, target), people)
            for column, measure in measures.items()
        }
        for scores in evaluation.scores
    }


def forest(
    name: str, title: str, x_title: str, ours: Iterable[tuple[str, Mapping[str, Mapping[str, Cell]]]], column: str
) -> Forest:
    """A column of estimates, one group of rows a set.

    Args:
        name: of the plot.
        title: of the plot.
        x_title: of its axis.
        ours: name of a set and its figures by row and column.
        column: whose estimates are drawn.
    """
    rows: list[ForestRow] = []
    for group, figures in ours:
        for row, cells in figures.items():
            cell = cells.get(column)
            if isinstance(cell, Estimate) and cell.value is not None:
                rows.append(ForestRow(row, cell, group))
    return Forest(name=name, title=title, x_title=x_title, rows=tuple(rows), reference=0.0)


def left_out(table: str, need: str) -> Section:
    """A section in place of a table that cannot be made."""
    return Section(tables=(), notes=(f"{table} is left out: it needs {need}",))


def of_level(benchmark: HumanBenchmark, level: str) -> HumanBenchmark | None:
    """One task of RaTE-Eval; None where the set does not hold it."""
    pairs = tuple(item for item in benchmark.pairs if item.strata.get(LEVEL) == level)
    ids = {item.pair.id for item in pairs}
    preferences = tuple(item for item in benchmark.preferences if item.first in ids)
    return evolve(benchmark, pairs=pairs, preferences=preferences) if pairs else None


def on_set(
    name: str, table: str, make: Callable[[MetaEvaluation, PublishedPaper], Section]
) -> Maker[MetaEvaluationStudy]:
    """Makes a table of the metrics on one set; it is left out where the set was not given."""

    def section(study: MetaEvaluationStudy, paper: PublishedPaper) -> Section:
        evaluation = study.evaluations.get(name)
        return left_out(table, f"the set {name}") if evaluation is None else make(evaluation, paper)

    return section


def differing(benchmark: HumanBenchmark) -> HumanBenchmark:
    """The pairs whose reports differ in more than white space."""
    return evolve(benchmark, pairs=tuple(annotated for annotated in benchmark.pairs if not annotated.pair.is_copy))


def unscored_notes(name: str, evaluation: MetaEvaluation) -> Iterator[str]:
    """Notes on how many pairs of a set each metric did not score, and why."""
    for scores in evaluation.scores:
        if reasons := scores.unscored:
            words = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
            missing = f"{sum(reasons.values())} of {len(evaluation.ids)} pairs"
            yield f"{name}: {scores.metric} has no score for {missing} ({words})"


def count_rows(evaluation: MetaEvaluation, target: str) -> dict[str, Values]:
    """Predicted errors of a kind by row, of the metrics that count such: "significant", "total.A" and so on."""
    counts_by_row: dict[str, Values] = {}
    for scores in evaluation.scores:
        counts = predicted_counts(scores)
        graded = scores.subscores if counts and target in {"significant", "insignificant"} else counts
        if target in graded:
            counts_by_row[scores.metric] = np.asarray(graded[target], dtype=np.float64)
    return counts_by_row


def absolute(one: Floats, other: Values) -> tuple[float | None, float | None]:
    """Mean absolute difference over the pairs that have both numbers, and its standard deviation."""
    one = np.asarray(one, dtype=np.float64)
    rows = both(one, other)
    if not rows.any():
        return None, None
    return MEASURES["mae"].value(one[rows], other[rows]), float(np.std(np.abs(one[rows] - other[rows])))
