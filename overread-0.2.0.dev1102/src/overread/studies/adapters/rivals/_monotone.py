"""Rivals whose risk never falls as a discrepancy grows: non-negative least squares on features of the units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.adapters.transport.nnls.fitter import fit_monotone
from overread.domain.results.readout import MonotoneReadout
from overread.studies.application.reproduction.radot.reading import ReadSet
from overread.studies.application.reproduction.radot.rivals.graphs import NUMBER_NAMES, RATIO_NAMES, graph_features
from overread.studies.application.reproduction.radot.rivals.structured import (
    COUNT_NAMES,
    SHARE_NAMES,
    structured_features,
)

__all__ = ["MonotoneRival", "graph_rivals", "structured_rivals"]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]


@frozen(kw_only=True)
class MonotoneRival:
    """Fits coefficients that are 0 or more to some features, as the system's own readout is fitted.

    Attributes:
        setting: which features.
        features: computes them of a set, pairs x ``names``.
        names: all that are computed.
        used: those that enter.
    """

    setting: str
    features: Callable[[ReadSet], Matrix] = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    used: tuple[str, ...] = field(repr=False)

    def fit(self, data: ReadSet, labels: Mapping[str, Vector]) -> FittedMonotone:
        """Fit each target by non-negative least squares."""
        columns = [self.names.index(name) for name in self.used]
        readout = fit_monotone(self.features(data)[:, columns], labels, kind="paper", feature_names=self.used)
        return FittedMonotone(self.features, columns, readout)


@frozen(eq=False)
class FittedMonotone:
    """A nonnegative sum of scaled features."""

    features: Callable[[ReadSet], Matrix] = field(repr=False)
    columns: Sequence[int]
    readout: MonotoneReadout

    def risks(self, data: ReadSet) -> Mapping[str, Vector]:
        """Risk of each pair by target."""
        return self.read(self.features(data)[:, self.columns])

    def read(self, rows: Matrix) -> Mapping[str, Vector]:
        """Risk of rows of the features that enter, by target."""
        scaled = rows / self.readout.scale
        return {
            target: scaled @ coefficients + self.readout.intercepts[target]
            for target, coefficients in self.readout.coefficients.items()
        }


def structured_rivals() -> Sequence[MonotoneRival]:
    """Counts, distances, or both."""
    names = (*COUNT_NAMES, *SHARE_NAMES)
    used = {"counts": COUNT_NAMES, "distances": SHARE_NAMES, "counts and distances": names}
    return [MonotoneRival(setting=s, features=structured_features, names=names, used=u) for s, u in used.items()]


def graph_rivals() -> Sequence[MonotoneRival]:
    """Losses of recall and precision, numbers, or both."""
    names = (*RATIO_NAMES, *NUMBER_NAMES)
    used = {"recall and precision": RATIO_NAMES, "numbers": NUMBER_NAMES, "recall, precision and numbers": names}
    return [MonotoneRival(setting=s, features=graph_features, names=names, used=u) for s, u in used.items()]
