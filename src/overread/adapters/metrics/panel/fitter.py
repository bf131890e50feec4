"""Fitting a panel: each member's scores as ratings by isotonic regression, and weights by least squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from overread.domain.results.panel import PanelMember, PanelTable
from overread.extras import require

require("fitting a panel", "statistics")

from scipy.optimize import nnls  # noqa: E402 - what is missing is told first
from sklearn.isotonic import IsotonicRegression  # noqa: E402 - as above

__all__ = ["fit_panel"]

Vector = npt.NDArray[np.float64]

_KNOTS: Final = 9
"""Points of a member's curve: eighths of the pairs it was fitted on."""


def fit_panel(
    scores: Mapping[str, Vector], ratings: Vector, *, higher_is_better: Mapping[str, bool], name: str, note: str = ""
) -> PanelTable:
    """The panel whose rating is closest to people's, in squares.

    A member's curve is smoothed over eighths of the pairs, so that few numbers say what its scores mean.

    Args:
        scores: by metric, one a pair; NaN where it has none.
        ratings: people's, 1 to 5, higher is better.
        higher_is_better: by metric.
        name: of the table.
        note: what it was fitted on.
    """
    curves = {metric: _curve(column, ratings, rising=higher_is_better[metric]) for metric, column in scores.items()}
    estimates = np.column_stack([np.interp(scores[metric], *curve) for metric, curve in curves.items()])
    whole = ~np.isnan(estimates).any(axis=1)
    weights = _shares(estimates[whole], ratings[whole])
    return PanelTable(
        name=name,
        note=note,
        members={
            metric: PanelMember(
                weight=round(float(weight), 3),
                scores=tuple(round(float(x), 4) for x in curve[0]),
                ratings=tuple(round(float(y), 3) for y in curve[1]),
            )
            for (metric, curve), weight in zip(curves.items(), weights, strict=True)
        },
    )


def _curve(scores: Vector, ratings: Vector, *, rising: bool) -> tuple[Vector, Vector]:
    known = ~np.isnan(scores)
    x, y = scores[known], ratings[known]
    knots = np.unique(np.round(np.quantile(x, np.linspace(0.0, 1.0, _KNOTS)), 4))
    smooth = IsotonicRegression(increasing=rising, out_of_bounds="clip").fit(x, y)
    halves = np.r_[-np.inf, (knots[1:] + knots[:-1]) / 2, np.inf]
    predicted = smooth.predict(x)
    means = [
        predicted[(x > low) & (x <= high)].mean()
        if ((x > low) & (x <= high)).any()
        else float(smooth.predict([knot])[0])
        for low, high, knot in zip(halves[:-1], halves[1:], knots, strict=True)
    ]
    return knots, np.maximum.accumulate(means) if rising else np.minimum.accumulate(means)


def _shares(told: Vector, ratings: Vector) -> Sequence[float]:
    """Weights of 0 or more that add up to 1, by least squares: members who agree on a rating keep it."""
    # One equation that outweighs all others says that the weights add up to 1.
    heavy = 1e3 * np.ones((1, told.shape[1]))
    weights, _ = nnls(np.vstack([told, heavy]), np.r_[ratings, 1e3])
    return list(weights / weights.sum())
