"""Differences between two systems within kinds of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from overread.application.statistics import PairedDifference, Resampling, holm
from overread.application.statistics.tabulation import Cell, Column, HeatMap, Table
from overread.domain.results.scores import Floats
from overread.studies.application.comparison._matched import EQUAL, Matched, SystemPair, system_columns
from overread.studies.application.comparison._means import deviation, mean_differences

__all__ = ["Stratum", "strata_map", "strata_of", "strata_table"]

_NONE = "(none)"


@frozen(kw_only=True)
class Stratum:
    """A kind of pairs by one metric: mean of each system and their difference, and p after correction over all."""

    item: Matched
    column: str
    value: str
    first: float | None
    second: float | None
    difference: PairedDifference
    p: float | None


def strata_of(systems: SystemPair, resampling: Resampling) -> list[Stratum]:
    """Every kind of every column, by every metric; nothing where no column was named."""
    named: list[tuple[Matched, str, str]] = []
    columns: list[Floats] = []
    for column in systems.facts.strata:
        kinds = np.array(systems.facts.values(column, systems.ids), dtype=np.str_)
        for value in sorted(set(kinds.tolist())):
            for item in systems.metrics:
                first, second = (np.where(kinds == value, scores, np.nan) for scores in (item.first, item.second))
                named.append((item, column, value or _NONE))
                columns += [first, second, first - second]
    means = mean_differences(columns, resampling)
    corrected = holm([difference.randomisation_p for difference in means[2::3]])
    return [
        Stratum(
            item=item,
            column=column,
            value=value,
            first=first.difference.value,
            second=second.difference.value,
            difference=difference,
            p=p,
        )
        for (item, column, value), first, second, difference, p in zip(
            named, means[::3], means[1::3], means[2::3], corrected, strict=True
        )
    ]


def strata_table(systems: SystemPair, strata: Sequence[Stratum]) -> Table | None:
    """A row a kind and metric; None where there are none."""
    if not strata:
        return None
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            *(stratum.column, stratum.value, stratum.item.metric, stratum.difference.rows),
            *(stratum.first, stratum.second, stratum.difference.difference, stratum.p),
        )
        for stratum in strata
    )
    return Table(
        name="strata",
        title="By kind of pair",
        columns=(
            Column(name="column", title="Column"),
            Column(name="value", title="Kind"),
            Column(name="metric", title="Metric"),
            Column(name="pairs", title="Pairs"),
            *system_columns(systems),
            Column(name="difference", title="Difference"),
            Column(name="p_holm", title="p (Holm)", digits=4),
        ),
        rows=rows,
        note=f"As the differences above, within one kind of pair: {systems.first.name} less {systems.second.name}; "
        "p by paired randomisation, corrected over the table's rows.",
    )


def strata_map(systems: SystemPair, strata: Sequence[Stratum]) -> HeatMap | None:
    """The advantage of the first by kind and metric, in standard deviations of a pair's difference over all pairs."""
    if not strata:
        return None
    kinds = list(dict.fromkeys((stratum.column, stratum.value) for stratum in strata))
    names = [item.metric for item in systems.metrics]
    values: list[list[float | None]] = [[None] * len(names) for _ in kinds]
    words = [[""] * len(names) for _ in kinds]
    for stratum in strata:
        value, spread = stratum.difference.difference.value, deviation(stratum.item.difference)
        if value is None or not spread > EQUAL:
            continue
        row, column = kinds.index((stratum.column, stratum.value)), names.index(stratum.item.metric)
        advantage = stratum.item.sign * value / spread + 0.0  # no negative zero
        values[row][column] = advantage
        words[row][column] = f"{advantage:+.2f}" + (f", p {stratum.p:.4f}" if stratum.p is not None else "")
    most = max((abs(value) for row in values for value in row if value is not None), default=1.0) or 1.0
    return HeatMap(
        name="strata",
        title=f"Advantage of {systems.first.name} by kind of pair, in standard deviations",
        rows=tuple(f"{column}: {value}" for column, value in kinds),
        columns=tuple(names),
        values=tuple(map(tuple, values)),
        words=tuple(map(tuple, words)),
        low=-most,
        high=most,
    )
