"""Several metrics, or ways to score with one, over the same pairs: do they rank the pairs alike, and where not?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from overread.application.statistics import DRAWS, Resampling, estimate_mean
from overread.application.statistics.correlations import Kendall, Spearman
from overread.application.studies.comparison._aligned import PairFacts, Source
from overread.application.studies.comparison._judges import Ground, Judge, both, judges_of
from overread.application.studies.comparison._matched import EQUAL, unscored_table
from overread.application.studies.comparison._points import sampled
from overread.application.studies.comparison._ranks import is_wide, percentiles, rank_draws, rank_estimate
from overread.application.studies.tabulation import Cell, Column, HeatMap, Plot, Scatter, Table, Tabulation

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
        Tables "metrics" (a row each), "agreement" (a row for each two), "strata" where columns are given,
        "disagreements", and "unscored".

    Raises:
        ConfigurationError: if there are fewer than two metrics, or one that was named is not there, or no two of them
            score a pair in common.
    """
    judges, ids = judges_of(sources, metrics)
    resampling = Resampling.by_study(facts.studies_of(ids), draws=draws, seed=seed)
    ground = Ground(ids=ids, facts=facts, resampling=resampling)
    agreement, values = _agreement(judges, ground)
    strata = _strata(judges, ground)
    unscored = unscored_table([(judge.name, judge.held) for judge in judges])
    tables = (
        _metric_table(judges, ground),
        agreement,
        *((strata,) if strata else ()),
        _disagreements(judges, ground, shown),
        *((unscored,) if unscored else ()),
    )
    return Tabulation(
        name="comparison",
        title=f"{' against '.join(judge.name for judge in judges)}" if len(judges) == 2 else "Metrics compared",  # noqa: PLR2004
        tables=tables,
        plots=tuple(_plots(judges, ground, values)),
        facts={
            "pairs": f"{len(ids):,}",
            "studies": f"{len(set(facts.studies_of(ids))):,}",
            "draws": f"{draws:,}",
            "seed": str(seed),
            **{judge.name: judge.held.signature for judge in judges if judge.held.signature},
        },
        notes=tuple(_doubts(judges)),
    )


def _doubts(judges: Sequence[Judge]) -> Iterator[str]:
    """Where files may be two systems: a metric, with the same settings, gives other scores in each."""
    found = []
    for one, other in combinations(judges, 2):
        if one.held.metric != other.held.metric or one.held.signature != other.held.signature:
            continue
        there = both(one, other)
        apart = int(np.count_nonzero(np.abs(one.badness - other.badness)[there] > EQUAL))
        if apart:
            found.append(f"{one.name} and {other.name} in {apart:,} of {int(there.sum()):,} pairs")
    if found:
        yield (
            f"With the same settings the scores differ: {'; '.join(found)}. If the files are two systems, their "
            "candidates differ, and what is said here of metrics of different files means nothing: compare the files "
            "with --of systems"
        )


def _metric_table(judges: Sequence[Judge], ground: Ground) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            judge.name,
            "higher" if judge.held.higher_is_better else "lower",
            len(judge.held.ids) - len(judge.held.reasons),
            len(judge.held.reasons),
            len(judge.held.ids) - int(sum(name in judge.held.place for name in ground.ids)),
            estimate_mean(np.asarray(judge.scores, dtype=np.float64), ground.resampling),
        )
        for judge in judges
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


def _agreement(judges: Sequence[Judge], ground: Ground) -> tuple[Table, dict[tuple[int, int], float | None]]:
    rows: list[tuple[Cell, ...]] = []
    values: dict[tuple[int, int], float | None] = {}
    for (i, one), (j, other) in combinations(enumerate(judges), 2):
        found = [
            rank_estimate(measure, one.badness, other.badness, ground.resampling) for measure in (Kendall(), Spearman())
        ]
        values[i, j] = values[j, i] = found[-1].value
        rows.append((one.name, other.name, int(both(one, other).sum()), *found))
    rows_in_all = len(ground.ids)
    drawn = f"{rank_draws(rows_in_all, ground.resampling.draws):,} draws"
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


def _strata(judges: Sequence[Judge], ground: Ground) -> Table | None:
    rows: list[tuple[Cell, ...]] = []
    for column in ground.facts.strata:
        kinds = np.array(ground.facts.values(column, ground.ids), dtype=np.str_)
        for value in sorted(set(kinds.tolist())):
            for one, other in combinations(judges, 2):
                inside = both(one, other) & (kinds == value)
                first = np.where(inside, one.badness, np.nan)
                found = rank_estimate(Spearman(), first, other.badness, ground.resampling)
                rows.append((column, value or "(none)", one.name, other.name, int(inside.sum()), found))
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


def _disagreements(judges: Sequence[Judge], ground: Ground, shown: int) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one, other in combinations(judges, 2):
        there = both(one, other)
        first, second = (percentiles(np.where(there, judge.badness, np.nan)) for judge in (one, other))
        apart = first - second
        order = np.argsort(-np.nan_to_num(np.abs(apart)), kind="stable")[:shown]
        rows += [
            (
                ground.ids[place],
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


def _plots(judges: Sequence[Judge], ground: Ground, values: Mapping[tuple[int, int], float | None]) -> Iterator[Plot]:
    names = tuple(judge.name for judge in judges)
    if len(judges) > 2:  # noqa: PLR2004 - one number needs no map
        matrix = tuple(tuple(1.0 if i == j else values[i, j] for j in range(len(judges))) for i in range(len(judges)))
        yield HeatMap(
            name="agreement",
            title="Spearman's rank correlation of badness",
            rows=names,
            columns=names,
            values=matrix,
            words=tuple(tuple("" if cell is None else f"{cell:.2f}" for cell in row) for row in matrix),
        )
    for (i, one), (j, other) in combinations(enumerate(judges), 2):
        points, words = sampled(one.scores, other.scores, ground.ids)
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
