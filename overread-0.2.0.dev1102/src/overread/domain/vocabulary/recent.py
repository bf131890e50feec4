"""A memory of what was worked out lately: a dict that never holds more than it is told to."""

from __future__ import annotations

from itertools import islice
from typing import TypeVar

__all__ = ["Recent"]

K = TypeVar("K")
V = TypeVar("V")


class Recent(dict[K, V]):
    """Holds at most ``limit`` entries; when it is full, the half that came first is forgotten.

    To look something up costs what it costs in a dict, for which an order by last use would have to be kept. What is
    forgotten and still asked for is worked out once more, and is then among the latest.

    >>> squares = Recent(2)
    >>> for number in range(4):
    ...     _ = squares.keep(number, number**2)
    >>> sorted(squares)
    [2, 3]
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        if limit < 1:
            raise ValueError(f"limit must be 1 or more, not {limit}")
        self.limit = limit

    def keep(self, key: K, value: V) -> V:
        """Takes up an entry and returns its value."""
        if len(self) >= self.limit and key not in self:
            for oldest in list(islice(self, max(1, self.limit // 2))):
                self.pop(oldest, None)  # another thread may have been at it
        self[key] = value
        return value
