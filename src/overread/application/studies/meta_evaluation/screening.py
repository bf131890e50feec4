"""Screening: whether high scores pick out the reports that people found something wrong with."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from overread.application.statistics import Estimate
from overread.application.studies.meta_evaluation.evaluation import (
    CORRUPTED,
    HALF,
    MetaEvaluation,
    Part,
    Values,
    both,
    without_plain_numbers,
)
from overread.application.studies.tabulation import Cell, Column, Forest, ForestRow, Table
from overread.domain.annotation import Target

__all__ = ["SCREENED", "screened_target", "screening"]

SCREENED = ("significant", "corrupted", "total")
"""Targets that can be screened for, the first that a set has."""

_MEASURES = {
    "auroc": "AUROC",
    "auprc": "AUPRC",
    "sensitivity_at_80": "sens. at 80 %",
    "sensitivity_at_90": "sens. at 90 %",
    "enrichment_20": "enrichment top 20 %",
}


def screening(meta: MetaEvaluation) -> Part:
    """One table for the first target of ``SCREENED`` that the set has; nothing where all pairs are of one kind."""
    target = screened_target(meta)
    if target is None:
        return Part()
    positive = meta.marks(target)
    rows = tuple(_rows(meta, target, positive))
    table = Table(
        name="screening",
        title=f"Screening for {_WORDS[target.name]}",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="number", title="number"),
            *(Column(name=name, title=title) for name, title in _MEASURES.items()),
            Column(name="positive", title="positive"),
            Column(name="pairs", title="pairs"),
        ),
        rows=rows,
        note=f"{_positive(meta, target)} "
        "Sensitivity at 80 and 90 % specificity; enrichment: share of positives among the fifth with the highest risk "
        "over their share in all (RadOT-Eval, Table IV). AUROC of chance is 0.5, AUPRC of chance the share of "
        "positives, enrichment of chance 1.",
    )
    place = [column.name for column in table.columns].index("auroc")
    forest = Forest(
        name="screening",
        title=table.title,
        x_title="AUROC",
        rows=tuple(ForestRow(str(row[0]), cell) for row in rows if isinstance(cell := row[place], Estimate)),
        reference=0.5,
    )
    return Part(tables=(without_plain_numbers(table),), plots=(forest,) if forest.rows else ())


def _positive(meta: MetaEvaluation, target: Target) -> str:
    """What makes a pair positive, in words."""
    if target.name == CORRUPTED:
        return "Positive: the report had errors put in."
    raters = len(meta.raters_of(target.name))
    if raters < 2:  # noqa: PLR2004 - nothing to average
        return "Positive: the rater counts one error or more."
    told = f"Positive: the mean of the {raters} raters is {HALF:g} errors or more"
    if raters == 2:  # noqa: PLR2004
        return f"{told}, so that one error that either of them finds is enough."
    return (
        f"{told}, which is {math.ceil(HALF * raters)} errors of all raters together where all rate: one error that a "
        f"single rater finds, a mean of {1 / raters:.2f}, is negative."
    )


_WORDS = {"significant": "any significant error", "corrupted": "corrupted reports", "total": "any error"}


def screened_target(meta: MetaEvaluation) -> Target | None:
    """What is screened for; None where the set has no such target, or people say the same of every pair."""
    told = {target.name: target for target in meta.targets}
    for name in SCREENED:
        if name in told:
            positive = meta.marks(told[name])
            return told[name] if len(np.unique(positive[np.isfinite(positive)])) > 1 else None
    return None


def _rows(meta: MetaEvaluation, target: Target, positive: Values) -> Iterator[tuple[Cell, ...]]:
    for scores in meta.rows(target):
        badness = meta.badness(scores, target)
        used = both(badness, positive)
        yield (
            scores.metric,
            meta.number(scores, target),
            *(meta.estimate(measure, badness, positive) for measure in _MEASURES),
            int(positive[used].sum()),
            int(used.sum()),
        )
