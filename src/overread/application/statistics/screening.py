"""Screening: whether scores find the reports that have something; people's figure is 1 for those and 0 for the others.

Scores measure badness here, higher for what is to be found. Nothing is defined without rows of both kinds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from attrs import frozen

from overread.application.statistics.weighted import Ordered, Vector, Weights, by_draw, divide
from overread.extras import require

__all__ = ["AreaUnderRoc", "AveragePrecision", "Enrichment", "SensitivityAtSpecificity"]

_ROUNDING = 1e-9


@frozen
class AreaUnderRoc:
    """Area under the ROC curve, on [0, 1], 0.5 is chance: how often one to be found scores above another, ties half."""

    name: str = "auroc"

    def value(self, scores: Vector, people: Vector) -> float:
        """See `Measure`."""
        require("a curve of screening", "statistics", "sklearn")
        from sklearn.metrics import roc_auc_score  # noqa: PLC0415 - sklearn is slow to import

        return float(roc_auc_score(people, scores)) if _both(people) else math.nan

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """See `Measure`."""

        def figure(found: Vector, others: Vector) -> Vector:
            above = 2 * others[:, -1:] - others[:, :-1] - others[:, 1:]
            return divide((np.diff(found, axis=1) * above).sum(axis=1), 2 * found[:, -1] * others[:, -1])

        return _screening_figure(figure, scores, people, weights)


@frozen
class AveragePrecision:
    """Area under the precision-recall curve as average precision, on [0, 1]; the share to be found is chance."""

    name: str = "auprc"

    def value(self, scores: Vector, people: Vector) -> float:
        """See `Measure`."""
        require("a curve of screening", "statistics", "sklearn")
        from sklearn.metrics import average_precision_score  # noqa: PLC0415 - sklearn is slow to import

        return float(average_precision_score(people, scores)) if _both(people) else math.nan

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """See `Measure`."""

        def figure(found: Vector, others: Vector) -> Vector:
            called = found + others
            precision = np.divide(found, called, out=np.zeros_like(found), where=called > 0)[:, 1:]
            total = (np.diff(found, axis=1) * precision).sum(axis=1)
            return np.where(others[:, -1] > 0, divide(total, found[:, -1]), np.nan)

        return _screening_figure(figure, scores, people, weights)


@frozen
class SensitivityAtSpecificity:
    """Greatest share found at a threshold that leaves at least ``specificity`` of the others alone, on [0, 1].

    Thresholds are at scores; nothing is interpolated between them (RadOT-Eval Table IV).
    """

    specificity: float

    @property
    def name(self) -> str:
        """Name in tables, for example "sensitivity_at_80"."""
        return f"sensitivity_at_{round(100 * self.specificity)}"

    def value(self, scores: Vector, people: Vector) -> float:
        """See `Measure`."""
        require("a curve of screening", "statistics", "sklearn")
        from sklearn.metrics import roc_curve  # noqa: PLC0415 - sklearn is slow to import

        if not _both(people):
            return math.nan
        false, true, _ = roc_curve(people, scores, drop_intermediate=False)
        return float(true[false <= 1 - self.specificity + _ROUNDING].max())

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """See `Measure`."""

        def figure(found: Vector, others: Vector) -> Vector:
            allowed = others <= (1 - self.specificity + _ROUNDING) * others[:, -1:]
            best = np.where(allowed, found, 0.0).max(axis=1)
            return np.where(others[:, -1] > 0, divide(best, found[:, -1]), np.nan)

        return _screening_figure(figure, scores, people, weights)


@frozen
class Enrichment:
    """Prevalence among the highest-scored ``share`` of rows over prevalence in all, 0 or more, 1 is chance.

    At most 1 / share. Rows tied at the cut count as their group does on average, as does the fraction of a row where
    the share is not a whole number of rows (RadOT-Eval Table IV reports it for the top 20 %).
    """

    share: float

    @property
    def name(self) -> str:
        """Name in tables, for example "enrichment_20"."""
        return f"enrichment_{round(100 * self.share)}"

    def value(self, scores: Vector, people: Vector) -> float:
        """See `Measure`."""
        return float(self.resample(scores, people, np.ones((1, len(scores)), dtype=np.float32))[0])

    def resample(self, scores: Vector, people: Vector, weights: Weights) -> Vector:
        """See `Measure`."""

        def figure(found: Vector, others: Vector) -> Vector:
            called = found + others
            top = self.share * called[:, -1:]
            size = np.diff(called, axis=1)
            inside = np.clip(top - called[:, :-1], 0, size)
            part = np.divide(inside, size, out=np.zeros_like(size), where=size > 0)
            there = (np.diff(found, axis=1) * part).sum(axis=1)
            enriched = divide(there * called[:, -1], found[:, -1] * top[:, 0])
            return np.where(others[:, -1] > 0, enriched, np.nan)

        return _screening_figure(figure, scores, people, weights)


def _screening_figure(
    figure: Callable[[Vector, Vector], Vector], scores: Vector, people: Vector, weights: Weights
) -> Vector:
    """A figure from the weight found and not to be found above each distinct score, highest first, from 0."""
    if not _both(people):
        return np.full(len(weights), np.nan)
    order, wanted = Ordered.of(-scores), people > 0

    def whole(taken: Vector) -> Vector:
        start = np.zeros((len(taken), 1))
        return figure(*(np.concatenate([start, order.cumulate(taken * kind)], axis=1) for kind in (wanted, ~wanted)))

    return by_draw(whole, weights)


def _both(people: Vector) -> bool:
    if not np.isin(people, (0.0, 1.0)).all():
        raise ValueError("people's figure must be 1 for what is to be found and 0 for the rest")
    return len(np.unique(people)) == 2  # noqa: PLR2004
