"""People's findings in reports of rising predicted risk."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from overread.application.statistics.comparing import midranks
from overread.application.statistics.estimating import Estimate, estimate_mean
from overread.application.statistics.resampling import Resampling
from overread.application.statistics.weighted import Vector

__all__ = ["RiskBin", "calibration"]


@frozen(kw_only=True)
class RiskBin:
    """Rows of like predicted risk.

    Attributes:
        place: which of the bins asked for, from 0 for the least risk.
        rows: how many.
        low, high: least and greatest risk among them.
        risk: their mean risk.
        people: mean of what people said of them, with its 95 % interval.
    """

    place: int
    rows: int
    low: float
    high: float
    risk: float
    people: Estimate


def calibration(risk: Vector, people: Vector, resampling: Resampling, *, bins: int = 5) -> tuple[RiskBin, ...]:
    """Mean of people's figure in each fifth of predicted risk, lowest first (RadOT-Eval section VI-D).

    A row goes to the bin that its midrank falls in, so that equal risks are never parted and the order of rows does not
    matter. With ties bins may hold unlike numbers of rows; a bin that holds none is left out.

    Args:
        risk: one number a row, higher is worse, NaN where there is none.
        people: the same.
        resampling: made for these rows; the bins of the whole set are kept in each draw.
        bins: how many.
    """
    rows = np.flatnonzero(np.isfinite(risk) & np.isfinite(people))
    places = np.floor((midranks(risk[rows]) - 0.5) * bins / max(1, len(rows))).astype(np.intp)
    risk_bins = []
    for place in np.unique(places):
        inside = rows[places == place]
        figures = np.full(len(people), np.nan)
        figures[inside] = people[inside]
        risks = risk[inside]
        risk_bins.append(
            RiskBin(
                place=int(place),
                rows=len(inside),
                low=float(risks.min()),
                high=float(risks.max()),
                risk=float(risks.mean()),
                people=estimate_mean(figures, resampling),
            )
        )
    return tuple(risk_bins)
