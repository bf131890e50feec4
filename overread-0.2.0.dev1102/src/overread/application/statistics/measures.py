"""Every measure by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from overread.application.statistics.correlations import Kendall, Pearson, Spearman
from overread.application.statistics.count_errors import Accuracy, MeanAbsoluteError, RootMeanSquaredError
from overread.application.statistics.estimating import Measure
from overread.application.statistics.screening import (
    AreaUnderRoc,
    AveragePrecision,
    Enrichment,
    SensitivityAtSpecificity,
)

__all__ = ["MEASURES"]

_ALL: tuple[Measure, ...] = (
    Kendall(),
    Spearman(),
    Pearson(),
    MeanAbsoluteError(),
    RootMeanSquaredError(),
    Accuracy(),
    AreaUnderRoc(),
    AveragePrecision(),
    SensitivityAtSpecificity(0.8),
    SensitivityAtSpecificity(0.9),
    SensitivityAtSpecificity(0.95),
    Enrichment(0.2),
)

MEASURES: Final[Mapping[str, Measure]] = MappingProxyType({measure.name: measure for measure in _ALL})
"""By name: kendall, spearman, pearson; mae, rmse, accuracy; auroc, auprc, sensitivity_at_80, sensitivity_at_90,
sensitivity_at_95, enrichment_20."""
