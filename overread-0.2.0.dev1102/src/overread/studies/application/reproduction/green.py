"""GREEN: error counts against six radiologists, correlation with them, and preferences."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from attrs import evolve

from overread.application.statistics import mean_rating
from overread.application.statistics.measures import MEASURES
from overread.application.statistics.tabulation import Cell
from overread.domain.vocabulary.taxonomy import REXVAL_SIX
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation, Values, both
from overread.studies.application.meta_evaluation.preference import preferences
from overread.studies.application.reproduction.meta_evaluations import (
    MetaEvaluationStudy,
    absolute,
    count_rows,
    estimate_intervals,
    forest,
    left_out,
    on_set,
    paper_rows,
    target_of,
)
from overread.studies.application.reproduction.metric_paper import MetricPaper
from overread.studies.application.reproduction.published import PublishedPaper, beside
from overread.studies.application.reproduction.sections import Section

__all__ = ["GREEN"]

_SIGNIFICANT, _INSIGNIFICANT = "significant", "insignificant"
_LETTERS: Final = tuple(category.value for category in REXVAL_SIX)
_EXPERT: Final = "Expert"
_EXPERTS: Final = 6
_COUNTING: Final = "ReXVal and a metric that counts significant errors, such as green, judge or notation"
_GRADED: Final = (
    "A metric whose results come from a file must tell significant errors by category, as GREEN's do; others are left "
    "out."
)


def _between_raters(evaluation: MetaEvaluation, paper: PublishedPaper) -> Section:
    ratings = evaluation.ratings(_SIGNIFICANT)
    judged = {f"{_EXPERT} {place}": ratings[:, place] for place in range(ratings.shape[1])}
    counted = count_rows(evaluation, _SIGNIFICANT)
    reproduced: dict[str, dict[str, Cell]] = {}
    means: dict[str, list[float]] = {}
    for row, values in (judged | counted).items():
        reproduced[row] = {}
        for place, (expert, expert_counts) in enumerate(judged.items()):
            mean = None if row == expert else absolute(values, expert_counts)[0]
            reproduced[row][f"rater_{place}"] = mean
            means.setdefault(row, []).extend([] if mean is None else [mean])
    summary = {"Experts": _summary([float(np.mean(means[row])) for row in judged if means[row]])}
    summary |= {row: _summary(means[row]) for row in counted}
    note = (
        "Mean absolute difference of the counts of significant errors, in errors a pair; 0 is best. Experts are "
        "numbered in the order of the file."
    )
    spread = (
        "Experts: mean and standard deviation over experts of each one's mean of Table 1. A metric: over its "
        "differences from each expert. The paper's 1.02 for GREEN is 1.03 by its own Table 1."
    )
    return Section(
        tables=(
            beside(paper.tables["1"], reproduced, name="table-1", note=note, only=_raters(paper, ratings.shape[1])),
            beside(paper.tables["section-4-1"], summary, name="section-4-1", note=spread, digits=2),
        ),
        notes=() if counted else (f"Table 1: rows of metrics need {_COUNTING}",),
    )


def _raters(paper: PublishedPaper, there: int) -> list[str]:
    return list(paper.tables["1"].columns)[: max(1, there)]


def _summary(means: list[float]) -> dict[str, Cell]:
    if not means:
        return {}
    return {"mean": float(np.mean(means)), "sd": float(np.std(means, ddof=1)) if len(means) > 1 else None}


def _against_the_mean(evaluation: MetaEvaluation, paper: PublishedPaper) -> Section:
    reproduced: dict[str, dict[str, Cell]] = {}
    for grade in (_SIGNIFICANT, _INSIGNIFICANT):
        people = mean_rating(evaluation.ratings(grade))
        for row, values in count_rows(evaluation, grade).items():
            mean, deviation = absolute(values, people)
            reproduced.setdefault(row, {}).update({grade: mean, f"{grade}_sd": deviation})
    for letter in _LETTERS:
        target = f"{_SIGNIFICANT}.{letter}"
        people = _whole(mean_rating(evaluation.ratings(target)))
        for row, values in count_rows(evaluation, target).items():
            rows = both(values, people)
            reproduced.setdefault(row, {})[letter] = (
                MEASURES["accuracy"].value(values[rows], people[rows]) if rows.any() else None
            )
    if not reproduced:
        return left_out("Table 4", _COUNTING)
    note = (
        "MAE: of a metric's counts and the mean rater's, in errors a pair. (a) to (f): share of pairs in which the "
        "count of significant errors of the category is the mean rater's, rounded (halves up; the paper does not tell "
        "how it rounds). The paper's row GREEN is its LLaMA-2 (7B) pretrained on radiology reports."
    )
    return Section(tables=(beside(paper.tables["4"], reproduced, name="table-4", note=note, digits=2),))


def _whole(values: Values) -> Values:
    return np.asarray(np.floor(values + 0.5), dtype=np.float64)


def _by_category(evaluation: MetaEvaluation, paper: PublishedPaper) -> Section:
    means: dict[str, dict[str, Cell]] = {}
    deviations: dict[str, dict[str, Cell]] = {}
    for letter in _LETTERS:
        target = f"{_SIGNIFICANT}.{letter}"
        ratings = evaluation.ratings(target)
        people = mean_rating(ratings)
        rows = {f"{_EXPERT} {place}": ratings[:, place] for place in range(ratings.shape[1])}
        for row, values in (rows | count_rows(evaluation, target)).items():
            mean, deviation = absolute(values, people)
            means.setdefault(row, {})[letter] = mean
            deviations.setdefault(row, {})[letter] = deviation
    note = f"Mean absolute difference from the mean of all raters, significant errors. {_GRADED}"
    return Section(
        tables=(
            beside(paper.tables["5"], means, name="table-5", note=note, digits=2),
            beside(paper.tables["5-sd"], deviations, name="table-5-sd", note="Of the absolute differences.", digits=2),
        )
    )


def _correlations(evaluation: MetaEvaluation, paper: PublishedPaper) -> Section:
    target = target_of(evaluation, "total")
    if target is None:
        return left_out("Table 6", "counts of all errors")
    reproduced = estimate_intervals(evaluation, target, {"kendall": "kendall"})
    drawn = [("", dict(reproduced))]
    if evaluation.ratings(target.name).shape[1] > 1:
        raters = evaluation.raters("kendall", target)
        reproduced["Inter-Expert"] = {"kendall": raters.mean_against_others}
        reproduced["Inter-Expert, pairs of raters"] = {"kendall": raters.mean_of_pairs}
    note = (
        "1 is perfect agreement of badness and errors. Inter-Expert, ours: each rater against the mean of the others, "
        "averaged; the paper does not tell how its own is made. Error counts: significant and not."
    )
    plot = forest("table-6", "Kendall's tau with all errors counted", "Kendall's tau", drawn, "kendall")
    table = beside(paper.tables["6"], reproduced, name="table-6", note=note, digits=2)
    return Section(tables=(table,), plots=(plot,) if plot.rows else ())


def _preferences(study: MetaEvaluationStudy, paper: PublishedPaper) -> Section:
    sections = [
        make(study.evaluations[name], paper)
        for name, make in (("preferences", _preference_accuracy), ("radpref", _preferred_in_radpref))
        if name in study.evaluations
    ]
    if not sections:
        return left_out("Table 7", "preferences of the paper's protocol, or RadPref")
    return Section(
        tables=tuple(table for section in sections for table in section.tables),
        plots=tuple(plot for section in sections for plot in section.plots),
        notes=tuple(note for section in sections for note in section.notes),
    )


def _preference_accuracy(evaluation: MetaEvaluation, paper: PublishedPaper) -> Section:
    part = preferences(evaluation)
    if not part.tables:
        return left_out("Table 7", "comparisons of two candidates")
    whole, *others = part.tables
    place = [column.name for column in whole.columns].index("accuracy")
    reproduced = {str(row[0]): {"accuracy": row[place]} for row in whole.rows}
    compared = max((cell for row in whole.rows if isinstance(cell := row[place + 1], int)), default=0)
    note = (
        f"Share of {compared} comparisons in which a metric prefers what people prefer; those they are divided over "
        "are left out, and equal scores count one half. 0.5 is chance."
    )
    return Section(
        tables=(beside(paper.tables["7"], reproduced, name="table-7", note=note, digits=2), *others), plots=part.plots
    )


def _preferred_in_radpref(evaluation: MetaEvaluation, paper: PublishedPaper) -> Section:
    """The protocol of Table 7 on RadPref, on which the paper has no figures."""
    part = preferences(evaluation)
    return Section(
        tables=tuple(
            evolve(
                item, name=f"table-7-radpref-{item.name}", title=f"RadPref, by the protocol of Table 7. {item.title}"
            )
            for item in part.tables
        ),
        plots=tuple(evolve(item, name=f"radpref-{item.name}", title=f"RadPref. {item.title}") for item in part.plots),
        notes=(f"RadPref is not a set of {paper.name}'s paper, which has no figures for it",),
    )


GREEN: Final = MetricPaper(
    key="green",
    sets={"rexval": {}, "preferences": {}, "radpref": {}},
    makers={
        "1": on_set("rexval", "Table 1", _between_raters),
        "4": on_set("rexval", "Table 4", _against_the_mean),
        "5": on_set("rexval", "Table 5", _by_category),
        "6": on_set("rexval", "Table 6", _correlations),
        "7": _preferences,
    },
    rows=partial(paper_rows, names={}, counts={}),
)
"""The tables that people's counts and preferences are needed for; those against GPT-4's are not among them."""
