"""Matrices that are handed out and may not be written into: who receives them is one of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["read_only", "read_only_all"]

M = TypeVar("M", npt.NDArray[np.float64], npt.NDArray[np.float64] | None)


def read_only(matrix: M) -> M:
    """A view of a matrix that raises `ValueError` where it is written into; None for none.

    >>> view = read_only(np.zeros(2))
    >>> view.flags.writeable
    False
    """
    if not isinstance(matrix, np.ndarray) or not matrix.flags.writeable:
        return matrix
    view = matrix.view()
    view.flags.writeable = False
    return view


def read_only_all(matrices: Mapping[str, npt.NDArray[np.float64]]) -> dict[str, npt.NDArray[np.float64]]:
    """A new mapping with such a view of each matrix."""
    return {name: read_only(matrix) for name, matrix in matrices.items()}
