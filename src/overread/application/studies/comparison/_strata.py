"""Differences between two systems within kinds of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from overread.application.statistics import holm
from overread.application.studies.comparison._matched import EQUAL, Matched, Rivals
from overread.application.studies.comparison._means import Means, deviation
from overread.application.studies.tabulation import Cell, Column, HeatMap, Table

__all__ = ["AskedStratum", "ask_strata", "strata_map", "strata_table"]

_NONE = "(none)"


@frozen(kw_only=True)
class AskedStratum:
    """A kind of pairs by one metric; the places are those of the means asked for: each system's, and the difference."""

    item: Matched
    column: str
    value: str
    places: tuple[int, int, int]


def ask_strata(rivals: Rivals, means: Means) -> list[AskedStratum]:
    """Every kind of every column, by every metric."""
    asked = []
    for column in rivals.facts.strata:
        kinds = np.array(rivals.facts.values(column, rivals.ids), dtype=np.str_)
        for value in sorted(set(kinds.tolist())):
            inside = kinds == value
            for item in rivals.metrics:
                one, other = (np.where(inside, scores, np.nan) for scores in (item.first, item.second))
                places = (means.ask(one), means.ask(other), means.ask(one - other))
                asked.append(AskedStratum(item=item, column=column, value=value or _NONE, places=places))
    return asked


def strata_table(rivals: Rivals, asked: Sequence[AskedStratum], means: Means) -> Table | None:
    """A row a kind and metric; None where no column was named."""
    if not asked:
        return None
    corrected = _corrected(asked, means)
    rows: list[tuple[Cell, ...]] = []
    for row, p in zip(asked, corrected, strict=True):
        one, other, difference = (means.told[place] for place in row.places)
        values = (one.difference.value, other.difference.value, difference.difference)
        rows.append((row.column, row.value, row.item.metric, difference.rows, *values, p))
    return Table(
        name="strata",
        title="By kind of pair",
        columns=(
            Column(name="column", title="Column"),
            Column(name="value", title="Kind"),
            Column(name="metric", title="Metric"),
            Column(name="pairs", title="Pairs"),
            Column(name="first", title=rivals.first.name),
            Column(name="second", title=rivals.second.name),
            Column(name="difference", title="Difference"),
            Column(name="p_holm", title="p (Holm)", digits=4),
        ),
        rows=tuple(rows),
        note=f"As the differences above, within one kind of pair: {rivals.first.name} less {rivals.second.name}; p by "
        "paired randomisation, corrected over the table's rows.",
    )


def strata_map(rivals: Rivals, asked: Sequence[AskedStratum], means: Means) -> HeatMap | None:
    """The advantage of the first by kind and metric, in standard deviations of a pair's difference over all pairs."""
    if not asked:
        return None
    kinds = list(dict.fromkeys((row.column, row.value) for row in asked))
    names = [item.metric for item in rivals.metrics]
    values: list[list[float | None]] = [[None] * len(names) for _ in kinds]
    words = [[""] * len(names) for _ in kinds]
    for row, p in zip(asked, _corrected(asked, means), strict=True):
        value = means.told[row.places[-1]].difference.value
        spread = deviation(row.item.difference)
        if value is None or not spread > EQUAL:
            continue
        place = kinds.index((row.column, row.value)), names.index(row.item.metric)
        advantage = row.item.sign * value / spread + 0.0  # no negative zero
        values[place[0]][place[1]] = advantage
        words[place[0]][place[1]] = f"{advantage:+.2f}" + (f", p {p:.4f}" if p is not None else "")
    most = max((abs(value) for row in values for value in row if value is not None), default=1.0) or 1.0
    return HeatMap(
        name="strata",
        title=f"Advantage of {rivals.first.name} by kind of pair, in standard deviations",
        rows=tuple(f"{column}: {value}" for column, value in kinds),
        columns=tuple(names),
        values=tuple(map(tuple, values)),
        words=tuple(map(tuple, words)),
        low=-most,
        high=most,
    )


def _corrected(asked: Sequence[AskedStratum], means: Means) -> tuple[float | None, ...]:
    return holm([means.told[row.places[-1]].randomisation_p for row in asked])
