"""Result of a solver for one pair."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

__all__ = ["Solution"]

Array = npt.NDArray[np.float64]


@frozen(eq=False)
class Solution:
    """The plan of one cost matrix, whether it met the tolerance, its marginal error and the steps taken."""

    plan: Array = field(repr=False)
    converged: bool
    marginal_error: float
    iterations: int
