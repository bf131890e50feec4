"""A limit to the time that a metric, or a check of one, may take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Thread
from typing import TypeVar

from attrs import define, field

from overread.application.ports import Metric
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome

__all__ = ["OverdueError", "TimeLimited", "answer_within"]

T = TypeVar("T")


class OverdueError(TimeoutError):
    """A metric took longer than it may. A `TimeoutError` of the metric's own is another thing, and an error."""


def answer_within(ask: Callable[[], T], seconds: float, name: str) -> T | Thread:
    """The answer of a call in a thread of its own, or that thread if it takes longer; what the call raises is raised.

    Python cannot end a thread: one that hangs stays, and ends with the process. A library that hangs without letting
    other threads run cannot be limited.

    Args:
        ask: the call, whose answer is no thread.
        seconds: that it may take.
        name: of the thread.
    """
    answers: list[T] = []
    raised: list[BaseException] = []

    def answer() -> None:
        try:
            answers.append(ask())
        except BaseException as error:  # noqa: BLE001 - it is raised again below, where somebody waits for it
            raised.append(error)

    thread = Thread(target=answer, name=name, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        return thread
    if raised:
        raise raised[0]
    return answers[0]


@define(eq=False)
class TimeLimited:
    """Asks a metric by `answer_within` and goes on without it when its time is up.

    Until it is back, nothing more is asked of it.
    """

    metric: Metric
    _overdue: Thread | None = field(default=None, init=False, repr=False)

    def evaluate(self, pairs: Sequence[ReportPair], seconds: float) -> Sequence[Outcome]:
        """The metric's outcomes.

        Raises:
            OverdueError: if it takes longer than some seconds, or is still busy with what took longer before.
        """
        if self._overdue is not None and self._overdue.is_alive():
            raise OverdueError("the metric is still busy with pairs that came before")
        outcomes = answer_within(lambda: self.metric.evaluate(pairs), seconds, "overread-metric")
        if isinstance(outcomes, Thread):
            self._overdue = outcomes
            raise OverdueError(f"the metric took more than {seconds:g} seconds over {_pairs(len(pairs))}")
        return outcomes


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"
