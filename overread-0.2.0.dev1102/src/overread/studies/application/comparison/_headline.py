"""Headline of a comparison of two systems: a row per metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from overread.application.statistics import Estimate, PairedDifference, Resampling, holm
from overread.application.statistics.tabulation import Cell, Column, Table
from overread.studies.application.comparison._matched import EQUAL, Matched, SystemPair, system_columns
from overread.studies.application.comparison._means import deviation, mean_differences, scale_estimate

__all__ = ["headline", "standardise"]

_SIGNIFICANT: Final = 0.05


def headline(systems: SystemPair, resampling: Resampling) -> tuple[Sequence[PairedDifference], tuple[Table, ...]]:
    """The difference by each metric, and tables of means, tests and effects."""
    columns = [column for item in systems.metrics for column in (item.first, item.second, item.difference)]
    means = mean_differences(columns, resampling)
    differences = means[2::3]
    triples = list(zip(means[::3], means[1::3], differences, strict=True))
    return differences, (
        _difference_table(systems, triples),
        _test_table(systems, differences),
        _effect_table(systems, differences),
    )


def _difference_table(systems: SystemPair, means: Sequence[Sequence[PairedDifference]]) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            item.metric,
            "higher" if item.sign > 0 else "lower",
            item_means[-1].rows,
            *(mean.difference for mean in item_means),
        )
        for item, item_means in zip(systems.metrics, means, strict=True)
    )
    return Table(
        name="differences",
        title="Differences",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="better", title="Better is"),
            Column(name="pairs", title="Pairs"),
            *system_columns(systems),
            Column(name="difference", title="Difference"),
        ),
        rows=rows,
        note=f"Means over the pairs scored in both, with 95 % intervals. The difference is {systems.first.name} "
        f"less {systems.second.name}, pair by pair.",
    )


def _test_table(systems: SystemPair, differences: Sequence[PairedDifference]) -> Table:
    drawn, turned = [d.bootstrap_p for d in differences], [d.randomisation_p for d in differences]
    rows: list[tuple[Cell, ...]] = []
    for item, difference, p_drawn, p_turned in zip(
        systems.metrics, differences, holm(drawn), holm(turned), strict=True
    ):
        ahead = _ahead(systems, item, difference)
        decided = "yes" if p_turned is not None and p_turned < _SIGNIFICANT else "no"
        rows.append(
            (item.metric, ahead, decided, difference.randomisation_p, p_turned, difference.bootstrap_p, p_drawn)
        )
    return Table(
        name="tests",
        title="Tests",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="ahead", title="Ahead"),
            Column(name="significant", title="Significant"),
            Column(name="p_randomisation", title="p, randomisation", digits=4),
            Column(name="p_randomisation_holm", title="after Holm", digits=4),
            Column(name="p_bootstrap", title="p, bootstrap", digits=4),
            Column(name="p_bootstrap_holm", title="after Holm", digits=4),
        ),
        rows=tuple(rows),
        note="Two-sided, paired, by study; Holm's correction over all rows of this table. Significant: p of the "
        "randomisation below 0.05 after Holm.",
    )


def _ahead(systems: SystemPair, item: Matched, found: PairedDifference) -> str:
    value = found.difference.value
    if value is None:
        return ""
    if abs(value) <= EQUAL:
        return "neither"
    return systems.first.name if value * item.sign > 0 else systems.second.name


def _effect_table(systems: SystemPair, differences: Sequence[PairedDifference]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for item, difference in zip(systems.metrics, differences, strict=True):
        advantage = item.advantage[~np.isnan(item.advantage)]
        shares = [_share(advantage > EQUAL), _share(np.abs(advantage) <= EQUAL), _share(advantage < -EQUAL)]
        rows.append((item.metric, *shares, standardise(item, difference)))
    return Table(
        name="effects",
        title="Effects",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="first_better", title=f"{systems.first.name} better", percent=True),
            Column(name="tied", title="Tied", percent=True),
            Column(name="second_better", title=f"{systems.second.name} better", percent=True),
            Column(name="advantage", title=f"Advantage of {systems.first.name}"),
        ),
        rows=tuple(rows),
        note="Shares of pairs. The advantage is the mean difference in standard deviations of a pair's difference "
        "(Cohen's d of paired data), above 0 where the first system is better, with its 95 % interval.",
    )


def _share(which: npt.NDArray[np.bool_]) -> float:
    return float(which.mean()) if len(which) else np.nan


def standardise(item: Matched, found: PairedDifference) -> Estimate:
    """The advantage in standard deviations of a pair's difference; 0 where no pair differs."""
    spread = deviation(item.difference)
    if np.isnan(spread):
        return Estimate(None)
    if spread <= EQUAL:
        return Estimate(0.0, 0.0, 0.0) if abs(found.difference.value or 0.0) <= EQUAL else Estimate(None)
    return scale_estimate(found.difference, item.sign / spread)
