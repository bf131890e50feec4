"""Fitting odds: logistic regression in which more that is unread never makes a discrepancy likelier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

from overread.adapters.second_reader.odds import FIGURES, OddsTable, figures, kind_of
from overread.application.training.judged_claims import JudgedClaim
from overread.domain.severity import Importance

__all__ = ["fit_odds"]

Matrix = npt.NDArray[np.float64]

_FEWEST: Final = 15
"""Claims of a kind that it takes to tell it apart."""

_SPREAD: Final = 1.0
"""Standard deviation of the coefficients of kinds and importances before anything is seen: a rare kind stays near 0."""


def fit_odds(judged: Sequence[JudgedClaim], *, name: str, note: str = "") -> OddsTable:
    """The table under which the claims' outcomes are likeliest, by penalised maximum likelihood.

    Args:
        judged: claims of many studies.
        name: of the table.
        note: what the claims are of; kept with it.
    """
    counts = Counter(kind_of(each.claim) for each in judged)
    kinds = sorted(kind for kind, count in counts.items() if count >= _FEWEST)
    importances = [importance.value for importance in Importance]
    x = np.array([_row(each, kinds, importances) for each in judged])
    y = np.array([each.holds for each in judged], dtype=float)
    labelled = len(kinds) + len(importances)
    penalty = np.r_[np.full(labelled, _SPREAD**-2), np.full(len(FIGURES) + 1, 1e-3)]
    bounds = [(None, 0.0 if column == labelled + FIGURES.index("unread") else None) for column in range(x.shape[1])]

    def loss(w: Matrix) -> tuple[float, Matrix]:
        z = x @ w
        return (
            float((np.logaddexp(0.0, z) - y * z).sum() + 0.5 * (penalty * w * w).sum()),
            np.asarray(x.T @ (expit(z) - y) + penalty * w),
        )

    w = minimize(loss, np.zeros(x.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B").x
    rounded = [round(float(value), 3) for value in w]
    return OddsTable(
        name=name,
        intercept=rounded[-1],
        kinds=dict(zip(kinds, rounded, strict=False)),
        importances=dict(zip(importances, rounded[len(kinds) :], strict=False)),
        figures=dict(zip(FIGURES, rounded[labelled:], strict=False)),
        note=note,
    )


def _row(each: JudgedClaim, kinds: Sequence[str], importances: Sequence[str]) -> list[float]:
    importance, own = each.claim.discrepancy.importance, figures(each.claim)
    return [
        *(float(kind == kind_of(each.claim)) for kind in kinds),
        *(float(importance is not None and importance.value == known) for known in importances),
        *(own[name] for name in FIGURES),
        1.0,
    ]
