"""Fitting: non-negative least squares, and selection by cross-validation over studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from overread.application.statistics.correlations import Spearman, zero_where_undefined
from overread.application.training.fit_readout import Selection, SelectionRow, Setting
from overread.domain.differences.features import RELAXED_FEATURE_NAMES
from overread.domain.results.readout import MonotoneReadout
from overread.exceptions import ConfigurationError
from overread.extras import require

require("fitting a readout", "statistics")

from scipy.optimize import nnls  # noqa: E402 - what is missing is told first
from sklearn.model_selection import GroupKFold  # noqa: E402 - as above

__all__ = ["FLOOR", "FLOORED", "FOLDS", "NnlsFitter", "fit_monotone"]

Matrix = npt.NDArray[np.float64]

FOLDS: Final = 5
"""Folds of the cross-validation by study (RadOT-Eval section V-A)."""

FLOORED: Final = {
    **{
        f"{channel}_expected": share
        for channel, share in (
            ("finding", 0.5),
            ("anatomy", 1.0),
            ("polarity", 1.0),
            ("comparison", 1.0),
            ("uncertainty", 1.0),
            ("device", 1.0),
            ("severity", 1.0),
        )
    },
    **{name: 0.25 for name in RELAXED_FEATURE_NAMES if "_modifier_" not in name},
}
"""Features whose coefficients a readout without intercept keeps above a floor, and their share of it.

Harmless rewording raises the finding cost of a plan too, so it has half the floor.
"""

FLOOR: Final = {"total": 0.5, "significant": 0.25, "insignificant": 0.25}
"""Least risk, by target, that one unit of cost in a floored channel adds.

Least squares alone gives a channel nothing where others tell as much on the fitting set; a one-line report that drops
its "no" then has risk 0. The floor is overread's choice; docs/decisions/0007 has what it costs.
"""

_ITERATIONS_PER_FEATURE: Final = 30


class NnlsFitter:
    """Fits monotone readouts by non-negative least squares."""

    def select(
        self,
        features: Mapping[Setting, Matrix],
        targets: Mapping[str, Matrix],
        groups: Sequence[str],
        *,
        kind: str,
        feature_names: Sequence[str],
    ) -> Selection:
        """Choose the setting with the best held-out rank correlation and fit its readout on all pairs.

        Each setting's predictions for held-out studies are pooled over five folds; its score is the mean over the
        targets of Spearman's correlation with the labels, 0 where either is constant. Ties keep the order given.

        Raises:
            ConfigurationError: if there are fewer than five studies.
        """
        studies = len(set(groups))
        if studies < FOLDS:
            raise ConfigurationError(
                [f"fitting needs at least {FOLDS} studies, for {FOLDS} folds; there are {studies}"]
            )
        rows = [
            _row(setting, _held_out(matrix, targets, groups, kind, feature_names), targets)
            for setting, matrix in features.items()
        ]
        table = tuple(sorted(rows, key=lambda row: -row.macro))
        best = features[table[0].prior, table[0].epsilon]
        readout = fit_monotone(best, targets, kind=kind, feature_names=feature_names, floor=_floor(kind))
        return Selection(table=table, readout=readout)


def fit_monotone(
    features: Matrix,
    targets: Mapping[str, Matrix],
    *,
    kind: str,
    feature_names: Sequence[str],
    floor: Mapping[str, float] | None = None,
) -> MonotoneReadout:
    """Fit each target by least squares with nonnegative coefficients.

    Features are scaled to [0, 1] by their maximum over the rows given. The "paper" readout has an intercept, itself
    nonnegative; the others have none, so that a pair without discrepancy evidence has risk 0.

    Args:
        features: pairs x features.
        targets: one number a pair, by target.
        kind: one of `overread.domain.differences.features.FEATURE_SETS`.
        feature_names: order of the columns.
        floor: by target, the least coefficient of each feature in `FLOORED`, per unit of the unscaled feature.
    """
    highest = features.max(axis=0)
    scale = np.where(highest > 0, highest, 1.0)
    design = features / scale
    if kind == "paper":
        design = np.column_stack([design, np.ones(len(design))])
    count = features.shape[1]
    floored = np.array([FLOORED.get(name, 0.0) for name in feature_names]) * scale
    least = {target: floored * (floor or {}).get(target, 0.0) for target in targets}
    solved = {target: _solve(design, values - design[:, :count] @ least[target]) for target, values in targets.items()}
    return MonotoneReadout(
        feature_names=tuple(feature_names),
        scale=scale,
        coefficients={target: solution[:count] + least[target] for target, solution in solved.items()},
        intercepts={target: float(solution[count:].sum()) for target, solution in solved.items()},
    )


def _floor(kind: str) -> Mapping[str, float] | None:
    return None if kind == "paper" else FLOOR


def _held_out(
    matrix: Matrix, targets: Mapping[str, Matrix], groups: Sequence[str], kind: str, feature_names: Sequence[str]
) -> dict[str, Matrix]:
    predictions = {target: np.zeros(len(matrix)) for target in targets}
    for train, test in GroupKFold(n_splits=FOLDS).split(matrix, groups=groups):
        labels = {target: values[train] for target, values in targets.items()}
        readout = fit_monotone(matrix[train], labels, kind=kind, feature_names=feature_names, floor=_floor(kind))
        scaled = matrix[test] / readout.scale
        for target, coefficients in readout.coefficients.items():
            predictions[target][test] = scaled @ coefficients + readout.intercepts[target]
    return predictions


def _row(setting: Setting, predictions: Mapping[str, Matrix], targets: Mapping[str, Matrix]) -> SelectionRow:
    scores = {
        target: zero_where_undefined(Spearman(), predictions[target], values) for target, values in targets.items()
    }
    prior, epsilon = setting
    return SelectionRow(prior=prior, epsilon=epsilon, macro=float(np.mean(list(scores.values()))), scores=scores)


def _solve(design: Matrix, values: Matrix) -> Matrix:
    solution, _residual = nnls(design, values, maxiter=_ITERATIONS_PER_FEATURE * design.shape[1])
    return np.asarray(solution, dtype=np.float64)
