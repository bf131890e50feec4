"""Screening: whether high scores pick out the reports that people found something wrong with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell, Column, Forest, ForestRow, Table
from overread.domain.results.annotation import Target
from overread.studies.application.meta_evaluation.evaluation import (
    CORRUPTED,
    DIFFERENT_CARE,
    HALF,
    MetaEvaluation,
    Part,
    Values,
    both,
    without_plain_numbers,
)

__all__ = ["SCREENED", "screening"]

SCREENED = ("significant", "corrupted", "total")
"""Targets that can be screened for, the first that a set has."""

_MEASURES = {
    "auroc": "AUROC",
    "auprc": "AUPRC",
    "sensitivity_at_80": "sens. at 80 %",
    "sensitivity_at_90": "sens. at 90 %",
    "enrichment_20": "enrichment top 20 %",
}

_OF_CARE = {
    "auroc": "AUROC",
    "auprc": "AUPRC",
    "sensitivity_at_90": "sens. at 90 %",
    "sensitivity_at_95": "sens. at 95 %",
}
"""What few would send back has to be found with few false alarms."""


def screening(meta: MetaEvaluation) -> Part:
    """A table for the first target of ``SCREENED`` that the set has, and one for different care.

    Nothing where all pairs are of one kind.
    """
    by_name = {target.name: target for target in meta.targets}
    chosen = [target for name in SCREENED if (target := by_name.get(name)) is not None][:1]
    chosen += [by_name[DIFFERENT_CARE]] if DIFFERENT_CARE in by_name else []
    parts = [_screen_target(meta, target) for target in chosen if _differs(meta, target)]
    return Part(
        tables=tuple(table for part in parts for table in part.tables),
        plots=tuple(plot for part in parts for plot in part.plots),
    )


def _differs(meta: MetaEvaluation, target: Target) -> bool:
    positive = meta.marks(target)
    return len(np.unique(positive[np.isfinite(positive)])) > 1


def _screen_target(meta: MetaEvaluation, target: Target) -> Part:
    positive = meta.marks(target)
    of_care = target.name == DIFFERENT_CARE
    measures = _OF_CARE if of_care else _MEASURES
    rows = tuple(_rows(meta, target, positive, measures))
    table = Table(
        name="screening-care" if of_care else "screening",
        title=f"Screening for {_WORDS[target.name]}",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="number", title="number"),
            *(Column(name=name, title=title) for name, title in measures.items()),
            Column(name="positive", title="positive"),
            Column(name="pairs", title="pairs"),
        ),
        rows=rows,
        note=f"{_positive(meta, target)} {_CARE_NOTE if of_care else _NOTE}",
    )
    place = [column.name for column in table.columns].index("auroc")
    forest = Forest(
        name=table.name,
        title=table.title,
        x_title="AUROC",
        rows=tuple(ForestRow(str(row[0]), cell) for row in rows if isinstance(cell := row[place], Estimate)),
        reference=0.5,
    )
    return Part(tables=(without_plain_numbers(table),), plots=(forest,) if forest.rows else ())


def _positive(meta: MetaEvaluation, target: Target) -> str:
    """Describes in words what makes a pair positive."""
    if target.name == CORRUPTED:
        return "Positive: the report had errors put in."
    if target.name == DIFFERENT_CARE:
        return "Positive: acting on the candidate would lead to different care."
    raters = int(np.isfinite(meta.ratings(target.name)).sum(axis=1).max(initial=0))
    if raters < 2:  # noqa: PLR2004 - nothing to average
        return "Positive: the rater counts one error or more."
    clause = f"Positive: the mean of the {raters} raters is {HALF:g} errors or more"
    if raters == 2:  # noqa: PLR2004
        return f"{clause}, so that one error that either of them finds is enough."
    return (
        f"{clause}, which is {math.ceil(HALF * raters)} errors of all raters together where all rate: one error that a "
        f"single rater finds, a mean of {1 / raters:.2f}, is negative."
    )


_WORDS = {
    "significant": "any significant error",
    "corrupted": "corrupted reports",
    "total": "any error",
    DIFFERENT_CARE: "different care",
}

_NOTE = (
    "Sensitivity at 80 and 90 % specificity; enrichment: share of positives among the fifth with the highest risk over "
    "their share in all (RadOT-Eval, Table IV). AUROC of chance is 0.5, AUPRC of chance the share of positives, "
    "enrichment of chance 1."
)
_CARE_NOTE = "Sensitivity at 90 and 95 % specificity. AUROC of chance is 0.5, AUPRC of chance the share of positives."


def _rows(
    meta: MetaEvaluation, target: Target, positive: Values, measures: Iterable[str]
) -> Iterator[tuple[Cell, ...]]:
    for scores in meta.rows(target):
        badness = meta.badness(scores, target)
        used = both(badness, positive)
        yield (
            scores.metric,
            meta.number(scores, target),
            *(meta.estimate(measure, badness, positive) for measure in measures),
            int(positive[used].sum()),
            int(used.sum()),
        )
