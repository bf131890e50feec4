"""Protocols of papers that judge metrics: CREPE, GREEN, RaTEScore and Beyond Scalar Scores."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import evolve, field, frozen

from overread.application.benchmark.scores import (
    NOW,
    TrialScores,
    distributed_scores,
    score_pairs,
    stored_scores,
)
from overread.application.benchmark.trial import Trial
from overread.application.evaluate import Progress
from overread.application.protocols.crepe import crepe_protocol, crepe_rows
from overread.application.protocols.green import green_protocol, green_rows
from overread.application.protocols.judge import judge_protocol, judge_rows
from overread.application.protocols.protocol import Protocol
from overread.application.protocols.published import PublishedPaper
from overread.application.protocols.ratescore import ratescore_protocol, ratescore_rows
from overread.application.protocols.trials import TrialStudy, of_level, unscored_notes
from overread.application.tabulation import Tabulation
from overread.application.watching import ModelWatch
from overread.bootstrap._benchmarks import read_benchmark, score_benchmark, usual_metrics
from overread.bootstrap._services import open_run
from overread.domain.annotation import HumanBenchmark
from overread.domain.report import Report, ReportPair
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.settings import Settings

if TYPE_CHECKING:
    from overread.application.scores import MetricScores

__all__ = ["MetricPaperRun", "reproduce_crepe", "reproduce_green", "reproduce_judge", "reproduce_ratescore"]

_TIMED: Final = "rexval"
_STAR: Final = "rexval_star"
_WARM_UP: Final = ReportPair(
    id="warm-up", reference=Report("Small left pleural effusion."), candidate=Report("No pleural effusion.")
)

Rows = Callable[[Iterable[TrialScores]], tuple[TrialScores, ...]]


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


def reproduce_crepe(
    run: MetricPaperRun,
    *,
    rexval: Path | None = None,
    radevalx: Path | None = None,
    refisco: Path | None = None,
    rate_eval: Path | None = None,
) -> Tabulation:
    """CREPE's tables on the sets that are given.

    Args:
        run: metrics, results and draws.
        rexval: for Tables 1, 2, 3 and 5, and section 4.6.
        radevalx: for Tables 1 and 5.
        refisco: for Tables 1 and 5.
        rate_eval: for Tables 1 and 5, and section 4.6; its sentences are read.

    Raises:
        InputError: if a set or a result file cannot be read.
        ConfigurationError: if no set is given, a table is unknown or a component cannot be used.
        MissingDependencyError, PluginError, StoreError: as `build_service`.
    """
    given = {"rexval": rexval, "radevalx": radevalx, "refisco": refisco, "rate-eval": rate_eval}
    sets = _read(given, {"rate-eval": {"levels": ("sentence",)}})
    views = {("sentence" if name == "rate-eval" else name): (name, each) for name, each in sets.items()}
    if rexval is not None:
        views[_STAR] = ("rexval", read_benchmark("rexval", rexval, {"identical": "drop"}))
    return _reproduced("crepe", crepe_protocol, crepe_rows, run, sets, views, timing_table="3")


def reproduce_green(run: MetricPaperRun, *, rexval: Path | None = None, preferences: Path | None = None) -> Tabulation:
    """GREEN's tables on the sets that are given; errors as of `reproduce_crepe`.

    Args:
        run: metrics, results and draws.
        rexval: for Tables 1 and 4 to 6.
        preferences: comparisons of two candidates, for Table 7.
    """
    sets = _read({"rexval": rexval, "preferences": preferences})
    return _reproduced("green", green_protocol, green_rows, run, sets)


def reproduce_ratescore(
    run: MetricPaperRun, *, rexval: Path | None = None, rate_eval: Path | None = None
) -> Tabulation:
    """RaTEScore's tables on the sets that are given; errors as of `reproduce_crepe`.

    Args:
        run: metrics, results and draws.
        rexval: for Table 4.
        rate_eval: for Table 5 and section 4.3; tasks that are not in it are left out.
    """
    sets = _read({"rexval": rexval, "rate-eval": rate_eval})
    views = {name: (name, each) for name, each in sets.items() if name != "rate-eval"}
    for level in ("sentence", "paragraph", "synthetic"):
        task = of_level(sets["rate-eval"], level) if "rate-eval" in sets else None
        if task is not None:
            views[level] = ("rate-eval", task)
    return _reproduced("ratescore", ratescore_protocol, ratescore_rows, run, sets, views)


def reproduce_judge(run: MetricPaperRun, *, reevalmed: Path | None = None) -> Tabulation:
    """The tables and figures of Beyond Scalar Scores; errors as of `reproduce_crepe`.

    Args:
        run: metrics, results and draws.
        reevalmed: ReEvalMed's test set, or pairs of the same layout.
    """
    return _reproduced("judge", judge_protocol, judge_rows, run, _read({"reevalmed": reevalmed}))


def _read(
    given: Mapping[str, Path | None], options: Mapping[str, Mapping[str, object]] | None = None
) -> dict[str, HumanBenchmark]:
    sets = {
        name: read_benchmark(name, path, dict((options or {}).get(name, {})))
        for name, path in given.items()
        if path is not None
    }
    if not sets:
        raise ConfigurationError([f"no set is given: use {' or '.join(f'--{name}' for name in given)}"])
    return sets


def _reproduced(
    key: str,
    protocol_of: Callable[[PublishedPaper], Protocol[TrialStudy]],
    rows: Rows,
    run: MetricPaperRun,
    sets: Mapping[str, HumanBenchmark],
    views: Mapping[str, tuple[str, HumanBenchmark]] | None = None,
    timing_table: str = "",
) -> Tabulation:
    from overread.adapters.statistics import MEASURES
    from overread.infrastructure.published import read_published

    protocol = protocol_of(read_published(key))
    timed = timing_table in protocol.chosen(run.tables)
    scoring = _Scoring(run=run, sets=sets, timed=timed)
    scored = {name: rows(scoring.scores(name)) for name in sets}
    trials = {
        view: Trial(benchmark=benchmark, scores=scored[name], measures=MEASURES, draws=run.draws, seed=run.seed)
        for view, (name, benchmark) in (views or {name: (name, each) for name, each in sets.items()}).items()
        if scored[name]
    }
    study = TrialStudy(
        trials=trials, milliseconds=_by_row(scoring.milliseconds, rows), untimed=scoring.untimed if timed else ""
    )
    sections = protocol.sections(study, run.tables)
    return Tabulation(
        name=key,
        title=f"{protocol.paper.name}: our figures beside the paper's",
        tables=tuple(table for section in sections for table in section.tables),
        plots=tuple(plot for section in sections for plot in section.plots),
        facts=_facts(run, protocol.paper, sets, scored),
        notes=(*(note for section in sections for note in section.notes), *_notes(sets, trials, scored)),
    )


@frozen(kw_only=True)
class _Scoring:
    """Scores of the sets: made now, read from files, or distributed with a set."""

    run: MetricPaperRun
    sets: Mapping[str, HumanBenchmark]
    timed: bool
    milliseconds: dict[str, float] = field(factory=dict, init=False)
    _done: list[int] = field(factory=list, init=False)
    _stored: Mapping[str, Sequence[TrialScores]] = field(init=False)

    @_stored.default
    def _read_results(self) -> Mapping[str, Sequence[TrialScores]]:
        return _stored(self.run.results, self.sets)

    @property
    def untimed(self) -> str:
        """Why nothing is timed, "" if nothing hinders it."""
        settings = self.run.settings
        if not self._scores_now:
            return "metrics that are scored now (--metric): result files do not tell times"
        if settings.store is not None or settings.answers is not None:
            return "a run without kept results and answers, which take no time"
        return ""

    @property
    def _scores_now(self) -> bool:
        return bool(self.run.settings.metrics) or not self.run.results

    def scores(self, name: str) -> list[TrialScores]:
        """Of all metrics on a set."""
        benchmark = self.sets[name]
        now: Sequence[TrialScores] = ()
        if self._scores_now:
            settings = self.run.settings
            settings = settings if settings.metrics else evolve(settings, metrics=usual_metrics(settings))
            if self.timed and name == _TIMED and not self.untimed:
                now = self._timed(settings, benchmark)
            else:
                now = score_benchmark(settings, benchmark, on_progress=self._advance, watch=self.run.watch)
                self._done.append(len(benchmark.pairs))
        return [*now, *self._stored.get(name, ()), *map(distributed_scores, benchmark.provided)]

    def _timed(self, settings: Settings, benchmark: HumanBenchmark) -> list[TrialScores]:
        """Each metric alone, so that none finds what another has read."""
        made: list[TrialScores] = []
        for metric in settings.metrics:
            run = open_run(evolve(settings, metrics=(metric,)), watch=self.run.watch)
            try:
                if run.model is None:
                    list(run.service.stream([_WARM_UP]))
                start = time.perf_counter()
                made.extend(score_pairs(run.service, benchmark))
                self.milliseconds[metric] = 1000 * (time.perf_counter() - start) / len(benchmark.pairs)
            finally:
                run.close()
        self._done.append(len(benchmark.pairs))
        self._advance(0)
        return made

    def _advance(self, done: int) -> None:
        if self.run.on_progress is not None:
            self.run.on_progress(sum(self._done) + done)


def _stored(results: Sequence[Path], sets: Mapping[str, HumanBenchmark]) -> dict[str, list[TrialScores]]:
    """What result files hold of each set."""
    from overread.infrastructure.scored import read_scores

    found: dict[str, list[TrialScores]] = {name: [] for name in sets}
    for given in results:
        named, _, rest = str(given).partition("=")
        told, path = ([named], Path(rest)) if rest and named in sets else (list(sets), given)
        scores = list(read_scores(path).values())
        for name in _covered(path, scores, {name: sets[name] for name in told}):
            found[name] += [stored_scores(each, sets[name], source=path.stem) for each in scores]
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


def _by_row(milliseconds: Mapping[str, float], rows: Rows) -> dict[str, float]:
    """Times by the paper's rows."""
    named = {metric: rows([TrialScores(metric=metric, higher_is_better=True, scores={})]) for metric in milliseconds}
    return {named[metric][0].metric: time_ for metric, time_ in milliseconds.items()}


def _facts(
    run: MetricPaperRun,
    paper: PublishedPaper,
    sets: Mapping[str, HumanBenchmark],
    scored: Mapping[str, Sequence[TrialScores]],
) -> dict[str, str]:
    facts = {"paper": paper.source}
    for name, benchmark in sets.items():
        studies = {annotated.study for annotated in benchmark.pairs}
        facts[name] = f"{len(benchmark.pairs)} pairs of {len(studies)} studies, {len(benchmark.raters)} raters"
    facts["draws"] = f"{run.draws:,}, seed {run.seed}"
    for name, rows in scored.items():
        for scores in rows:
            told = ", ".join(filter(None, (scores.signature, scores.source if scores.source != NOW else "")))
            if told and facts.get(scores.metric, told) != told:
                facts[f"{scores.metric} ({name})"] = told
            elif told:
                facts[scores.metric] = told
    return facts


def _notes(
    sets: Mapping[str, HumanBenchmark], trials: Mapping[str, Trial], scored: Mapping[str, Sequence[TrialScores]]
) -> Iterator[str]:
    yield from (
        f"{name}: no metric has scores of it, so that its tables are left out" for name in sets if not scored[name]
    )
    for view, trial in trials.items():
        if view != _STAR:
            yield from unscored_notes(view, trial)
    for name, benchmark in sets.items():
        yield from (f"{name}: {note}" for note in benchmark.notes)
