"""Keys by which values of a result are compared and hashed: the equality of NaN and arrays would not do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
from attrs import cmp_using

__all__ = ["MATRICES", "MATRIX", "in_set", "in_tuple", "number", "numbers"]

Matrix = npt.NDArray[np.float64]

_NOT_A_NUMBER: Final = "not a number"


def number(value: float | None) -> object:
    """Key by which a number is compared and hashed: NaN equals any other NaN, also after a copy.

    >>> number(float("nan")) == number(float("nan")), number(0.5), number(-0.0) == number(0.0)
    (True, 0.5, True)
    """
    return value if value == value else _NOT_A_NUMBER  # noqa: PLR0124 - this is how one tells


def numbers(values: Mapping[str, float]) -> frozenset[tuple[str, object]]:
    """Key by which named numbers are compared and hashed, in whatever order they come."""
    return frozenset((name, number(value)) for name, value in values.items())


def in_tuple(values: Sequence[Any]) -> tuple[Any, ...]:
    """A list as the tuple that is asked for, so that both are equal; anything else as it is, right or wrong."""
    return tuple(values) if isinstance(values, list) else cast("tuple[Any, ...]", values)


def in_set(values: Iterable[Any]) -> frozenset[Any]:
    """The members as a set that can be hashed."""
    return frozenset(values)


def _same(one: Matrix | None, other: Matrix | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other, equal_nan=True))


def _all_same(one: Mapping[str, Matrix], other: Mapping[str, Matrix]) -> bool:
    return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)


MATRIX: Final = cmp_using(eq=_same)
"""Compares arrays as a whole; to be left out of a hash."""

MATRICES: Final = cmp_using(eq=_all_same)
"""The same of named arrays."""
