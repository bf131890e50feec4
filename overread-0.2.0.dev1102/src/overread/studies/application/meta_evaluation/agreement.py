"""Agreement of metrics with people: rank and linear correlation with each target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from overread.application.statistics import Estimate
from overread.application.statistics.measures import MEASURES
from overread.application.statistics.tabulation import Cell, Column, Forest, ForestRow, Scatter, Table
from overread.domain.results.annotation import Target
from overread.studies.application.meta_evaluation.evaluation import (
    CORRELATIONS,
    MetaEvaluation,
    Part,
    Values,
    both,
    without_plain_numbers,
)

__all__ = ["agreement"]

_RATERS = "raters"
_DIRECTION = (
    "A correlation of 1 is full agreement, whichever way scores and ratings run: both are turned so that higher is "
    "worse. Where a metric has a subscore of the target's name, that is what is judged, else its score; a metric that "
    "counts errors without a total has a row of its own for their count, significant or not."
)

Row = tuple[Cell, ...]


def agreement(meta: MetaEvaluation) -> Part:
    """A table for each target that is more than yes or no, a forest of them, and a scatter of each metric."""
    targets = [target for target in meta.targets if not meta.is_binary(target)]
    tables = [_table(meta, target) for target in targets]
    rows = [row for table, target in zip(tables, targets, strict=True) for row in _forest_rows(meta, table, target)]
    forest = Forest(
        name="correlations",
        title=f"{CORRELATIONS[meta.correlation]} correlation with {meta.benchmark.judges}",
        x_title=f"{CORRELATIONS[meta.correlation]} correlation",
        rows=tuple(rows),
        reference=0.0,
    )
    return Part(
        tables=tuple(tables),
        plots=(forest, *_scatters(meta)) if rows else (),
        notes=(_DIRECTION,) if tables else (),
    )


def _table(meta: MetaEvaluation, target: Target) -> Table:
    rows = [*_metric_rows(meta, target), *_rater_rows(meta, target)]
    table = Table(
        name=f"agreement-{target.name}",
        title=f"Agreement with {meta.benchmark.judges}: {target.label or target.name}",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="number", title="number"),
            *(Column(name=name, title=title) for name, title in CORRELATIONS.items()),
            Column(name="pairs", title="pairs"),
            Column(name="unscored", title="unscored"),
        ),
        rows=tuple(rows),
        note=_note(meta, target, rows),
    )
    return without_plain_numbers(table)


def _metric_rows(meta: MetaEvaluation, target: Target) -> Iterator[Row]:
    people = meta.people(target)
    for scores in meta.rows(target):
        badness = meta.badness(scores, target)
        used = int(both(badness, people).sum())
        estimates = [meta.estimate(measure, badness, people) for measure in CORRELATIONS]
        rated = int(np.isfinite(people).sum())
        yield (scores.metric, meta.number(scores, target), *estimates, used, rated - used)


def _rater_rows(meta: MetaEvaluation, target: Target) -> Iterator[Row]:
    if len(meta.raters_of(target.name)) > 1:
        ratings, _ = meta.between(target.name)
        figures = [meta.raters(measure, target).mean_against_others for measure in CORRELATIONS]
        yield (_RATERS, "", *figures, int((np.isfinite(ratings).sum(axis=1) > 1).sum()), None)


def _note(meta: MetaEvaluation, target: Target, rows: Sequence[Row]) -> str:
    unrated = int((~np.isfinite(meta.people(target))).sum())
    undefined = any(isinstance(cell, Estimate) and cell.value is None for row in rows for cell in row)
    parts = [
        "A dash: not defined, as for scores that are all the same." if undefined else "",
        "Raters: each against the mean of the others, averaged." if rows[-1][0] == _RATERS else "",
        f"Pairs without a rating, left out: {unrated}." if unrated else "",
    ]
    return " ".join(part for part in parts if part)


def _forest_rows(meta: MetaEvaluation, table: Table, target: Target) -> Iterator[ForestRow]:
    place = [column.name for column in table.columns].index(meta.correlation)
    for row in table.rows:
        estimate = row[place]
        if isinstance(estimate, Estimate) and estimate.value is not None:
            yield ForestRow(str(row[0]), estimate, target.label or target.name)


def _scatters(meta: MetaEvaluation) -> Iterator[Scatter]:
    target = meta.primary
    if target is None:
        return
    people, words = meta.people(target), target.label or target.name
    for scores in meta.rows(target):
        badness, raw = meta.badness(scores, target), meta.raw(scores, target)
        rows = np.flatnonzero(both(badness, people))
        if not rows.size:
            continue
        ratings = -people if target.higher_is_better else people
        yield Scatter(
            name=f"scatter-{scores.metric}",
            title=f"{scores.metric} against {words}",
            x_title=words,
            y_title=f"{scores.metric}, {meta.number(scores, target)}",
            points=tuple((float(ratings[row]), float(raw[row]), meta.ids[row]) for row in rows),
            caption=_caption(badness[rows], people[rows]),
        )


def _caption(badness: Values, people: Values) -> str:
    values = {title: MEASURES[name].value(badness, people) for name, title in CORRELATIONS.items()}
    return ", ".join(f"{title} {value:.3f}" for title, value in values.items() if np.isfinite(value))
