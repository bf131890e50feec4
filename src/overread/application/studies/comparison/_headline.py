"""What a comparison of two systems says first: a row a metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from overread.application.statistics import PairedDifference, holm
from overread.application.studies.comparison._matched import EQUAL, Matched, Rivals
from overread.application.studies.comparison._means import deviation, scaled
from overread.application.studies.tabulation import Cell, Column, Estimate, Table

__all__ = ["difference_table", "effect_table", "standardised", "test_table"]

_SIGNIFICANT: Final = 0.05


def difference_table(rivals: Rivals, told: Sequence[Sequence[PairedDifference]]) -> Table:
    """The means of each system, and their difference."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            item.metric,
            "higher" if item.sign > 0 else "lower",
            found[-1].rows,
            *(each.difference for each in found),
        )
        for item, found in zip(rivals.metrics, told, strict=True)
    )
    return Table(
        name="differences",
        title="Differences",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="better", title="Better is"),
            Column(name="pairs", title="Pairs"),
            Column(name="first", title=rivals.first.name),
            Column(name="second", title=rivals.second.name),
            Column(name="difference", title="Difference"),
        ),
        rows=rows,
        note=f"Means over the pairs scored in both files, with 95 % intervals. The difference is {rivals.first.name} "
        f"less {rivals.second.name}, pair by pair.",
    )


def test_table(rivals: Rivals, differences: Sequence[PairedDifference]) -> Table:
    """Whether the differences could be chance."""
    drawn, turned = [d.bootstrap_p for d in differences], [d.randomisation_p for d in differences]
    rows: list[tuple[Cell, ...]] = []
    for item, found, p_drawn, p_turned in zip(rivals.metrics, differences, holm(drawn), holm(turned), strict=True):
        ahead = _ahead(rivals, item, found)
        decided = "yes" if p_turned is not None and p_turned < _SIGNIFICANT else "no"
        rows.append((item.metric, ahead, decided, found.randomisation_p, p_turned, found.bootstrap_p, p_drawn))
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


def _ahead(rivals: Rivals, item: Matched, found: PairedDifference) -> str:
    value = found.difference.value
    if value is None:
        return ""
    if abs(value) <= EQUAL:
        return "neither"
    return rivals.first.name if value * item.sign > 0 else rivals.second.name


def effect_table(rivals: Rivals, differences: Sequence[PairedDifference]) -> Table:
    """How large the differences are."""
    rows: list[tuple[Cell, ...]] = []
    for item, found in zip(rivals.metrics, differences, strict=True):
        advantage = item.advantage[~np.isnan(item.advantage)]
        shares = [_share(advantage > EQUAL), _share(np.abs(advantage) <= EQUAL), _share(advantage < -EQUAL)]
        rows.append((item.metric, *shares, standardised(item, found)))
    return Table(
        name="effects",
        title="Effects",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="first_better", title=f"{rivals.first.name} better", percent=True),
            Column(name="tied", title="Tied", percent=True),
            Column(name="second_better", title=f"{rivals.second.name} better", percent=True),
            Column(name="advantage", title=f"Advantage of {rivals.first.name}"),
        ),
        rows=tuple(rows),
        note="Shares of pairs. The advantage is the mean difference in standard deviations of a pair's difference "
        "(Cohen's d of paired data), above 0 where the first system is better, with its 95 % interval.",
    )


def _share(which: npt.NDArray[np.bool_]) -> float:
    return float(which.mean()) if len(which) else np.nan


def standardised(item: Matched, found: PairedDifference) -> Estimate:
    """The advantage in standard deviations of a pair's difference; 0 where no pair differs."""
    spread = deviation(item.difference)
    if np.isnan(spread):
        return Estimate(None)
    if spread <= EQUAL:
        return Estimate(0.0, 0.0, 0.0) if abs(found.difference.value or 0.0) <= EQUAL else Estimate(None)
    return scaled(found.difference, item.sign / spread)
