"""Scores of the sets of a paper: made now, read from result files, or distributed with a set."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from attrs import define, field

from overread.application.scoring.evaluate import Progress
from overread.application.scoring.run import Run
from overread.application.scoring.score_collection import score_pairs
from overread.application.telling import tell
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.annotation import HumanBenchmark
from overread.domain.results.scores import MetricScores

__all__ = ["SetScoring"]

_WARM_UP: Final = ReportPair(
    id="warm-up", reference=Report("Small left pleural effusion."), candidate=Report("No pleural effusion.")
)


@define(kw_only=True)
class SetScoring:
    """Scores the sets of a paper, one after another.

    Attributes:
        sets: by name.
        metrics: to be scored now; none where those of result files are judged alone.
        open_run: makes a run of metrics; the caller closes it.
        stored: scores read from result files, by set.
        keeps: whether results or answers are kept from run to run, so that scoring may take no time.
        on_progress: called with the number of pairs scored.
        on_scores: called with the scores of each set, made now or read.
        milliseconds: mean time a pair of the metrics that were timed, by their name.
    """

    sets: Mapping[str, HumanBenchmark]
    metrics: tuple[str, ...]
    open_run: Callable[[tuple[str, ...]], Run]
    stored: Mapping[str, Sequence[MetricScores]] = field(factory=dict)
    keeps: bool = False
    on_progress: Progress | None = None
    on_scores: Callable[[Sequence[MetricScores]], None] | None = None
    milliseconds: dict[str, float] = field(factory=dict, init=False)
    _done: int = field(default=0, init=False)

    @property
    def untimed(self) -> str:
        """Unmet requirement of a measurement of time, "" if there is none."""
        if not self.metrics:
            return "metrics that are scored now: result files do not tell times"
        return "a run without kept results and answers, which take no time" if self.keeps else ""

    def scores(self, name: str, *, timed: bool = False) -> list[MetricScores]:
        """Scores of all metrics on a set.

        Args:
            name: of the set.
            timed: whether to measure the time that each metric takes, where possible.

        Raises:
            ConfigurationError, MissingDependencyError, PluginError, StoreError: as the metrics do.
        """
        benchmark = self.sets[name]
        pairs = [annotated.pair for annotated in benchmark.pairs]
        now: list[MetricScores] = []
        if self.metrics:
            now = self._score_and_time(pairs) if timed and not self.untimed else self._score_together(pairs)
            self._done += len(pairs)
            self._advance(0)
        held = [*now, *self.stored.get(name, ())]
        if self.on_scores is not None:
            self.on_scores(held)
        return [*held, *benchmark.provided]

    def _score_together(self, pairs: Sequence[ReportPair]) -> list[MetricScores]:
        run = self.open_run(self.metrics)
        try:
            return list(score_pairs(run.service, pairs, on_progress=self._advance))
        finally:
            run.close()

    def _score_and_time(self, pairs: Sequence[ReportPair]) -> list[MetricScores]:
        """Each metric alone, so that none finds what another has read."""
        made: list[MetricScores] = []
        for metric in self.metrics:
            run = self.open_run((metric,))
            try:
                if run.model is None:
                    list(run.service.stream([_WARM_UP]))
                start = time.perf_counter()
                made.extend(score_pairs(run.service, pairs))
                self.milliseconds[metric] = 1000 * (time.perf_counter() - start) / len(pairs)
            finally:
                run.close()
        return made

    def _advance(self, done: int) -> None:
        tell("scoring", self._done + done, sum(len(benchmark.pairs) for benchmark in self.sets.values()))
        if self.on_progress is not None:
            self.on_progress(self._done + done)
