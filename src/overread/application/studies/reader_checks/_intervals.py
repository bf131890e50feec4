"""Shares with bootstrap intervals: what was measured, over rows drawn again with replacement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from overread.application.studies.reader_checks.report import Figure

__all__ = ["RESAMPLES", "SEED", "Fraction", "figures"]

Fraction = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""Numerator and denominator, row by row; the figure is the sum of one over the sum of the other."""

RESAMPLES: Final = 1000
SEED: Final = 20200217
_BLOCK: Final = 4_000_000
_INTERVAL: Final = (2.5, 97.5)


def figures(fractions: Sequence[Fraction], rows: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> list[Figure]:
    """Each fraction with its 95 % percentile interval; all of them over the same draws of rows.

    A fraction whose denominator is zero has no value. Draws in which it is zero do not bear on the interval.
    """
    if not fractions or rows == 0:
        return [Figure(None, None, None) for _ in fractions]
    numerators = np.stack([numerator for numerator, _ in fractions], axis=1)
    denominators = np.stack([denominator for _, denominator in fractions], axis=1)
    generator = np.random.default_rng(seed)
    drawn: list[npt.NDArray[np.float64]] = []
    block = max(1, _BLOCK // rows)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        weights = generator.multinomial(rows, np.full(rows, 1.0 / rows), size=size).astype(np.float64)
        drawn.append(_ratio(weights @ numerators, weights @ denominators))
    draws = np.concatenate(drawn)
    values = _ratio(numerators.sum(axis=0), denominators.sum(axis=0))
    return [_figure(value, draws[:, column]) for column, value in enumerate(values)]


def _ratio(numerator: npt.NDArray[np.float64], denominator: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0)


def _figure(value: float, draws: npt.NDArray[np.float64]) -> Figure:
    if np.isnan(value):
        return Figure(None, None, None)
    low, high = np.percentile(draws[~np.isnan(draws)], _INTERVAL)
    return Figure(float(value), float(low), float(high))
