"""Watching a server: after enough requests in a row without an answer it is taken to be unusable."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Final

from attrs import define, field

from overread.exceptions import ConfigurationError
from overread.forking import lock_for_forks

__all__ = ["Watch"]

_ENOUGH: Final = 5
_REST_S: Final = 10.0


@define(eq=False)
class Watch:
    """Tells a request that gets no answer from a server that gives none.

    Attributes:
        enough: requests in a row without an answer, any one of which may have failed for reasons of its own.
        rest_s: for how long an unusable server is left alone.
    """

    enough: int = _ENOUGH
    rest_s: float = _REST_S
    clock: Callable[[], float] = monotonic
    _failed: int = field(default=0, init=False)
    _problem: tuple[float, str] | None = field(default=None, init=False)
    _lock: Lock = field(factory=lock_for_forks, init=False, repr=False)

    def check(self) -> None:
        """Raises `ConfigurationError` while the server is left alone."""
        with self._lock:
            if self._problem is not None and self.clock() - self._problem[0] < self.rest_s:
                raise ConfigurationError([self._problem[1]])
            self._problem = None

    def answered(self) -> None:
        """A request got an answer."""
        with self._lock:
            self._failed = 0

    def record_failure(self, detail: str) -> None:
        """A request got none. Raises `ConfigurationError` if too many in a row did not."""
        with self._lock:
            self._failed += 1
            enough = self._failed >= self.enough
        if enough:
            raise self.unusable(f"{self.enough} requests in a row got no answer: {detail}")

    def unusable(self, problem: str) -> ConfigurationError:
        """The error to raise for a server that no request can use, whatever is in it; it is left alone from now on."""
        with self._lock:
            self._failed, self._problem = 0, (self.clock(), problem)
        return ConfigurationError([problem])
