"""A share of rows that stand for different numbers of others, with its interval."""

from __future__ import annotations

import math
from typing import Final

from attrs import define

from overread.application.statistics.estimating import Estimate

__all__ = ["Share", "wilson"]

_NORMAL: Final = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


@define
class Share:
    """Counts rows that are so and rows that are not, by the number of rows that each stands for.

    Only sums are kept, so that any number of rows can be counted.

    Attributes:
        rows: counted.
        so, not_so: sums of the weights of the rows that are so, and of those that are not.
    """

    rows: int = 0
    so: float = 0.0
    not_so: float = 0.0
    _so_squares: float = 0.0
    _not_so_squares: float = 0.0

    def count(self, is_so: bool, weight: float = 1.0, *, rows: int = 1) -> None:  # noqa: FBT001 - what is counted
        """Count a row, or several that are alike.

        Args:
            is_so: whether it is.
            weight: how many rows it stands for: one over the probability with which it was drawn, 1 without a draw.
            rows: how many of this weight, 1 or more.
        """
        self.rows += rows
        if is_so:
            self.so += weight * rows
            self._so_squares += weight * weight * rows
        else:
            self.not_so += weight * rows
            self._not_so_squares += weight * weight * rows

    @property
    def weight(self) -> float:
        """Number of rows that those counted stand for."""
        return self.so + self.not_so

    @property
    def effective(self) -> float:
        """Size of a simple random sample that would give the share as precisely; never more than the rows counted.

        That is p (1 - p) / V, with V the variance of the weighted share p over rows that are drawn one by one, by
        linearisation: the sum of w^2 (y - p)^2 over (the sum of w)^2 (Saerndal, Swensson and Wretman, Model Assisted
        Survey Sampling, 1992, chapters 3 and 5). There is no finite population correction, as the share is meant to
        describe how reports come about, not only those of this month; nor is there one for strata.

        V is far too small where a rare row of large weight happens not to be drawn, and says nothing where all rows are
        alike. So the size is never more than Kish's (sum of w)^2 / sum of w^2 (Survey Sampling, 1965), which does not
        depend on what was found: a sample that follows a risk is for finding, and costs some width.
        """
        squares = self._so_squares + self._not_so_squares
        kish = self.weight**2 / squares if squares else 0.0
        if not self.so or not self.not_so:
            return kish
        share = self.so / self.weight
        spread = (1 - share) ** 2 * self._so_squares + share**2 * self._not_so_squares
        return min(kish, share * (1 - share) * self.weight**2 / spread)

    @property
    def estimate(self) -> Estimate:
        """The share on [0, 1] with its 95 % interval, Wilson's over `effective` rows; no value without a row.

        For rows of equal weight it is Wilson's interval itself.
        """
        if not self.rows:
            return Estimate(None)
        share = self.so / self.weight
        return Estimate(share, *wilson(share, self.effective))


def wilson(share: float, rows: float) -> tuple[float, float]:
    """Ends of Wilson's 95 % score interval of a share (Journal of the American Statistical Association 22, 1927).

    Args:
        share: observed, on [0, 1].
        rows: that it was observed in, more than 0; need not be whole.

    >>> [round(end, 4) for end in wilson(0.1, 50)]
    [0.0435, 0.2136]
    """
    square = _NORMAL**2 / rows
    middle = (share + square / 2) / (1 + square)
    reach = _NORMAL / (1 + square) * math.sqrt(share * (1 - share) / rows + square / (4 * rows))
    return max(0.0, min(middle - reach, share)), min(1.0, max(middle + reach, share))
