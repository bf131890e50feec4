"""Scores by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell, Table
from overread.domain.results.scores import MetricScores
from overread.studies.application.comparison import Source

__all__ = ["column", "held", "source", "value"]


def held(
    scores: Sequence[float] | Mapping[str, float],
    *,
    metric: str = "risk",
    signature: str = "risk|reader:one",
    counts: Mapping[str, Sequence[float]] | None = None,
    subscores: Mapping[str, Sequence[float]] | None = None,
) -> MetricScores:
    """Scores of pairs p0, p1, ... or of the ids given; NaN is unscored. More is better of "share" alone."""
    by_id = scores if isinstance(scores, Mapping) else {f"p{i}": score for i, score in enumerate(scores)}
    values = np.array(list(by_id.values()), dtype=np.float64)
    categories = {name: np.array(found, dtype=np.float32) for name, found in (counts or {}).items()}
    return MetricScores(
        metric=metric,
        signature=signature,
        higher_is_better=metric == "share",
        ids=tuple(by_id),
        scores=values,
        subscores={name: np.array(found, dtype=np.float64) for name, found in (subscores or {}).items()},
        counts={"category": categories, "aspect": {}, "severity": {}},
        reasons={name: "empty" for name, score in by_id.items() if np.isnan(score)},
    )


def source(name: str, *metrics: MetricScores) -> Source:
    """A file that holds some metrics."""
    return Source(name=name, metrics={scores.metric: scores for scores in metrics})


def column(table: Table, name: str) -> list[Cell]:
    """The cells of a column."""
    place = [each.name for each in table.columns].index(name)
    return [row[place] for row in table.rows]


def value(cell: Cell) -> float:
    """The figure of a cell."""
    figure = cell.value if isinstance(cell, Estimate) else cell
    assert isinstance(figure, float | int)
    return float(figure)
