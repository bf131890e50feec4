"""Waits before something that failed is tried again."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

__all__ = ["double_wait"]

_MOST_DOUBLINGS: Final = 20
"""Beyond a million times the first wait no limit in use is longer, and a `timedelta` would overflow in the end."""


def double_wait(first: timedelta, times: int, *, longest: timedelta) -> timedelta:
    """A wait that was doubled so many times, up to the longest; below 0 times counts as none.

    >>> [double_wait(timedelta(seconds=5), times, longest=timedelta(minutes=5)).seconds for times in (-1, 0, 1, 2, 99)]
    [5, 5, 10, 20, 300]
    """
    grown: timedelta = first * 2 ** min(max(times, 0), _MOST_DOUBLINGS)
    return min(grown, longest)
