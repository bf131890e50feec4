"""Many systems by the same metrics: ranks, with letters for those that do not differ significantly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from overread.application.statistics import DRAWS
from overread.application.statistics.tabulation import Cell, Column, Forest, ForestRow, HeatMap, Plot, Table, Tabulation
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison._aligned import PairFacts, Source, check_signatures
from overread.studies.application.comparison._matched import EQUAL, unscored_table
from overread.studies.application.comparison._means import scale_estimate
from overread.studies.application.comparison._ranking import Ranking, rankings_of
from overread.studies.application.comparison._support import diversity_table, support_table, template_notes

__all__ = ["rank_systems"]


def rank_systems(
    sources: Sequence[Source],
    facts: PairFacts,
    *,
    metrics: Sequence[str] = (),
    draws: int = DRAWS,
    seed: int = 0,
    force: bool = False,
) -> Tabulation:
    """Ranks systems by each metric.

    Means are over the pairs that every system has a score for, so that none gains by leaving out hard ones. Each two
    systems are tested by paired randomisation by study, with Holm's correction over all tests of the leaderboard, each
    two systems by each metric, so that two systems come out as in `compare_systems`; systems that share a letter do not
    differ significantly at 0.05 (see `significance_letters`). Ranks go by the mean, equal means share one.

    Args:
        sources: one a system, two or more, names distinct.
        facts: studies of the pairs; strata are not used.
        metrics: names of those to use; all that every file holds by default.
        draws: of the bootstrap and of the randomisation.
        seed: of the draws.
        force: rank scores made with different settings too, and say so in the notes.

    Returns:
        Tables "leaderboard" and "support" (a row a metric and system), "diversity" where it is known, "tests" (a row a
        metric and two systems), "rankings" where there are several metrics (a row for each two), and "unscored".

    Raises:
        ConfigurationError: if there are fewer than two systems, two of one name, no metric or no pair that all hold, or
            scores of one metric made with different settings.
    """
    chosen = _choose_metrics(sources, metrics)
    mixed = check_signatures(sources, chosen, force=force)
    rankings = rankings_of(sources, chosen, facts, draws, seed)
    unscored = unscored_table([(source.name, source.metrics[name]) for name in chosen for source in sources])
    diversity = diversity_table(sources)
    orders = _orders(rankings, len(sources))
    tables = (
        _standings(rankings, sources),
        support_table([(source.name, source.metrics[name]) for name in chosen for source in sources]),
        *((diversity,) if diversity else ()),
        _tests(rankings, sources),
        *((orders,) if orders else ()),
        *((unscored,) if unscored else ()),
    )
    signatures = {name: sources[0].metrics[name].signature for name in chosen}
    return Tabulation(
        name="leaderboard",
        title="Leaderboard",
        tables=tables,
        plots=tuple(plot for ranking in rankings for plot in _plots(ranking, sources)),
        facts={
            "systems": len(sources),
            "draws": draws,
            "seed": seed,
            **{name: signature for name, signature in signatures.items() if signature},
        },
        notes=(*template_notes(sources), *mixed),
    )


def _choose_metrics(sources: Sequence[Source], metrics: Sequence[str]) -> list[str]:
    names = [source.name for source in sources]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigurationError([f"two files are named {', '.join(twice)}; name them as NAME=FILE"])
    if len(sources) < 2:  # noqa: PLR2004 - a ranking takes two
        raise ConfigurationError(["a leaderboard needs two or more files, one per system"])
    shared = [name for name in sources[0].metrics if all(name in source.metrics for source in sources)]
    if missing := [name for name in metrics if name not in shared]:
        raise ConfigurationError([f"{', '.join(missing)}: not in every file; they share {', '.join(shared) or 'none'}"])
    if not shared:
        raise ConfigurationError(["the files share no metric"])
    return list(metrics) or shared


def _standings(rankings: Sequence[Ranking], sources: Sequence[Source]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for ranking in rankings:
        rank, before = 0, np.nan
        for place, (index, letters) in enumerate(zip(ranking.order, ranking.letters, strict=True), start=1):
            held = sources[index].metrics[ranking.metric]
            value = ranking.means[index].value or 0.0
            rank = rank if abs(value - before) <= EQUAL else place
            before = value
            counted = (len(held.ids) - len(held.reasons), len(held.reasons), ranking.pairs)
            better = "higher" if ranking.sign > 0 else "lower"
            rows.append((ranking.metric, rank, sources[index].name, ranking.means[index], letters, *counted, better))
    return Table(
        name="leaderboard",
        title="Ranks by metric",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="rank", title="Rank"),
            Column(name="system", title="System"),
            Column(name="mean", title="Mean"),
            Column(name="group", title="Group"),
            Column(name="scored", title="Scored"),
            Column(name="unscored", title="Unscored"),
            Column(name="pairs", title="Pairs in mean"),
            Column(name="better", title="Better is"),
        ),
        rows=tuple(rows),
        note="Means with 95 % intervals over the pairs that every system has a score for. Systems that share a letter "
        "do not differ significantly: p below, after Holm, is 0.05 or more.",
    )


def _tests(rankings: Sequence[Ranking], sources: Sequence[Source]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for ranking in rankings:
        for place, index in enumerate(ranking.order):
            for other in ranking.order[place + 1 :]:
                key, turn = ((index, other), 1.0) if index < other else ((other, index), -1.0)
                test = ranking.tests[key]
                difference = test.difference if turn > 0 else scale_estimate(test.difference, -1.0)
                names = (sources[index].name, sources[other].name)
                rows.append((ranking.metric, *names, difference, test.randomisation_p, ranking.p_values[key]))
    return Table(
        name="tests",
        title="System against system",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="better", title="System ahead"),
            Column(name="worse", title="System behind"),
            Column(name="difference", title="Difference"),
            Column(name="p_randomisation", title="p, randomisation", digits=4),
            Column(name="p_holm", title="after Holm", digits=4),
        ),
        rows=tuple(rows),
        note="The difference is the mean of the system ahead less that of the one behind, with its 95 % interval. "
        "Paired randomisation by study, two-sided; Holm's correction over all rows of this table.",
    )


def _orders(rankings: Sequence[Ranking], count: int) -> Table | None:
    """Agreement of each two metrics on the order of the systems; None for a single metric."""
    rows: list[tuple[Cell, ...]] = []
    for one, other in combinations(rankings, 2):
        alike = opposed = 0
        for i, j in combinations(range(count), 2):
            first, second = (
                ranking.sign * ((ranking.means[i].value or 0.0) - (ranking.means[j].value or 0.0))
                for ranking in (one, other)
            )
            if abs(first) > EQUAL and abs(second) > EQUAL:
                alike += first * second > 0
                opposed += first * second < 0
        share = alike / (alike + opposed) if alike + opposed else None
        rows.append((one.metric, other.metric, alike, opposed, share))
    if not rows:
        return None
    return Table(
        name="rankings",
        title="Do the metrics agree on which system is better?",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="other", title="Other metric"),
            Column(name="alike", title="Pairs of systems ordered alike"),
            Column(name="opposed", title="Ordered otherwise"),
            Column(name="agree", title="Alike", percent=True),
        ),
        rows=tuple(rows),
    )


def _plots(ranking: Ranking, sources: Sequence[Source]) -> tuple[Plot, ...]:
    names = tuple(sources[index].name for index in ranking.order)
    values: list[tuple[float | None, ...]] = []
    words: list[tuple[str, ...]] = []
    for index in ranking.order:
        cells = [_cell(ranking, index, other) for other in ranking.order]
        values.append(tuple(value for value, _ in cells))
        words.append(tuple(word for _, word in cells))
    most = max((abs(value) for row in values for value in row if value is not None), default=1.0) or 1.0
    return (
        Forest(
            name=f"means-{ranking.metric}",
            title=f"Means by {ranking.metric}, best first",
            x_title=f"{ranking.metric}, {'higher' if ranking.sign > 0 else 'lower'} is better",
            rows=tuple(
                ForestRow(f"{sources[index].name} ({letters})", ranking.means[index])
                for index, letters in zip(ranking.order, ranking.letters, strict=True)
            ),
        ),
        HeatMap(
            name=f"tests-{ranking.metric}",
            title=f"How much better the row is than the column by {ranking.metric}, with p after Holm",
            rows=names,
            columns=names,
            values=tuple(values),
            words=tuple(words),
            low=-most,
            high=most,
        ),
    )


def _cell(ranking: Ranking, index: int, other: int) -> tuple[float | None, str]:
    if index == other:
        return None, ""
    key, turn = ((index, other), 1.0) if index < other else ((other, index), -1.0)
    value, p = ranking.tests[key].difference.value, ranking.p_values[key]
    if value is None:
        return None, ""
    advantage = turn * ranking.sign * value + 0.0  # no negative zero
    return advantage, f"{advantage:+.3f}" + (f", p {p:.4f}" if p is not None else "")
