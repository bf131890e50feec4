"""Notifications between the threads of a process."""

from __future__ import annotations

import warnings
from threading import Condition

__all__ = ["Notification"]


class Notification:
    """Wakes the threads that wait for it. One between a look at the count and the wait that follows is not missed.

    >>> notification = Notification()
    >>> seen = notification.count
    >>> notification.notify()
    >>> notification.wait(seen, 60.0)
    True
    """

    def __init__(self) -> None:
        self._condition = Condition()
        self._count = 0

    @property
    def count(self) -> int:
        """Number of notifications so far."""
        with self._condition:
            return self._count

    def notify(self) -> None:
        """Wake all who wait."""
        with self._condition:
            self._count += 1
            self._condition.notify_all()

    def wait(self, seen: int, seconds: float) -> bool:
        """Wait until there were more notifications than ``seen``, so many seconds at most; whether there were."""
        with self._condition:
            return self._condition.wait_for(lambda: self._count > seen, seconds)

    @property
    def rings(self) -> int:
        """The old name of `count`."""
        _warn("rings", "count")
        return self.count

    def ring(self) -> None:
        """Do as `notify`, by its old name."""
        _warn("ring", "notify")
        self.notify()


def _warn(old: str, new: str) -> None:
    problem = f"Notification.{old} is now {new}; the old name goes with the next release"
    warnings.warn(problem, DeprecationWarning, stacklevel=3)
