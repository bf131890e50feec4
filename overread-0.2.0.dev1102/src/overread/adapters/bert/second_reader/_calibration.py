"""Calibration: the line that turns a reader's log odds into those of how often it is right, and how well that holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from overread.adapters.bert.second_reader._scale import AS_THEY_ARE, Line, chances

__all__ = ["Reliability", "Tried", "measure_answers"]

Numbers = npt.NDArray[np.float64]

_FEWEST: Final = 50
"""Right answers, and wrong ones, that it takes to fit a line."""
_BINS: Final = 5


@frozen
class Reliability:
    """Answers of like probability: how many, their mean probability, and the share of them that hold."""

    count: int
    told: float
    held: float


@frozen(kw_only=True)
class Tried:
    """Figures of the answers to one kind of question on held-out studies.

    Attributes:
        count: of the answers.
        auc: chance that one that holds has higher odds than one that does not; NaN without both.
        line: slope and intercept of the log odds (Platt 1999), fitted where there is enough of both.
        brier: mean squared error of the chances; NaN without answers.
        reliability: by fifths of the probability.
    """

    count: int
    auc: float
    line: Line
    brier: float
    reliability: tuple[Reliability, ...]

    @property
    def error(self) -> float:
        """Expected calibration error: the mean distance of told and held, by the number of answers."""
        return sum(interval.count * abs(interval.told - interval.held) for interval in self.reliability) / max(
            self.count, 1
        )


def measure_answers(odds: Sequence[float], holds: Sequence[float], known: Line = AS_THEY_ARE) -> Tried:
    """Figures of answers.

    Args:
        odds: log odds of each.
        holds: 1 where it is right, else 0.
        known: the line where there is not enough to fit one.
    """
    odds_of_answers, held = np.array(odds, dtype=float), np.array(holds, dtype=float)
    some = int(min(held.sum(), len(held) - held.sum()))
    line = _line(odds_of_answers, held) if some >= _FEWEST else known
    likely = chances(odds_of_answers, line)
    bins = np.minimum((likely * _BINS).astype(int), _BINS - 1)
    return Tried(
        count=len(held),
        auc=float(roc_auc_score(held, odds_of_answers)) if some else float("nan"),
        line=line,
        brier=float(np.square(likely - held).mean()) if len(held) else float("nan"),
        reliability=tuple(
            Reliability(int(inside.sum()), float(likely[inside].mean()), float(held[inside].mean()))
            for number in range(_BINS)
            if (inside := bins == number).any()
        ),
    )


def _line(odds: Numbers, holds: Numbers) -> Line:
    """The line of the least logistic loss; flat where it would fall, so that what is likelier is never told less so."""
    fitted = LogisticRegression(C=np.inf).fit(odds[:, np.newaxis], holds)
    return max(float(fitted.coef_[0, 0]), 0.0), float(fitted.intercept_[0])
