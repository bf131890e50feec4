"""Agreement of metrics with people in detail: within strata and generators, beyond the reference's size, by risk."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import field, frozen

from overread.application.statistics import Estimate, calibration, estimate_by_group, partial_correlation
from overread.application.statistics.measures import MEASURES
from overread.application.statistics.tabulation import Cell, Column, Curve, Curves, Table
from overread.domain.results.annotation import Target
from overread.studies.application.meta_evaluation.contrasts import is_told_by_contrasts
from overread.studies.application.meta_evaluation.evaluation import (
    MOST_VALUES,
    MetaEvaluation,
    Part,
    Values,
    both,
    within,
)

__all__ = ["Sizes", "strata"]

Row = tuple[Cell, ...]

_FIFTHS = 5


@frozen
class Sizes:
    """Size of each reference, to control for a shortcut: longer reports hold more errors.

    Attributes:
        words: what is counted.
        values: over the benchmark's pairs, NaN if unknown.
    """

    words: str
    values: Values = field(repr=False)

    @property
    def differ(self) -> bool:
        """True if any two references differ in size."""
        return len(np.unique(self.values[np.isfinite(self.values)])) > 1

    @classmethod
    def of(cls, meta: MetaEvaluation) -> Sizes:
        """Clinical units, where a metric of the meta reads them, else words."""
        for scores in meta.scores:
            if scores.reference_units is not None:
                words = f"clinical units of the reference, as {scores.metric} reads it"
                return cls(words, np.asarray(scores.reference_units, dtype=np.float64))
        counts = [len(annotated.pair.reference.text.split()) for annotated in meta.benchmark.pairs]
        return cls("words of the reference, as no metric scored now reads clinical units", np.asarray(counts, float))


def strata(meta: MetaEvaluation) -> Part:
    """Tables about the primary target; of one that is yes or no, the strata alone. D and R have their own strata."""
    target = meta.primary
    if target is None or is_told_by_contrasts(meta, target):
        return Part()
    if meta.is_binary(target):
        return Part(tables=tuple(_strata(meta, target)))
    all_tables = [
        *_strata(meta, target),
        *_generators(meta, target),
        _size_controlled_table(meta, target),
        _calibration_table(meta, target),
    ]
    tables = tuple(table for table in all_tables if table.rows)
    return Part(tables=tables, plots=(_risk_curves(tables[-1], target),) if tables else ())


def _words(target: Target) -> str:
    return target.label or target.name


def _strata(meta: MetaEvaluation, target: Target) -> Iterator[Table]:
    people = meta.judged(target)
    for name, values in meta.strata:
        if len(values) < 2 or len(values) > MOST_VALUES:  # noqa: PLR2004 - one value is the whole set
            continue
        rows: list[Row] = []
        for scores in meta.rows(target):
            badness = meta.badness(scores, target)
            for value in values:
                inside = within(badness, meta.stratum(name, value))
                estimate = meta.estimate(meta.measure, inside, people)
                rows.append((scores.metric, value, estimate, int(both(inside, people).sum())))
        yield Table(
            name=f"by-{name}",
            title=f"{meta.measure_words} by {name}: {_words(target)}",
            columns=(
                Column(name="metric", title="metric"),
                Column(name="stratum", title=name),
                Column(name=meta.measure, title=meta.measure_words),
                Column(name="pairs", title="pairs"),
            ),
            rows=tuple(rows),
        )


def _generators(meta: MetaEvaluation, target: Target) -> Iterator[Table]:
    generators = [annotated.generator or "unknown" for annotated in meta.benchmark.pairs]
    names = sorted(set(generators))
    if len(names) < 2:  # noqa: PLR2004 - one generator is the whole set
        return
    people = meta.people(target)
    measure = MEASURES[meta.measure]
    rows: list[Row] = []
    for scores in meta.rows(target):
        badness = meta.badness(scores, target)
        grouped = estimate_by_group(measure, badness, people, generators, meta.resampling)
        whole = meta.estimate(meta.measure, badness, people)
        rows.append((scores.metric, whole, grouped.mean, *(grouped.groups[name] for name in names)))
    yield Table(
        name="within-generator",
        title=f"{meta.measure_words} within generators: {_words(target)}",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="all", title="all pairs"),
            Column(name="mean", title="mean within"),
            *(Column(name=f"generator-{name}", title=name) for name in names),
        ),
        rows=tuple(rows),
        note="Mean within: the plain mean over generators. It tells whether a metric ranks the reports of one system "
        "as people do, apart from ranking the systems.",
    )


def _size_controlled_table(meta: MetaEvaluation, target: Target) -> Table:
    sizes = Sizes.of(meta)
    people = meta.people(target)
    measure = MEASURES[meta.measure]
    rows: list[Row] = []
    for scores in meta.rows(target):
        badness = meta.badness(scores, target)
        plain = meta.estimate(meta.measure, within(badness, np.isfinite(sizes.values)), people)
        partial = (
            partial_correlation(measure, badness, people, sizes.values, meta.resampling)
            if sizes.differ
            else Estimate(None)
        )
        used = both(badness, people) & np.isfinite(sizes.values)
        rows.append((scores.metric, plain, partial, int(used.sum())))
    alone = meta.estimate(meta.measure, sizes.values, people)
    rows.append(("size alone", alone, None, int(both(sizes.values, people).sum())))
    return Table(
        name="controlled",
        title=f"{meta.measure_words} beyond the size of the reference: {_words(target)}",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="plain", title="plain"),
            Column(name="partial", title="partial"),
            Column(name="pairs", title="pairs"),
        ),
        rows=tuple(rows),
        note=f"Partial: of what the size leaves unexplained in both (RadOT-Eval, Table VII). Size: {sizes.words}."
        + ("" if sizes.differ else " All references are of one size, so that there is nothing to control for."),
    )


def _calibration_table(meta: MetaEvaluation, target: Target) -> Table:
    people = -meta.people(target) if target.higher_is_better else meta.people(target)
    rows: list[Row] = []
    for scores in meta.rows(target):
        bins = calibration(meta.badness(scores, target), people, meta.resampling, bins=_FIFTHS)
        held = {group.place: group for group in bins}
        fifths = [held.get(place) for place in range(_FIFTHS)]
        means = [fifth.people if fifth else None for fifth in fifths]
        rows.append((scores.metric, *means, " ".join(str(fifth.rows if fifth else 0) for fifth in fifths)))
    return Table(
        name="calibration",
        title=f"Calibration: mean of {_words(target)} by fifth of risk",
        columns=(
            Column(name="metric", title="metric"),
            *(Column(name=f"fifth-{number}", title=_fifth(number)) for number in range(1, _FIFTHS + 1)),
            Column(name="pairs", title="pairs in each"),
        ),
        rows=tuple(rows),
        note="What was said of the pairs that the metric finds best, of the next fifth, and so on. Equal scores "
        "stay together, so that fifths may differ in size; one that holds none is a dash.",
    )


def _fifth(number: int) -> str:
    return {1: "1 (best)", _FIFTHS: f"{_FIFTHS} (worst)"}.get(number, str(number))


def _risk_curves(table: Table, target: Target) -> Curves:
    curves = [
        Curve(
            label=str(metric),
            points=tuple(
                (float(number), mean.value)
                for number, mean in enumerate(means, start=1)
                if isinstance(mean, Estimate) and mean.value is not None
            ),
        )
        for metric, *means, _ in table.rows
    ]
    return Curves(
        name="calibration",
        title=table.title,
        x_title="fifth of risk",
        y_title=f"mean of {_words(target)}",
        curves=tuple(curves),
    )
