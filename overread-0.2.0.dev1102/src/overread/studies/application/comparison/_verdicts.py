"""Agreement of two metrics on which of two systems is better."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from overread.application.statistics import Resampling
from overread.application.statistics.correlations import Spearman
from overread.application.statistics.tabulation import Cell, Column, Table
from overread.domain.results.scores import Floats
from overread.studies.application.comparison._matched import EQUAL, SystemPair
from overread.studies.application.comparison._ranks import rank_estimate

__all__ = ["verdict_table"]


def verdict_table(systems: SystemPair, resampling: Resampling) -> Table | None:
    """A row for each two metrics; None for a single metric."""
    rows: list[tuple[Cell, ...]] = []
    for one, other in combinations(systems.metrics, 2):
        first, second = one.advantage, other.advantage
        both = ~np.isnan(first) & ~np.isnan(second)
        left, right = _verdicts(first[both]), _verdicts(second[both])
        decided = (left != 0) & (right != 0)
        alike = float((left == right)[decided].mean()) if decided.any() else np.nan
        related = rank_estimate(Spearman(), first, second, resampling)
        same = _word(float(np.mean(first[both])), float(np.mean(second[both]))) if both.any() else ""
        rows.append((one.metric, other.metric, int(both.sum()), same, int(decided.sum()), alike, related))
    if not rows:
        return None
    return Table(
        name="verdicts",
        title="Do the metrics agree on which system is better?",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="other", title="Other metric"),
            Column(name="pairs", title="Pairs"),
            Column(name="same_ahead", title="Same system ahead"),
            Column(name="decided", title="Pairs decided by both"),
            Column(name="agree", title="Alike", percent=True),
            Column(name="spearman", title="Spearman"),
        ),
        rows=tuple(rows),
        note="Over the pairs that both metrics score in both files. Alike: in how many of the pairs in which both see "
        "a difference they name the same system. Spearman: rank correlation of the two advantages.",
    )


def _verdicts(advantage: Floats) -> Floats:
    return np.where(np.abs(advantage) <= EQUAL, 0.0, np.sign(advantage))


def _word(first: float, second: float) -> str:
    if abs(first) <= EQUAL or abs(second) <= EQUAL:
        return "tied"
    return "yes" if first * second > 0 else "no"
