"""Log odds as chances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["AS_THEY_ARE", "Calibration", "Line", "calibration_of", "chances"]

Numbers = npt.NDArray[np.float64]

Line = tuple[float, float]
"""Slope and intercept."""

AS_THEY_ARE: Final[Line] = (1.0, 0.0)

Calibration = tuple[Line, Line]
"""The lines of discrepancies and of sentences."""


def calibration_of(lines: Sequence[Sequence[float]]) -> Calibration:
    """A calibration as it is written. Raises `ValueError` if it is none."""
    (slope, intercept), (other_slope, other_intercept) = lines
    calibration = (float(slope), float(intercept)), (float(other_slope), float(other_intercept))
    if not np.isfinite(calibration).all() or min(slope, other_slope) < 0:
        raise ValueError("slopes must be 0 or more, and all numbers finite")
    return calibration


def chances(odds: Numbers, line: Line) -> Numbers:
    """Probabilities of log odds along a line."""
    slope, intercept = line
    return np.asarray(1.0 / (1.0 + np.exp(-(slope * odds + intercept))))
