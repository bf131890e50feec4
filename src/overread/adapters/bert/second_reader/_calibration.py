"""Calibration: by how much a reader's log odds are to be divided to be chances, and how well they then hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen
from scipy.optimize import minimize_scalar
from sklearn.metrics import roc_auc_score

__all__ = ["Reliability", "Tried", "tried"]

Numbers = npt.NDArray[np.float64]

_COOLEST, _WARMEST = 0.25, 4.0
_FEWEST: Final = 50
"""Answers of either kind that it takes to fit a temperature; with fewer it is 1."""
_BINS: Final = 5


@frozen
class Reliability:
    """Answers of like probability: how many, their mean probability, and the share of them that hold."""

    count: int
    told: float
    held: float


@frozen(kw_only=True)
class Tried:
    """How answers to one kind of question did on studies that were kept apart.

    Attributes:
        count: of the answers.
        auc: chance that one that holds has higher odds than one that does not; NaN without both.
        temperature: what log odds are divided by to be chances (Guo et al. 2017, section 4.2).
        brier: mean squared error of the chances; NaN without answers.
        reliability: by fifths of the probability.
    """

    count: int
    auc: float
    temperature: float
    brier: float
    reliability: tuple[Reliability, ...]

    @property
    def error(self) -> float:
        """Expected calibration error: the mean distance of told and held, by the number of answers."""
        return sum(each.count * abs(each.told - each.held) for each in self.reliability) / max(self.count, 1)


def tried(odds: Sequence[float], holds: Sequence[float]) -> Tried:
    """Figures of answers.

    Args:
        odds: log odds of each.
        holds: 1 where it is right, else 0.
    """
    told, held = np.array(odds, dtype=float), np.array(holds, dtype=float)
    some = int(min(held.sum(), len(held) - held.sum()))
    temperature = _temperature(told, held) if some >= _FEWEST else 1.0
    chances = 1.0 / (1.0 + np.exp(-told / temperature))
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    return Tried(
        count=len(held),
        auc=float(roc_auc_score(held, told)) if some else float("nan"),
        temperature=temperature,
        brier=float(np.square(chances - held).mean()) if len(held) else float("nan"),
        reliability=tuple(
            Reliability(int(inside.sum()), float(chances[inside].mean()), float(held[inside].mean()))
            for number in range(_BINS)
            if (inside := bins == number).any()
        ),
    )


def _temperature(odds: Numbers, holds: Numbers) -> float:
    """The temperature of the least logistic loss."""
    signed = np.where(holds > 0, -odds, odds)
    found = minimize_scalar(
        lambda t: float(np.logaddexp(0.0, signed / t).mean()), bounds=(_COOLEST, _WARMEST), method="bounded"
    )
    return float(found.x)
