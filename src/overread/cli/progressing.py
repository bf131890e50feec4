"""Progress of a command: bars on a terminal, on standard error; nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from overread.application.asking.watching import ModelWatch

__all__ = ["TrainingClock", "progress", "tell_training", "time_left"]


@contextmanager
def progress(
    total: int | None = None, what: str = "scoring", of: str = "", watch: ModelWatch | None = None
) -> Iterator[Callable[[int], None]]:
    """A bar with the time left that goes when all is done; output stays clean.

    What is done within may tell of itself by `overread.application.telling`; the bar is that of what told last.

    Args:
        total: how many there are, if that is known.
        what: is being done.
        of: what is counted, for example "pairs".
        watch: of the model that is asked meanwhile; its answers are counted as they come.
    """
    if not sys.stderr.isatty():
        yield _unseen
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from overread.application.telling import listening

    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        TextColumn("{task.fields[counted]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bars = _Bars(bar, what, of)
        bars.tell(what, 0, total)
        if watch is not None:
            watch.on_answer = bars.tell_answers
        with listening(bars.tell):
            yield lambda done: bars.tell(what, done, None)


def tell_training(done: int, total: int) -> None:
    """Tell how many steps of a training are done, of how many."""
    from overread.application.telling import tell

    tell("training", done, total)


class _Bars:
    """A bar for each kind of work, made when it is first told of; that of the work which is done now is shown."""

    def __init__(self, bar: RichProgress, what: str, of: str) -> None:
        self._bar, self._first, self._of = bar, what, of
        self._tasks: dict[str, Any] = {}
        self._totals: dict[str, int | None] = {}
        self._answers = self._shown = ""

    def tell(self, what: str, done: int, total: int | None) -> None:
        if what not in self._tasks:
            self._tasks[what] = self._bar.add_task(what, total=total, counted="")
        if what != self._shown:
            for other, task in self._tasks.items():
                self._bar.update(task, visible=other == what)
            self._shown = what
        known = self._totals[what] = total if total is not None else self._totals.get(what)
        self._bar.update(self._tasks[what], completed=done, total=known, counted=self._count_words(what, done, known))

    def tell_answers(self, answers: int) -> None:
        self._answers = f", {answers:,} answers"
        first = self._tasks[self._first]
        done = int(self._bar.tasks[list(self._tasks).index(self._first)].completed)
        self._bar.update(first, counted=self._count_words(self._first, done, self._totals.get(self._first)))

    def _count_words(self, what: str, done: int, total: int | None) -> str:
        if what != self._first or not self._of:
            return f"{min(100, 100 * done // total)} %" if total else ""
        return f"{done:,}{f'/{total:,}' if total else ''} {self._of}{self._answers}"


def time_left(seconds: float, share: float) -> str:
    """Time left for work, in words, when a share of it took so many seconds; "" where it cannot be told.

    >>> time_left(60, 0.25), time_left(30, 0.5), time_left(10, 0.0)
    ('about 3 min left', 'about 30 s left', '')
    """
    if not 0 < share < 1:
        return ""
    left = seconds * (1 - share) / share
    return f"about {left:.0f} s left" if left < 90 else f"about {left / 60:.0f} min left"  # noqa: PLR2004


class TrainingClock:
    """Time left for a training, measured from its first report of progress: what it does before is not training."""

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None

    def left(self, share: float) -> str:
        """Time left, in words to be added to others; "" where it cannot be told yet.

        Args:
            share: of the training that is done.
        """
        now = perf_counter()
        if self._first is None or share < self._first[1]:
            self._first = (now, share)
            return ""
        since, before = self._first
        words = time_left(now - since, (share - before) / (1 - before) if before < 1 else 1.0)
        return f"; {words}" if words else ""


def _unseen(_: int) -> None:
    """Nobody looks."""
