"""Protocols of papers that judge metrics: CREPE, GREEN, RaTEScore and Beyond Scalar Scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from attrs import evolve

from overread.application.studies.meta_evaluation.evaluation import MetaEvaluation, raters_heard
from overread.application.studies.reproduction.crepe import crepe_protocol, crepe_rows
from overread.application.studies.reproduction.green import green_protocol, green_rows
from overread.application.studies.reproduction.judge import judge_protocol, judge_rows
from overread.application.studies.reproduction.protocol import Protocol
from overread.application.studies.reproduction.published import PublishedPaper
from overread.application.studies.reproduction.ratescore import ratescore_protocol, ratescore_rows
from overread.application.studies.reproduction.trials import TrialStudy, of_level, unscored_notes
from overread.application.studies.tabulation import Tabulation
from overread.bootstrap._benchmarks import read_benchmark
from overread.bootstrap._set_scoring import MetricPaperRun, SetScoring
from overread.domain.annotation import HumanBenchmark
from overread.domain.scores import MetricScores
from overread.exceptions import ConfigurationError

__all__ = ["MetricPaperRun", "reproduce_crepe", "reproduce_green", "reproduce_judge", "reproduce_ratescore"]

_TIMED: Final = "rexval"
_STAR: Final = "rexval_star"

Rows = Callable[[Iterable[MetricScores]], tuple[MetricScores, ...]]


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
    from overread.infrastructure.datasets.published import read_published

    protocol = protocol_of(read_published(key))
    timed = timing_table in protocol.chosen(run.tables)
    scoring = SetScoring(run=run, sets=sets, timed=_TIMED if timed else "")
    scored = {name: rows(scoring.scores(name)) for name in sets}
    trials = {
        view: MetaEvaluation(benchmark=benchmark, scores=scored[name], draws=run.draws, seed=run.seed)
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


def _by_row(milliseconds: Mapping[str, float], rows: Rows) -> dict[str, float]:
    """Times by the paper's rows."""
    none = MetricScores(metric="", higher_is_better=True, ids=(), scores=np.empty(0))
    named = {metric: rows([evolve(none, metric=metric)]) for metric in milliseconds}
    return {named[metric][0].metric: time_ for metric, time_ in milliseconds.items()}


def _facts(
    run: MetricPaperRun,
    paper: PublishedPaper,
    sets: Mapping[str, HumanBenchmark],
    scored: Mapping[str, Sequence[MetricScores]],
) -> dict[str, str]:
    facts = {"paper": paper.source}
    for name, benchmark in sets.items():
        studies = {annotated.study for annotated in benchmark.pairs}
        raters = raters_heard(benchmark)
        heard = f"{raters} rater{'' if raters == 1 else 's'}"
        facts[name] = f"{len(benchmark.pairs)} pairs of {len(studies)} studies, {heard}"
    facts["draws"] = f"{run.draws:,}, seed {run.seed}"
    for name, rows in scored.items():
        for scores in rows:
            told = ", ".join(filter(None, (scores.signature, scores.source)))
            if told and facts.get(scores.metric, told) != told:
                facts[f"{scores.metric} ({name})"] = told
            elif told:
                facts[scores.metric] = told
    return facts


def _notes(
    sets: Mapping[str, HumanBenchmark],
    trials: Mapping[str, MetaEvaluation],
    scored: Mapping[str, Sequence[MetricScores]],
) -> Iterator[str]:
    yield from (
        f"{name}: no metric has scores of it, so that its tables are left out" for name in sets if not scored[name]
    )
    for view, trial in trials.items():
        if view != _STAR:
            yield from unscored_notes(view, trial)
    for name, benchmark in sets.items():
        yield from (f"{name}: {note}" for note in benchmark.notes)
