"""Several metrics, or ways to score with one, over the same pairs: do they rank the pairs alike, and where not?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from overread.application.statistics import DRAWS, Resampling, estimate_mean
from overread.application.statistics.correlations import Kendall, Spearman
from overread.application.statistics.tabulation import Cell, Column, HeatMap, Plot, Scatter, Table, Tabulation
from overread.studies.application.comparison._aligned import PairFacts, Source
from overread.studies.application.comparison._compared import CommonPairs, ComparedMetric, both, compared_metrics
from overread.studies.application.comparison._matched import EQUAL, unscored_table
from overread.studies.application.comparison._points import sample_points
from overread.studies.application.comparison._ranks import is_wide, percentiles, rank_draws, rank_estimate
from overread.studies.application.comparison._support import diversity_table, support_table, template_notes

__all__ = ["compare_metrics"]


def compare_metrics(
    sources: Sequence[Source],
    facts: PairFacts,
    *,
    metrics: Sequence[str] = (),
    draws: int = DRAWS,
    seed: int = 0,
    shown: int = 5,
) -> Tabulation:
    """Compares the metrics of one or more result files over the same pairs.

    Two metrics are compared over the pairs that both score. Coefficients are of badness with badness, so that 1 is the
    same order whatever the directions of the scores.

    Args:
        sources: the files; a metric that several of them hold is taken from each.
        facts: studies and strata of the pairs.
        metrics: names of those to use; all by default.
        draws: of the bootstrap by study. Over very many pairs fewer are made; the table's note says how many.
        seed: of the draws.
        shown: pairs listed for each two metrics where they disagree most.

    Returns:
        Tables "metrics" and "support" (a row each), "diversity" where it is known, "agreement" (a row for each two),
        "strata" where columns are given, "disagreements", and "unscored".

    Raises:
        ConfigurationError: if there are fewer than two metrics, or one that was named is not there, or no two of them
            score a pair in common.
    """
    compared, ids = compared_metrics(sources, metrics)
    resampling = Resampling.by_study(facts.studies_of(ids), draws=draws, seed=seed)
    common = CommonPairs(ids=ids, facts=facts, resampling=resampling)
    agreement, values = _agreement(compared, common)
    strata = _strata(compared, common)
    diversity = diversity_table(sources)
    unscored = unscored_table([(metric.name, metric.held) for metric in compared])
    tables = (
        _metric_table(compared, common),
        support_table([(metric.source, metric.held) for metric in compared]),
        *((diversity,) if diversity else ()),
        agreement,
        *((strata,) if strata else ()),
        _disagreements(compared, common, shown),
        *((unscored,) if unscored else ()),
    )
    return Tabulation(
        name="comparison",
        title=f"{' against '.join(metric.name for metric in compared)}" if len(compared) == 2 else "Metrics compared",  # noqa: PLR2004
        tables=tables,
        plots=tuple(_plots(compared, common, values)),
        facts={
            "pairs": len(ids),
            "studies": len(set(facts.studies_of(ids))),
            "draws": draws,
            "seed": seed,
            **{metric.name: metric.held.signature for metric in compared if metric.held.signature},
        },
        notes=(*template_notes(sources), *_doubts(compared)),
    )


def _doubts(compared: Sequence[ComparedMetric]) -> Iterator[str]:
    """Yields a warning that files may be two systems: a metric, with the same settings, gives other scores in each."""
    conflicts = []
    for one, other in combinations(compared, 2):
        if one.held.metric != other.held.metric or one.held.signature != other.held.signature:
            continue
        there = both(one, other)
        apart = int(np.count_nonzero(np.abs(one.badness - other.badness)[there] > EQUAL))
        if apart:
            conflicts.append(f"{one.name} and {other.name} in {apart:,} of {int(there.sum()):,} pairs")
    if conflicts:
        yield (
            f"With the same settings the scores differ: {'; '.join(conflicts)}. If the files are two systems, their "
            "candidates differ, and what is said here of metrics of different files means nothing: compare the files "
            "as systems"
        )


def _metric_table(compared: Sequence[ComparedMetric], common: CommonPairs) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            metric.name,
            "higher" if metric.held.higher_is_better else "lower",
            len(metric.held.ids) - len(metric.held.reasons),
            len(metric.held.reasons),
            len(metric.held.ids) - int(sum(name in metric.held.place for name in common.ids)),
            estimate_mean(np.asarray(metric.scores, dtype=np.float64), common.resampling),
        )
        for metric in compared
    )
    return Table(
        name="metrics",
        title="Metrics",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="better", title="Better is"),
            Column(name="scored", title="Scored"),
            Column(name="unscored", title="Unscored"),
            Column(name="alone", title="In this file only"),
            Column(name="mean", title="Mean"),
        ),
        rows=rows,
        note="The mean, with its 95 % interval, is over the pairs that this metric scores and another holds too.",
    )


def _agreement(
    compared: Sequence[ComparedMetric], common: CommonPairs
) -> tuple[Table, dict[tuple[int, int], float | None]]:
    rows: list[tuple[Cell, ...]] = []
    values: dict[tuple[int, int], float | None] = {}
    for (i, one), (j, other) in combinations(enumerate(compared), 2):
        coefficients = [
            rank_estimate(measure, one.badness, other.badness, common.resampling) for measure in (Kendall(), Spearman())
        ]
        values[i, j] = values[j, i] = coefficients[-1].value
        rows.append((one.name, other.name, int(both(one, other).sum()), *coefficients))
    rows_in_all = len(common.ids)
    drawn = f"{rank_draws(rows_in_all, common.resampling.draws):,} draws"
    whose = "Intervals of Spearman's" if is_wide(rows_in_all) else "Intervals"
    table = Table(
        name="agreement",
        title="Do they rank the pairs alike?",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="other", title="Other metric"),
            Column(name="pairs", title="Pairs scored by both"),
            Column(name="kendall", title="Kendall's tau-b"),
            Column(name="spearman", title="Spearman"),
        ),
        rows=tuple(rows),
        note=f"Of badness with badness: 1 is the same order, 0 none, -1 the reverse. {whose} from {drawn}.",
    )
    return table, values


def _strata(compared: Sequence[ComparedMetric], common: CommonPairs) -> Table | None:
    rows: list[tuple[Cell, ...]] = []
    for column in common.facts.strata:
        kinds = np.array(common.facts.values(column, common.ids), dtype=np.str_)
        for value in sorted(set(kinds.tolist())):
            for one, other in combinations(compared, 2):
                inside = both(one, other) & (kinds == value)
                first = np.where(inside, one.badness, np.nan)
                coefficient = rank_estimate(Spearman(), first, other.badness, common.resampling)
                rows.append((column, value or "(none)", one.name, other.name, int(inside.sum()), coefficient))
    if not rows:
        return None
    return Table(
        name="strata",
        title="By kind of pair",
        columns=(
            Column(name="column", title="Column"),
            Column(name="value", title="Kind"),
            Column(name="metric", title="Metric"),
            Column(name="other", title="Other metric"),
            Column(name="pairs", title="Pairs"),
            Column(name="spearman", title="Spearman"),
        ),
        rows=tuple(rows),
    )


def _disagreements(compared: Sequence[ComparedMetric], common: CommonPairs, shown: int) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one, other in combinations(compared, 2):
        there = both(one, other)
        first, second = (percentiles(np.where(there, metric.badness, np.nan)) for metric in (one, other))
        apart = first - second
        order = np.argsort(-np.nan_to_num(np.abs(apart)), kind="stable")[:shown]
        rows += [
            (
                common.ids[place],
                one.name,
                other.name,
                float(one.scores[place]),
                float(other.scores[place]),
                float(first[place]),
                float(second[place]),
            )
            for place in order.tolist()
            if there[place] and apart[place] != 0
        ]
    return Table(
        name="disagreements",
        title="Where they disagree most",
        columns=(
            Column(name="id", title="Pair"),
            Column(name="metric", title="Metric"),
            Column(name="other", title="Other metric"),
            Column(name="score", title="Score"),
            Column(name="other_score", title="Other score"),
            Column(name="worse_than", title="Worse than", percent=True),
            Column(name="other_worse_than", title="Other: worse than", percent=True),
        ),
        rows=tuple(rows),
        note="Worse than: the share of pairs that the metric finds better than this one, equal ones counted half.",
    )


def _plots(
    compared: Sequence[ComparedMetric], common: CommonPairs, values: Mapping[tuple[int, int], float | None]
) -> Iterator[Plot]:
    names = tuple(metric.name for metric in compared)
    if len(compared) > 2:  # noqa: PLR2004 - one number needs no map
        matrix = tuple(
            tuple(1.0 if i == j else values[i, j] for j in range(len(compared))) for i in range(len(compared))
        )
        yield HeatMap(
            name="agreement",
            title="Spearman's rank correlation of badness",
            rows=names,
            columns=names,
            values=matrix,
            words=tuple(tuple("" if cell is None else f"{cell:.2f}" for cell in row) for row in matrix),
        )
    for (i, one), (j, other) in combinations(enumerate(compared), 2):
        points, words = sample_points(one.scores, other.scores, common.ids)
        value = values[i, j]
        caption = "; ".join(filter(None, [f"Spearman of badness {value:.3f}" if value is not None else "", words]))
        if points:
            yield Scatter(
                name=f"scores-{i + 1}-{j + 1}",
                title=f"{one.name} against {other.name}",
                x_title=one.name,
                y_title=other.name,
                points=points,
                caption=caption,
            )
