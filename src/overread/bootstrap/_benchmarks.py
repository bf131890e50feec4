"""Judging metrics on a benchmark: scores made now, read from files, or distributed with the set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, evolve

from overread.application.asking.watching import ModelWatch
from overread.application.scoring.evaluate import Progress
from overread.application.scoring.scores import score_pairs
from overread.application.studies.meta_evaluation import about, meta_evaluate
from overread.application.studies.tabulation import Tabulation
from overread.bootstrap._services import DEFAULT_METRICS, catalogue_of, open_run
from overread.domain.annotation import AnnotatedPair, HumanBenchmark
from overread.domain.scores import MetricScores
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.settings import Settings

__all__ = ["BASELINES", "meta_evaluate_benchmark", "read_benchmark", "usual_metrics", "write_pairs"]

BASELINES = ("rouge", "bleu")
"""Judged beside the default metrics where their packages are installed."""


def meta_evaluate_benchmark(
    settings: Settings,
    benchmark: HumanBenchmark,
    *,
    results: Sequence[Path] = (),
    directions: Mapping[str, bool] | None = None,
    target: str | None = None,
    draws: int = 10_000,
    seed: int = 0,
    correlation: str = "spearman",
    on_progress: Progress | None = None,
    watch: ModelWatch | None = None,
) -> Tabulation:
    """Judges metrics on a benchmark.

    Args:
        settings: whose metrics are scored now. Where they name none, those of the files in ``results`` are judged
            alone, or without files radot, notation and the installed baselines.
        benchmark: the pairs and what people said of them.
        results: result files, or tables, of metrics over the same pairs.
        directions: whether higher is better, by column of plain scores in ``results``.
        target: that comparisons and strata are about, instead of the set's first.
        draws: of the bootstrap, 1 or more.
        seed: of the draws.
        correlation: as of `meta_evaluate`.
        on_progress: called with the number of pairs scored.
        watch: of the language model that is asked, if one is.

    Raises:
        InputError: if a file cannot be read, none of its pairs is the benchmark's, or ``target`` is not in the set.
        ConfigurationError: if a column that has a direction is in none of the files; and as `build_service`.
        MissingDependencyError, PluginError, StoreError: as `build_service`.
    """
    from overread.infrastructure.files.sources import check_columns

    benchmark = benchmark if target is None else about(benchmark, target)
    directions = directions or {}
    stored = [scores for path in results for scores in _read(path, benchmark, directions)]
    check_columns(directions, {scores.metric for scores in stored})
    scored: tuple[MetricScores, ...] = ()
    if settings.metrics or not results:
        chosen = settings if settings.metrics else evolve(settings, metrics=usual_metrics(settings))
        run = open_run(chosen, watch=watch)
        try:
            scored = score_pairs(run.service, [each.pair for each in benchmark.pairs], on_progress=on_progress)
        finally:
            run.close()
    return meta_evaluate(benchmark, (*scored, *stored), draws=draws, seed=seed, correlation=correlation)


def usual_metrics(settings: Settings) -> tuple[str, ...]:
    """The default metrics and the baselines that are installed."""
    catalogue = catalogue_of(settings)
    usable = {registered.spec.name for registered in catalogue.metrics() if not registered.missing()}
    return (*DEFAULT_METRICS, *(name for name in BASELINES if name in usable))


def _read(path: Path, benchmark: HumanBenchmark, directions: Mapping[str, bool]) -> list[MetricScores]:
    from overread.infrastructure.files.scored import read_scores

    found = read_scores(path, directions=directions).values()
    ids = {annotated.pair.id for annotated in benchmark.pairs}
    if all(ids.isdisjoint(scores.ids) for scores in found):
        raise InputError(str(path), "holds none of the benchmark's pairs", remedy="keep the benchmark's ids in it")
    return [stored_scores(scores, benchmark, path) for scores in found]


def stored_scores(scores: MetricScores, benchmark: HumanBenchmark, path: Path) -> MetricScores:
    """What a result file says of a benchmark's pairs."""
    over = scores.over(tuple(annotated.pair.id for annotated in benchmark.pairs), absent="not in the file")
    return evolve(over, source=path.stem)


def read_benchmark(name: str, path: Path | str, options: Mapping[str, Any] | None = None) -> HumanBenchmark:
    """Reads a human-annotated set; see docs/benchmarks.md for the files of each.

    Args:
        name: of the set, for example "rexval".
        path: the set's folder or file.
        options: of its reader, by name.

    Raises:
        ConfigurationError: if there is no set of that name.
        InputError: naming file, row and remedy.
    """
    from overread.infrastructure.datasets.annotated_sets import BENCHMARKS

    if name not in BENCHMARKS:
        raise ConfigurationError([f"no set {name!r}; known are {', '.join(BENCHMARKS)}"])
    return BENCHMARKS[name].read(Path(path), **(options or {}))


def write_pairs(benchmark: HumanBenchmark, path: Path) -> None:
    """Writes the pairs of a set as JSON lines, to be scored by `overread corpus` or anything else under the same ids.

    Raises:
        InputError: if the file cannot be written.
    """
    from overread.infrastructure.files.whole_files import write_rows

    write_rows(path, map(_record, benchmark.pairs))


def _record(annotated: AnnotatedPair) -> dict[str, Any]:
    pair = annotated.pair
    context = {name: value for name, value in asdict(pair.context).items() if value is not None}
    return {
        "id": pair.id,
        "study": annotated.study,
        "generator": annotated.generator,
        "reference": pair.reference.text,
        "candidate": pair.candidate.text,
        **context,
    }
