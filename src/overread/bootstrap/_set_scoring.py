"""Scores of the sets of a protocol: made now, read from result files, or distributed with a set."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import define, evolve, field, frozen

from overread.application.asking.watching import ModelWatch
from overread.application.scoring.evaluate import Progress
from overread.application.scoring.scores import score_pairs
from overread.bootstrap._benchmarks import score_benchmark, stored_scores, usual_metrics
from overread.bootstrap._services import open_run
from overread.domain.annotation import HumanBenchmark
from overread.domain.report import Report, ReportPair
from overread.domain.scores import MetricScores
from overread.exceptions import InputError
from overread.infrastructure.settings import Settings

__all__ = ["MetricPaperRun", "SetScoring"]

_WARM_UP: Final = ReportPair(
    id="warm-up", reference=Report("Small left pleural effusion."), candidate=Report("No pleural effusion.")
)


@frozen(kw_only=True)
class MetricPaperRun:
    """How a protocol is run.

    Attributes:
        settings: whose metrics are scored. Where they name none, those of ``results`` are judged alone, or without
            results the default metrics and the installed baselines.
        results: result files of metrics over pairs of the sets. A file's pairs are found by their ids; where two sets
            share ids, SET=FILE tells which is meant, for example rexval=green.jsonl.
        tables: numbers of the tables wanted, all where empty.
        draws: of the bootstrap and of the randomisation tests.
        seed: of the draws.
        on_progress: called with the number of pairs scored.
        watch: of the language model that is asked, if one is.
    """

    settings: Settings
    results: Sequence[Path] = ()
    tables: Sequence[str] = ()
    draws: int = 10_000
    seed: int = 0
    on_progress: Progress | None = None
    watch: ModelWatch | None = None


@define(kw_only=True)
class SetScoring:
    """Scores the sets of a protocol, one after another.

    Attributes:
        run: whose metrics and results are taken.
        sets: by name.
        timed: name of the set on which metrics are timed; "" for none.
        milliseconds: mean time a pair of the metrics that were timed, by their name.
    """

    run: MetricPaperRun
    sets: Mapping[str, HumanBenchmark]
    timed: str = ""
    milliseconds: dict[str, float] = field(factory=dict, init=False)
    _done: int = field(default=0, init=False)
    _stored: Mapping[str, Sequence[MetricScores]] = field(init=False)

    @_stored.default
    def _read_results(self) -> Mapping[str, Sequence[MetricScores]]:
        return _stored(self.run.results, self.sets)

    @property
    def untimed(self) -> str:
        """What a measurement of time needs and has not, "" if nothing."""
        settings = self.run.settings
        if not self._scores_now:
            return "metrics that are scored now (--metric): result files do not tell times"
        if settings.store is not None or settings.answers is not None:
            return "a run without kept results and answers, which take no time"
        return ""

    @property
    def _scores_now(self) -> bool:
        return bool(self.run.settings.metrics) or not self.run.results

    def scores(self, name: str) -> list[MetricScores]:
        """Of all metrics on a set.

        Raises:
            ConfigurationError, MissingDependencyError, PluginError, StoreError: as `build_service`.
        """
        benchmark = self.sets[name]
        now: Sequence[MetricScores] = ()
        if self._scores_now:
            settings = self.run.settings
            settings = settings if settings.metrics else evolve(settings, metrics=usual_metrics(settings))
            if name == self.timed and not self.untimed:
                now = self._timed(settings, benchmark)
            else:
                now = score_benchmark(settings, benchmark, on_progress=self._advance, watch=self.run.watch)
            self._done += len(benchmark.pairs)
            self._advance(0)
        return [*now, *self._stored.get(name, ()), *benchmark.provided]

    def _timed(self, settings: Settings, benchmark: HumanBenchmark) -> list[MetricScores]:
        """Each metric alone, so that none finds what another has read."""
        made: list[MetricScores] = []
        for metric in settings.metrics:
            run = open_run(evolve(settings, metrics=(metric,)), watch=self.run.watch)
            try:
                if run.model is None:
                    list(run.service.stream([_WARM_UP]))
                start = time.perf_counter()
                made.extend(score_pairs(run.service, [each.pair for each in benchmark.pairs]))
                self.milliseconds[metric] = 1000 * (time.perf_counter() - start) / len(benchmark.pairs)
            finally:
                run.close()
        return made

    def _advance(self, done: int) -> None:
        if self.run.on_progress is not None:
            self.run.on_progress(self._done + done)


def _stored(results: Sequence[Path], sets: Mapping[str, HumanBenchmark]) -> dict[str, list[MetricScores]]:
    """What result files hold of each set."""
    from overread.infrastructure.files.scored import read_scores

    found: dict[str, list[MetricScores]] = {name: [] for name in sets}
    for given in results:
        named, _, rest = str(given).partition("=")
        told, path = ([named], Path(rest)) if rest and named in sets else (list(sets), given)
        scores = list(read_scores(path).values())
        for name in _covered(path, scores, {name: sets[name] for name in told}):
            found[name] += [stored_scores(each, sets[name], path) for each in scores]
    return found


def _covered(path: Path, scores: Sequence[MetricScores], sets: Mapping[str, HumanBenchmark]) -> Iterator[str]:
    """The sets that a file holds pairs of."""
    ids = {key for each in scores for key in each.ids}
    shared = {name: ids & {each.pair.id for each in benchmark.pairs} for name, benchmark in sets.items()}
    covered = [name for name, keys in shared.items() if keys]
    if not covered:
        raise InputError(str(path), f"holds no pair of {' or '.join(sets)}", remedy="keep the sets' ids in it")
    if sum(len(shared[name]) for name in covered) > len(set().union(*shared.values())):
        remedy = f"tell the set, as in --results {covered[0]}={path.name}"
        raise InputError(str(path), f"has ids that are in {' and '.join(covered)}", remedy=remedy)
    yield from covered
