"""A limit to the time that a metric may take."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread

from attrs import define, field

from overread.application.ports import Metric
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome

__all__ = ["OverdueError", "TimeLimited"]


class OverdueError(TimeoutError):
    """A metric took longer than it may. A `TimeoutError` of the metric's own is another thing, and an error."""


@define(eq=False)
class TimeLimited:
    """Asks a metric in a thread of its own and goes on without it when its time is up.

    Python cannot end a thread: one that hangs stays, ends with the process, and until it is back nothing more is asked
    of its metric. A library that hangs without letting other threads run cannot be limited.
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
        answers: list[Sequence[Outcome]] = []
        raised: list[BaseException] = []

        def ask() -> None:
            try:
                answers.append(self.metric.evaluate(pairs))
            except BaseException as error:  # noqa: BLE001 - it is raised again below, where somebody waits for it
                raised.append(error)

        thread = Thread(target=ask, name="overread-metric", daemon=True)
        thread.start()
        thread.join(seconds)
        if thread.is_alive():
            self._overdue = thread
            raise OverdueError(f"the metric took more than {seconds:g} seconds over {_pairs(len(pairs))}")
        if raised:
            raise raised[0]
        return answers[0]


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"
