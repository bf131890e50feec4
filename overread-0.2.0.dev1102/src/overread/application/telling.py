"""Progress of long work, reported to a listener, so that a study need not pass a callback through all that it calls."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import Final, TypeVar

__all__ = ["Listener", "heard_draws", "listening", "run_draws", "tell", "telling"]

Result = TypeVar("Result")

_FEW: Final = 20
"""Draws that a study is tried with at most, and into how many of these the wanted ones are to go at least."""
_PARTS: Final = 1000

Listener = Callable[[str, int, int | None], None]
"""Is told what is done, how much of it, and how much there is in all, None where that is not known."""

_LISTENER: Final = ContextVar[Listener | None]("listener", default=None)
_DRAWS: Final = ContextVar[Callable[[int], None] | None]("draws", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Whatever is done within is told to the listener, if it tells."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(what: str, done: int, total: int | None = None) -> None:
    """Tells how far something is; nothing happens where nobody listens."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(what, done, total)


def telling(what: str, total: int | None, also: Callable[[int], None] | None = None) -> Callable[[int], None]:
    """A callback for work that counts what is done; ``also`` is called with the same."""

    def tell_done(done: int) -> None:
        tell(what, done, total)
        if also is not None:
            also(done)

    return tell_done


def heard_draws(cells: int) -> None:
    """Tells that random draws were worked through.

    Args:
        cells: draws times rows.
    """
    listener = _DRAWS.get()
    if listener is not None:
        listener(cells)


def run_draws(study: Callable[[int], Result], draws: int, what: str = "computing") -> Result:
    """A study by random draws, telling how much of its time is over.

    How the time is spread over its draws is learned from the study itself with a few draws. Where nobody listens it is
    made once.

    Args:
        study: makes it with so many draws, and the same each time.
        draws: wanted.
        what: is told of.
    """
    if _LISTENER.get() is None:
        return study(draws)
    tell(what, 0)
    few = max(1, min(_FEW, draws // _FEW))
    tried = _Trial()
    with _heard(tried), _unheard():
        study(few)
    report, worked = telling(what, _PARTS), 0

    def on_draws(cells: int) -> None:
        nonlocal worked
        worked += cells
        report(int(_PARTS * tried.share_of_time(worked * few / draws)))

    with _heard(on_draws):
        return study(draws)


class _Trial:
    """Times at which numbers of cells of draws had been worked through."""

    def __init__(self) -> None:
        self._cells, self._seconds = [0], [perf_counter()]

    def __call__(self, cells: int) -> None:
        self._cells.append(self._cells[-1] + cells)
        self._seconds.append(perf_counter())

    def share_of_time(self, cells: float) -> float:
        """Share of the time of all cells, 0 to 1, that so many of them took; linear between known points."""
        place = min(bisect_right(self._cells, cells), len(self._cells) - 1)
        if place == 0:
            return 1.0
        low, high = self._cells[place - 1 : place + 1]
        part = min(1.0, (cells - low) / (high - low)) if high > low else 1.0
        start, before, after = self._seconds[0], self._seconds[place - 1], self._seconds[place]
        whole = self._seconds[-1] - start
        return (before - start + part * (after - before)) / whole if whole > 0 else 1.0


@contextmanager
def _unheard() -> Iterator[None]:
    token = _LISTENER.set(None)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def _heard(listener: Callable[[int], None]) -> Iterator[None]:
    token = _DRAWS.set(listener)
    try:
        yield
    finally:
        _DRAWS.reset(token)
