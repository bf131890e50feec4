"""A bell that threads wait for."""

from __future__ import annotations

from threading import Condition

__all__ = ["Bell"]


class Bell:
    """Wakes whoever waits. A ring between a look and the wait that follows it is not missed.

    >>> bell = Bell()
    >>> heard = bell.rings
    >>> bell.ring()
    >>> bell.wait(heard, 60.0)
    True
    """

    def __init__(self) -> None:
        self._condition = Condition()
        self._rings = 0

    @property
    def rings(self) -> int:
        """Number of times that it rang."""
        with self._condition:
            return self._rings

    def ring(self) -> None:
        """Wake all who wait."""
        with self._condition:
            self._rings += 1
            self._condition.notify_all()

    def wait(self, heard: int, seconds: float) -> bool:
        """Wait until it has rung more often than ``heard``, so many seconds at most; whether it has."""
        with self._condition:
            return self._condition.wait_for(lambda: self._rings > heard, seconds)
