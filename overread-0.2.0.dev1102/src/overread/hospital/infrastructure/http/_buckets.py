"""Token buckets: so much at once, and so much a second on average."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final

from attrs import define, field

__all__ = ["Buckets"]

_MOST: Final = 10_000


@define(eq=False)
class Buckets:
    """A bucket for each name, of which those used longest ago are forgotten. Safe for threads.

    Attributes:
        rate: tokens that come back each second.
        size: tokens of a full bucket.
        clock: in seconds.
    """

    rate: float
    size: float
    clock: Callable[[], float] = time.monotonic
    _levels: OrderedDict[str, tuple[float, float]] = field(factory=OrderedDict, init=False, repr=False)
    _lock: Lock = field(factory=Lock, init=False, repr=False)

    def take(self, name: str) -> float:
        """Takes a token; the seconds until there is one where the bucket is empty, else 0.

        >>> buckets = Buckets(rate=0.5, size=1, clock=lambda: 7.0)
        >>> buckets.take("a"), buckets.take("a"), buckets.take("b")
        (0.0, 2.0, 0.0)
        """
        with self._lock:
            level = self._level(name)
            if level < 1:
                return (1 - level) / self.rate
            self._set(name, level - 1)
            return 0.0

    def wait(self, name: str) -> float:
        """Seconds until there is a token; none is taken."""
        with self._lock:
            return max(0.0, (1 - self._level(name)) / self.rate)

    def _level(self, name: str) -> float:
        now = self.clock()
        level, then = self._levels.get(name, (self.size, now))
        return min(self.size, level + (now - then) * self.rate)

    def _set(self, name: str, level: float) -> None:
        self._levels[name] = (level, self.clock())
        self._levels.move_to_end(name)
        while len(self._levels) > _MOST:
            self._levels.popitem(last=False)
