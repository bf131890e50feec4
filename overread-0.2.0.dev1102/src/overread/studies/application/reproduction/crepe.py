"""CREPE: correlation with error counts on four sets, without equal pairs, and speed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from overread.application.statistics.tabulation import Cell, Table
from overread.domain.results.annotation import HumanBenchmark, Target
from overread.studies.application.meta_evaluation.counted_errors import error_counts
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation
from overread.studies.application.reproduction.meta_evaluations import (
    STAR,
    MetaEvaluationStudy,
    absolute,
    correlate,
    count_row,
    differing,
    estimate_intervals,
    forest,
    left_out,
    paper_rows,
    target_of,
)
from overread.studies.application.reproduction.metric_paper import MetricPaper, Views
from overread.studies.application.reproduction.published import PublishedPaper, beside
from overread.studies.application.reproduction.sections import Section

__all__ = ["CREPE"]

_ROWS: Final = {"bleu": "BLEU-4", "bleu4": "BLEU-4"}
"""Rows that only this paper calls so."""

_COUNTS: Final = {"GREEN": "GREEN EC"}
"""Rows of error counts."""

_MEASURES: Final = {"kendall": "kendall", "spearman": "spearman"}
_PEOPLE: Final = {
    "rexval": ("rexval", "total", "ReXVal"),
    "rexval_star": ("rexval_star", "total", "ReXVal*"),
    "refisco": ("refisco", "total", "ReFiSco-v0"),
    "radevalx": ("radevalx", "total", "RadEvalX"),
    "rate_eval": ("sentence", "rating", "RaTE-Eval"),
    "rate_eval_counts": ("sentence", "total", "RaTE-Eval, counts"),
}
"""Set, target and title by the part of Table 5."""

_NEEDS: Final = {
    "rexval": "ReXVal",
    "rexval_star": "ReXVal",
    "refisco": "ReFiSco-v0",
    "radevalx": "RadEvalX",
    "rate_eval": "RaTE-Eval with the task of sentences",
    "rate_eval_counts": "RaTE-Eval with the task of sentences and its counts",
}
_DIRECTION: Final = (
    "1 is perfect agreement: scores of which higher is better are turned round, as the paper does. People: the mean "
    "over raters of all errors, significant or not; in ReFiSco-v0 lines with an error (appendix A.3.2), in RaTE-Eval "
    "errors over potential errors. A metric's subscore total, where it has one, stands for its score."
)


def _sets(study: MetaEvaluationStudy) -> Mapping[str, tuple[MetaEvaluation, Target, str]]:
    sets = {}
    for part, (name, target, title) in _PEOPLE.items():
        evaluation = study.evaluations.get(name)
        matching_target = target_of(evaluation, target) if evaluation is not None else None
        if evaluation is not None and matching_target is not None:
            sets[part] = (evaluation, matching_target, title)
    return sets


def _needs(table: str, study: MetaEvaluationStudy) -> tuple[str, ...]:
    there = _sets(study)
    return tuple(dict.fromkeys(f"{table}: {need} was not given" for part, need in _NEEDS.items() if part not in there))


def _first(study: MetaEvaluationStudy, paper: PublishedPaper) -> Section:
    published = paper.tables["1"]
    reproduced: dict[str, dict[str, Cell]] = {}
    for part, (evaluation, target, _) in _sets(study).items():
        for row, cells in correlate(evaluation, target, _MEASURES).items():
            named = {f"{part}_{measure}": cell for measure, cell in cells.items()}
            reproduced.setdefault(row, {}).update(
                {name: cell for name, cell in named.items() if name in published.columns}
            )
    columns = [name for name in published.columns if any(name in cells for cells in reproduced.values())]
    if not columns:
        return left_out("Table 1", "one of its sets")
    return Section(tables=(beside(published, reproduced, name="table-1", note=_DIRECTION, only=columns),))


def _equal_pairs(study: MetaEvaluationStudy, paper: PublishedPaper) -> Section:
    there = _sets(study)
    if "rexval" not in there:
        return left_out("Table 2", _NEEDS["rexval"])
    reproduced: dict[str, dict[str, Cell]] = {}
    for part in ("rexval", "rexval_star"):
        evaluation, target, _ = there[part]
        for row, cells in correlate(evaluation, target, {part: "kendall"}).items():
            reproduced.setdefault(row, {}).update(cells)
    for cells in reproduced.values():
        whole, part_only = cells["rexval"], cells["rexval_star"]
        if isinstance(whole, float) and isinstance(part_only, float):
            cells["difference"] = part_only - whole
    pairs = len(there["rexval"][0].ids), len(there["rexval_star"][0].ids)
    note = (
        f"ReXVal*: {pairs[1]} of {pairs[0]} pairs, whose reports differ in more than white space; the paper left 26 "
        "out. For GREEN and RadCliQ-v1 the paper prints another figure here than in Table 5."
    )
    return Section(tables=(beside(paper.tables["2"], reproduced, name="table-2", note=note),))


def _speed(study: MetaEvaluationStudy, paper: PublishedPaper) -> Section:
    if not study.milliseconds:
        return left_out("Table 3", study.untimed or _NEEDS["rexval"])
    reproduced: dict[str, dict[str, Cell]] = {row: {"milliseconds": time} for row, time in study.milliseconds.items()}
    note = (
        "Ours: on this machine, each metric alone, its models loaded before; a metric that reads reports does so anew. "
        "The paper's: on its own, with one NVIDIA A6000. Compare within a column."
    )
    return Section(tables=(beside(paper.tables["3"], reproduced, name="table-3", note=note, digits=2),))


def _errors(study: MetaEvaluationStudy, paper: PublishedPaper) -> Section:
    reproduced: dict[str, dict[str, Cell]] = {}
    there = _sets(study)
    for column, part in (("rexval", "rexval"), ("rate_eval", "rate_eval_counts")):
        if part not in there:
            continue
        evaluation, target, _ = there[part]
        rows = {scores.metric for scores in evaluation.scores}
        for scores in evaluation.scores:
            counted = error_counts(scores)
            if counted is not None:
                mean, deviation = absolute(counted, evaluation.people(target))
                row = count_row(scores.metric, _COUNTS)
                cells = reproduced.setdefault(row if row in rows else scores.metric, {})
                cells.update({column: mean, f"{column}_sd": deviation})
    if not reproduced:
        return left_out("Section 4.6", "a metric that counts errors, and ReXVal or RaTE-Eval with counts")
    note = "Of all errors a metric counts in a pair and the mean over raters. SD: of the absolute differences."
    return Section(tables=(beside(paper.tables["section-4-6"], reproduced, name="section-4-6", note=note),))


def _intervals(study: MetaEvaluationStudy, paper: PublishedPaper) -> Section:
    tables: list[Table] = []
    drawn: list[tuple[str, Mapping[str, Mapping[str, Cell]]]] = []
    for part, (evaluation, target, title) in _sets(study).items():
        reproduced = estimate_intervals(evaluation, target, _MEASURES)
        drawn.append((title, reproduced))
        name = f"table-5-{part.replace('_', '-')}"
        tables.append(beside(paper.tables[f"5-{part}"], reproduced, name=name, note=_pairs(evaluation)))
    plot = forest("table-5", "Kendall's tau with people (Fig. 5)", "Kendall's tau", drawn, "kendall")
    return Section(tables=tuple(tables), plots=(plot,) if plot.rows else (), notes=_needs("Table 5", study))


def _pairs(evaluation: MetaEvaluation) -> str:
    return (
        f"{len(evaluation.ids)} pairs. {_DIRECTION} Our intervals are of a bootstrap by study; the paper does not tell."
    )


def _views(sets: Mapping[str, HumanBenchmark]) -> Views:
    """The sets, and ReXVal without pairs of equal reports."""
    views = {("sentence" if name == "rate-eval" else name): (name, benchmark) for name, benchmark in sets.items()}
    if "rexval" in sets:
        views[STAR] = ("rexval", differing(sets["rexval"]))
    return views


CREPE: Final = MetricPaper(
    key="crepe",
    sets={"rexval": {}, "radevalx": {}, "refisco": {}, "rate-eval": {"levels": ("sentence",)}},
    makers={"1": _first, "2": _equal_pairs, "3": _speed, "4.6": _errors, "5": _intervals},
    rows=partial(paper_rows, names=_ROWS, counts=_COUNTS),
    views=_views,
    timing_table="3",
)
"""The tables that compare metrics; Table 4 takes CREPE's own model apart and is not among them."""
