"""Metrics against each other: the difference of a figure over the same pairs, with tests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations

from overread.application.statistics import PairedDifference, holm
from overread.application.statistics.tabulation import Column, HeatMap, Table

__all__ = ["ALPHA", "compare_metrics"]

ALPHA = 0.05
"""A difference counts as significant where its corrected p value is below this."""

Compare = Callable[[int, int], PairedDifference]


def compare_metrics(
    name: str, title: str, metrics: Sequence[str], compare: Compare, *, note: str, against: Collection[str] = ()
) -> tuple[Table, HeatMap]:
    """Every pair of metrics.

    Args:
        name: of the table and of the heat map beside it.
        title: of both.
        metrics: names, in the order of the tables.
        compare: the first's figure less the second's, by their places.
        note: what the figure is and what is swapped in the randomisation test.
        against: names of metrics that others are compared with, but not one with another; if all are, nothing is left
            out.
    """
    places = list(combinations(range(len(metrics)), 2))
    if against and not set(metrics) <= set(against):
        note += " Metrics whose scores come with the set are not compared with one another."
        places = [place for place in places if not {metrics[index] for index in place} <= set(against)]
    results = {place: compare(*place) for place in places}
    corrected = dict(zip(places, holm([results[place].randomisation_p for place in places]), strict=True))
    return _table(name, title, metrics, results, corrected, note), _heat_map(name, title, metrics, results, corrected)


Found = Mapping[tuple[int, int], PairedDifference]
Corrected = Mapping[tuple[int, int], float | None]


def _table(name: str, title: str, metrics: Sequence[str], found: Found, corrected: Corrected, note: str) -> Table:
    return Table(
        name=name,
        title=title,
        columns=(
            Column(name="first", title="metric"),
            Column(name="second", title="less"),
            Column(name="difference", title="difference"),
            Column(name="bootstrap_p", title="p bootstrap", digits=4),
            Column(name="randomisation_p", title="p random.", digits=4),
            Column(name="holm_p", title="p Holm", digits=4),
            Column(name="pairs", title="pairs"),
        ),
        rows=tuple(
            (
                metrics[first],
                metrics[second],
                difference.difference,
                difference.bootstrap_p,
                difference.randomisation_p,
                corrected[first, second],
                difference.rows,
            )
            for (first, second), difference in found.items()
        ),
        note=f"{note} P values are two-sided: of the paired bootstrap, of paired approximate randomisation, and the "
        "latter after Holm's correction over this table.",
    )


def _heat_map(name: str, title: str, metrics: Sequence[str], found: Found, corrected: Corrected) -> HeatMap:
    """Signed so that above 0 the row's metric is better; what is not significant is 0."""
    values: list[list[float | None]] = [[None] * len(metrics) for _ in metrics]
    words = [[""] * len(metrics) for _ in metrics]
    for (first, second), difference in found.items():
        p = corrected[first, second]
        value = difference.difference.value
        if value is None or p is None:
            continue
        for row, column, signed in ((first, second, value), (second, first, -value)):
            values[row][column] = _sign(signed) if p < ALPHA else 0.0
            words[row][column] = f"{signed:+.3f}{'*' if p < ALPHA else ''}"
    return HeatMap(
        name=name,
        title=f"{title} (row less column; * and colour: p < {ALPHA:g} after Holm)",
        rows=tuple(metrics),
        columns=tuple(metrics),
        values=tuple(map(tuple, values)),
        words=tuple(map(tuple, words)),
    )


def _sign(value: float) -> float:
    return float((value > 0) - (value < 0))
