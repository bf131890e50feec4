"""Two systems by the same metrics over the same references: which is better, where, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from overread.application.statistics import DRAWS, PairedDifference, Resampling
from overread.application.studies.comparison._aligned import PairFacts, Source, check_signatures
from overread.application.studies.comparison._errors import ask_errors, ask_subscores, error_tables, subscore_table
from overread.application.studies.comparison._headline import difference_table, effect_table, standardised, test_table
from overread.application.studies.comparison._matched import Rivals, coverage_table, match, unscored_table
from overread.application.studies.comparison._means import Means
from overread.application.studies.comparison._points import sampled
from overread.application.studies.comparison._strata import ask_strata, strata_map, strata_table
from overread.application.studies.comparison._verdicts import verdict_table
from overread.application.studies.comparison._wins import win_tables
from overread.application.studies.tabulation import (
    Forest,
    ForestRow,
    HeatMap,
    Plot,
    Scatter,
    Tabulation,
)
from overread.exceptions import ConfigurationError

__all__ = ["compare_systems"]


def compare_systems(
    first: Source,
    second: Source,
    facts: PairFacts,
    *,
    metrics: Sequence[str] = (),
    draws: int = DRAWS,
    seed: int = 0,
    shown: int = 5,
    force: bool = False,
) -> Tabulation:
    """Compares two result files of the same metrics.

    Everything is over the pairs that both files score, paired by id; the others are counted. Differences are the
    first's mean less the second's. Intervals, and p values of the bootstrap, come from draws of studies; p values of
    the randomisation from letting the two systems change places study by study.

    Args:
        first: one system.
        second: the other.
        facts: studies and strata of the pairs.
        metrics: names of those to use; all that both files hold by default.
        draws: of the bootstrap and of the randomisation.
        seed: of the draws.
        shown: pairs listed for each metric where either system is better most.
        force: compare scores made with different settings too, and say so in the notes.

    Returns:
        Tables "differences", "tests" and "effects" (a row a metric); "errors-by-category", "errors-by-aspect",
        "errors-by-severity", "subscores", "strata" and "verdicts" where there is something to tell; "wins" and "losses"
        (of the first); "pairs" and "unscored".

    Raises:
        ConfigurationError: if the files share no metric or no pair, or scored one with different settings.
    """
    chosen = [name for name in metrics or first.metrics if name in first.metrics and name in second.metrics]
    absent = [name for name in metrics if name not in chosen]
    if absent or not chosen:
        words = f"{', '.join(absent)} is not in both" if absent else "share no metric"
        raise ConfigurationError([f"{first.name} and {second.name}: {words}"])
    mixed = check_signatures((first, second), chosen, force=force)
    rivals = match(first, second, facts, chosen)
    if not any(np.any(~np.isnan(item.first)) for item in rivals.metrics):
        raise ConfigurationError([f"no pair is scored in both {first.name} and {second.name}; are the ids the same?"])

    resampling = Resampling.by_study(rivals.studies, draws=draws, seed=seed)
    means = Means(resampling)
    asked = [[means.ask(column) for column in (item.first, item.second, item.difference)] for item in rivals.metrics]
    errors, subscores, strata = ask_errors(rivals, means), ask_subscores(rivals, means), ask_strata(rivals, means)
    told = [[means.told[place] for place in places] for places in asked]
    differences = [found[-1] for found in told]

    wins, losses = win_tables(rivals, shown)
    optional = (
        subscore_table(rivals, subscores, means),
        strata_table(rivals, strata, means),
        verdict_table(rivals, resampling),
    )
    held = [(source.name, source.metrics[name]) for name in chosen for source in (first, second)]
    tables = (
        difference_table(rivals, told),
        test_table(rivals, differences),
        effect_table(rivals, differences),
        *error_tables(rivals, errors, means),
        *(table for table in optional if table),
        wins,
        losses,
        coverage_table(rivals),
        *(table for table in (unscored_table(held),) if table),
    )
    return Tabulation(
        name="comparison",
        title=f"{first.name} against {second.name}",
        tables=tables,
        plots=tuple(_plots(rivals, differences, strata_map(rivals, strata, means))),
        facts=_facts(rivals, draws, seed),
        notes=tuple(mixed),
    )


def _plots(rivals: Rivals, differences: Sequence[PairedDifference], strata: HeatMap | None) -> Iterator[Plot]:
    rows = tuple(
        ForestRow(item.metric, estimate)
        for item, found in zip(rivals.metrics, differences, strict=True)
        if (estimate := standardised(item, found)).value is not None
    )
    if rows:
        yield Forest(
            name="effects",
            title=f"Advantage of {rivals.first.name} over {rivals.second.name}",
            x_title="standard deviations of a pair's difference; to the right the first is better",
            rows=rows,
            reference=0.0,
        )
    if strata:
        yield strata
    for item in rivals.metrics:
        points, words = sampled(item.first, item.second, rivals.ids)
        if points:
            yield Scatter(
                name=f"scores-{item.metric}",
                title=f"{item.metric}, pair by pair",
                x_title=rivals.first.name,
                y_title=rivals.second.name,
                points=points,
                caption=words,
            )


def _facts(rivals: Rivals, draws: int, seed: int) -> dict[str, str]:
    signatures = {}
    for item in rivals.metrics:
        if item.a.signature or item.b.signature:
            same = item.a.signature == item.b.signature
            signatures[item.metric] = item.a.signature if same else f"{item.a.signature} against {item.b.signature}"
    return {
        "first": rivals.first.name,
        "second": rivals.second.name,
        "pairs": f"{len(rivals.ids):,}",
        "studies": f"{len(set(rivals.studies)):,}",
        "draws": f"{draws:,}",
        "seed": str(seed),
        **signatures,
    }
