"""Two systems by the same metrics over the same references: which is better, where, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from overread.application.statistics import DRAWS, PairedDifference, Resampling
from overread.application.statistics.tabulation import (
    Fact,
    Forest,
    ForestRow,
    HeatMap,
    Plot,
    Scatter,
    Tabulation,
)
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison._aligned import PairFacts, Source, check_signatures
from overread.studies.application.comparison._errors import error_tables, subscore_table
from overread.studies.application.comparison._headline import headline, standardise
from overread.studies.application.comparison._matched import SystemPair, coverage_table, match, unscored_table
from overread.studies.application.comparison._points import sample_points
from overread.studies.application.comparison._strata import strata_map, strata_of, strata_table
from overread.studies.application.comparison._support import diversity_table, support_table, template_notes
from overread.studies.application.comparison._verdicts import verdict_table
from overread.studies.application.comparison._wins import win_tables

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
        Tables "differences", "support" and "diversity" (what the means rest on), "tests" and "effects" (a row a
        metric); "errors-by-category", "errors-by-aspect", "errors-by-severity", "subscores", "strata" and "verdicts"
        where there is something to tell; "wins" and "losses" (of the first); "pairs" and "unscored".

    Raises:
        ConfigurationError: if the files share no metric or no pair, or scored one with different settings.
    """
    chosen = _choose_metrics(first, second, metrics)
    mixed = check_signatures((first, second), chosen, force=force)
    systems = match(first, second, facts, chosen)
    resampling = Resampling.by_study(systems.studies, draws=draws, seed=seed)
    differences, tables = headline(systems, resampling)
    strata = strata_of(systems, resampling)
    all_tables = (
        tables[0],
        support_table([(source.name, source.metrics[name]) for name in chosen for source in (first, second)]),
        diversity_table((first, second)),
        *tables[1:],
        *error_tables(systems, resampling),
        subscore_table(systems, resampling),
        strata_table(systems, strata),
        verdict_table(systems, resampling),
        *win_tables(systems, shown),
        coverage_table(systems),
        unscored_table([(source.name, source.metrics[name]) for name in chosen for source in (first, second)]),
    )
    return Tabulation(
        name="comparison",
        title=f"{first.name} against {second.name}",
        tables=tuple(table for table in all_tables if table),
        plots=tuple(_plots(systems, differences, strata_map(systems, strata))),
        facts=_facts(systems, draws, seed),
        notes=(*template_notes((first, second)), *mixed),
    )


def _choose_metrics(first: Source, second: Source, metrics: Sequence[str]) -> list[str]:
    chosen = [name for name in metrics or first.metrics if name in first.metrics and name in second.metrics]
    absent = [name for name in metrics if name not in chosen]
    if absent or not chosen:
        words = f"{', '.join(absent)} is not in both" if absent else "share no metric"
        raise ConfigurationError([f"{first.name} and {second.name}: {words}"])
    return chosen


def _plots(systems: SystemPair, differences: Sequence[PairedDifference], strata: HeatMap | None) -> Iterator[Plot]:
    rows = tuple(
        ForestRow(item.metric, estimate)
        for item, difference in zip(systems.metrics, differences, strict=True)
        if (estimate := standardise(item, difference)).value is not None
    )
    if rows:
        yield Forest(
            name="effects",
            title=f"Advantage of {systems.first.name} over {systems.second.name}",
            x_title="standard deviations of a pair's difference; to the right the first is better",
            rows=rows,
            reference=0.0,
        )
    if strata:
        yield strata
    for item in systems.metrics:
        points, words = sample_points(item.first, item.second, systems.ids)
        if points:
            yield Scatter(
                name=f"scores-{item.metric}",
                title=f"{item.metric}, pair by pair",
                x_title=systems.first.name,
                y_title=systems.second.name,
                points=points,
                caption=words,
            )


def _facts(systems: SystemPair, draws: int, seed: int) -> dict[str, Fact]:
    signatures = {}
    for item in systems.metrics:
        if item.a.signature or item.b.signature:
            same = item.a.signature == item.b.signature
            signatures[item.metric] = item.a.signature if same else f"{item.a.signature} against {item.b.signature}"
    return {
        "first": systems.first.name,
        "second": systems.second.name,
        "pairs": len(systems.ids),
        "studies": len(set(systems.studies)),
        "draws": draws,
        "seed": seed,
        **signatures,
    }
