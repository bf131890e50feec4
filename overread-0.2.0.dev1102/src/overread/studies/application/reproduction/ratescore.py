"""RaTEScore: correlation with people on ReXVal and RaTE-Eval, and synonyms above antonyms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from overread.domain.results.annotation import HumanBenchmark
from overread.studies.application.meta_evaluation.preference import preferences
from overread.studies.application.reproduction.meta_evaluations import (
    MetaEvaluationStudy,
    estimate_intervals,
    forest,
    left_out,
    of_level,
    paper_rows,
    target_of,
)
from overread.studies.application.reproduction.metric_paper import MetricPaper, Views
from overread.studies.application.reproduction.published import PublishedPaper, beside
from overread.studies.application.reproduction.sections import Section

__all__ = ["RATESCORE"]

_ROWS: Final = {
    **dict.fromkeys(("radgraph", "radgraphf1", "f1radgraph"), "RadGraph F1"),
    **dict.fromkeys(("rouge", "rougel"), "ROUGE_L"),
    "chexbert": "CheXbert",
}
"""Rows that only this paper calls so."""

_LINEAR: Final = {"pearson": "pearson", "kendall": "kendall", "spearman": "spearman"}
_TASKS: Final = {
    "sentence": ("section-4-3", "section-4-3", "Sentences (section 4.3)"),
    "paragraph": ("5", "table-5", "Paragraphs of Table 5"),
}
_SCALE: Final = {
    "sentence": "People: 1 less errors over potential errors.",
    "paragraph": "People: grades from 0 to 5.",
}
_SPLIT: Final = "The paper's figures are over its test files: give those alone to have the same pairs."


def _on_rexval(study: MetaEvaluationStudy, paper: PublishedPaper) -> Section:
    evaluation = study.evaluations.get("rexval")
    target = None if evaluation is None else target_of(evaluation, "total")
    if evaluation is None or target is None:
        return left_out("Table 4", "ReXVal")
    reproduced = estimate_intervals(evaluation, target, {"kendall": "kendall"})
    note = (
        "1 is perfect agreement of badness and the mean number of errors. The paper weighs entity types for long "
        "reports here; what ours were made with stands in its signature below the tables."
    )
    return Section(tables=(beside(paper.tables["4"], reproduced, name="table-4", note=note),))


def _on_rate_eval(study: MetaEvaluationStudy, paper: PublishedPaper) -> Section:
    parts = [_task_section(study, paper, task) for task in _TASKS]
    parts.append(_synthetic(study, paper))
    return Section(
        tables=tuple(table for part in parts for table in part.tables),
        plots=tuple(plot for part in parts for plot in part.plots),
        notes=tuple(note for part in parts for note in part.notes),
    )


def _task_section(study: MetaEvaluationStudy, paper: PublishedPaper, task: str) -> Section:
    number, name, title = _TASKS[task]
    evaluation = study.evaluations.get(task)
    target = None if evaluation is None else target_of(evaluation, "rating")
    if evaluation is None or target is None:
        return left_out(title, f"RaTE-Eval with the task {task}")
    reproduced = estimate_intervals(evaluation, target, _LINEAR)
    note = f"{len(evaluation.ids)} pairs; 1 is perfect agreement. {_SCALE[task]} {_SPLIT}"
    plot = forest(name, title, "Pearson's correlation", [("", reproduced)], "pearson")
    table = beside(paper.tables[number], reproduced, name=name, note=note)
    return Section(tables=(table,), plots=(plot,) if plot.rows else ())


def _synthetic(study: MetaEvaluationStudy, paper: PublishedPaper) -> Section:
    evaluation = study.evaluations.get("synthetic")
    if evaluation is None:
        return left_out("Synthetic reports of Table 5", "RaTE-Eval with the task synthetic")
    whole = preferences(evaluation).tables[0]
    place = [column.name for column in whole.columns].index("accuracy")
    reproduced = {str(row[0]): {"accuracy": row[place]} for row in whole.rows}
    note = (
        f"Share of {len(evaluation.benchmark.preferences)} triads in which the synonymous report has the better score; "
        f"equal scores count one half, 0.5 is chance. {_SPLIT}"
    )
    return Section(tables=(beside(paper.tables["5-synthetic"], reproduced, name="table-5-synthetic", note=note),))


def _views(sets: Mapping[str, HumanBenchmark]) -> Views:
    """The sets, RaTE-Eval as its tasks."""
    views = {name: (name, benchmark) for name, benchmark in sets.items() if name != "rate-eval"}
    if "rate-eval" in sets:
        tasks = {level: of_level(sets["rate-eval"], level) for level in ("sentence", "paragraph", "synthetic")}
        views |= {level: ("rate-eval", task) for level, task in tasks.items() if task is not None}
    return views


RATESCORE: Final = MetricPaper(
    key="ratescore",
    sets={"rexval": {}, "rate-eval": {}},
    makers={"4": _on_rexval, "5": _on_rate_eval},
    rows=partial(paper_rows, names=_ROWS, counts=None),
    views=_views,
)
"""The tables that compare metrics; Tables 6 to 8 take RaTEScore's own models apart and are not among them."""
