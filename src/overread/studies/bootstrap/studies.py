"""Benchmarks and comparisons: what is read and scored for the studies of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import evolve, field, frozen

from overread.application.asking.watching import ModelWatch
from overread.application.scoring.corpus import BAD_INPUT
from overread.application.scoring.evaluate import PairResults, Progress
from overread.application.scoring.fingerprint import Fingerprint
from overread.application.scoring.score_collection import score_pairs
from overread.application.statistics.tabulation import Tabulation
from overread.application.telling import run_draws, telling
from overread.bootstrap.services import DEFAULT_METRICS, catalogue_of, open_run
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import HumanBenchmark
from overread.domain.results.scores import MetricScores
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.completeness import partial_folder, read_completeness
from overread.infrastructure.files.scored import read_scores
from overread.infrastructure.files.scored_pairs import ScoredFile, check_pairs, columns_of
from overread.infrastructure.frames.scores import scores_of
from overread.infrastructure.frames.writing import results_diversity
from overread.infrastructure.settings import Settings
from overread.structuring import structure_value
from overread.studies.application.comparison import (
    PairFacts,
    Source,
    are_systems,
    compare_metrics,
    compare_systems,
    rank_systems,
)
from overread.studies.application.corpus_summary import summarise_results
from overread.studies.application.meta_evaluation import about, meta_evaluate, needs_shuffling, shuffled_pairs
from overread.studies.infrastructure.files.pair_facts import check_same_pairs, read_pair_facts
from overread.studies.infrastructure.files.sources import check_columns, named_file, read_sources, two_files

__all__ = [
    "BASELINES",
    "Compared",
    "compare",
    "compare_results",
    "compare_sources",
    "meta_evaluate_benchmark",
    "metric_names",
    "rank",
    "rank_results",
    "read_facts",
    "stored_scores",
    "summarise_file",
    "usual_metrics",
]

BASELINES = ("rouge", "bleu")
"""Judged beside the default metrics where their packages are installed."""

_SYSTEMS: Final = 2


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
        InputError: if the benchmark has no pairs, a file cannot be read, none of its pairs is the benchmark's, or
            ``target`` is not in the set.
        ConfigurationError: if a column that has a direction is in none of the files; and as `build_service`.
        MissingDependencyError, PluginError, StoreError: as `build_service`.
    """
    if not benchmark.pairs:
        raise InputError(benchmark.name, "holds no pair to judge", remedy="read the whole release")
    benchmark = benchmark if target is None else about(benchmark, target)
    directions = directions or {}
    stored = [scores for path in results for scores in _read(path, benchmark, directions)]
    check_columns(directions, {scores.metric for scores in stored})
    scored: tuple[MetricScores, ...] = ()
    shuffled: tuple[MetricScores, ...] = ()
    if settings.metrics or not results:
        chosen = settings if settings.metrics else evolve(settings, metrics=usual_metrics(settings))
        run = open_run(chosen, watch=watch)
        try:
            scored = score_pairs(
                run.service, [annotated.pair for annotated in benchmark.pairs], on_progress=on_progress
            )
            if needs_shuffling(benchmark):
                shown = telling("scoring beside shuffled references", len(benchmark.pairs))
                shuffled = score_pairs(run.service, shuffled_pairs(benchmark), on_progress=shown)
        finally:
            run.close()

    def study(draws: int) -> Tabulation:
        return meta_evaluate(
            benchmark, (*scored, *stored), draws=draws, seed=seed, correlation=correlation, shuffled=shuffled
        )

    return run_draws(study, draws)


def usual_metrics(settings: Settings) -> tuple[str, ...]:
    """The default metrics and the baselines that are installed."""
    catalogue = catalogue_of(settings)
    usable = {registered.spec.name for registered in catalogue.metrics() if not registered.missing()}
    return (*DEFAULT_METRICS, *(name for name in BASELINES if name in usable))


def _read(path: Path, benchmark: HumanBenchmark, directions: Mapping[str, bool]) -> list[MetricScores]:
    metrics = tuple(read_scores(path, directions=directions).values())
    pairs = {annotated.pair.id: annotated.pair for annotated in benchmark.pairs}
    if all(pairs.keys().isdisjoint(scores.ids) for scores in metrics):
        raise InputError(str(path), "holds none of the benchmark's pairs", remedy="keep the benchmark's ids in it")
    _check_reports(path, metrics, pairs)
    return [stored_scores(scores, benchmark, path) for scores in metrics]


def _check_reports(path: Path, stored: Iterable[MetricScores], pairs: Mapping[str, ReportPair]) -> None:
    """Raises `InputError` if results are known to be of other reports than those of a benchmark under their ids."""
    record = read_completeness(path)
    if record is None or record.fingerprint is None:
        return
    readable = {name for scores in stored for name in scores.ids if scores.reasons.get(name) != BAD_INPUT}
    if readable <= pairs.keys() and Fingerprint.of(pairs[name] for name in readable) != record.fingerprint:
        problem = "was made of other reports than the benchmark has under the same ids"
        raise InputError(str(path), problem, remedy="score the benchmark's own pairs")


def stored_scores(scores: MetricScores, benchmark: HumanBenchmark, path: Path) -> MetricScores:
    """Scores of a result file for a benchmark's pairs."""
    over = scores.over(tuple(annotated.pair.id for annotated in benchmark.pairs), absent="not in the file")
    return evolve(over, source=path.stem)


@frozen(kw_only=True)
class Compared:
    """Inputs of a comparison besides its result files.

    Attributes:
        pairs: files of the pairs, in the order of the result files; the first gives studies and kinds.
        of_last: whether a single file of pairs is that of the last result file, as where the candidates of a baseline
            are not kept.
        by: columns of the first that tell kinds of pairs apart.
        directions: whether higher is better, by column of plain scores.
        metrics: names of those to use; all by default.
        draws: of the bootstrap and of the randomisation.
        seed: of the draws.
    """

    pairs: tuple[Path, ...] = ()
    of_last: bool = False
    by: tuple[str, ...] = ()
    directions: Mapping[str, bool] = field(factory=dict)
    metrics: tuple[str, ...] = ()
    draws: int = 10_000
    seed: int = 0


def compare(
    first: Iterable[PairResults] | Any,
    second: Iterable[PairResults] | Any,
    *,
    names: tuple[str, str] = ("first", "second"),
    metrics: str | Sequence[str] = (),
    studies: Mapping[str, str] | None = None,
    draws: int = 10_000,
    seed: int = 0,
    shown: int = 5,
    force: bool = False,
) -> Tabulation:
    """Compares two systems by their results for the same pairs, as `overread compare` compares their files.

    Args:
        first: of a system, as `overread.score_many` gives them, or as a tidy table that `overread.frame` made of them.
        second: of the other; pairs are the same that have the same id.
        names: of the systems.
        metrics: names of those to compare, or one name; all where omitted.
        studies: by pair id; pairs of one study are drawn together. Each pair is a study of its own where omitted.
        draws: of the bootstrap and of the randomisation.
        seed: of the draws.
        shown: pairs listed each way.
        force: compare scores made with different settings, too.

    Returns:
        Paired differences with intervals and p values, errors by kind, wins and losses.

    Raises:
        ConfigurationError: if the results do not fit together.
        InputError: if there are not two names, or a system's results are none.
    """
    if isinstance(names, str) or len(names) != _SYSTEMS:
        raise InputError("names", "are not those of two systems", remedy='give two, such as ("old", "new")')
    one, other = (
        _source(name, results, argument)
        for name, argument, results in zip(names, ("first", "second"), (first, second), strict=True)
    )
    facts, chosen = PairFacts(studies=studies or {}), metric_names(metrics)
    return run_draws(
        lambda draws: compare_systems(
            one, other, facts, metrics=chosen, draws=draws, seed=seed, shown=shown, force=force
        ),
        draws,
    )


def rank(
    systems: Mapping[str, Iterable[PairResults] | Any],
    *,
    metrics: str | Sequence[str] = (),
    studies: Mapping[str, str] | None = None,
    draws: int = 10_000,
    seed: int = 0,
    force: bool = False,
) -> Tabulation:
    """Ranks systems by their results for the same pairs, as `overread leaderboard` ranks their files.

    Args:
        systems: results by the name of each system, two or more, as `overread.score_systems` gives them; each as of
            `compare`.
        metrics: names of those to rank by, or one name; all that every system has where omitted.
        studies: as of `compare`.
        draws: of the bootstrap and of the randomisation.
        seed: of the draws.
        force: rank scores made with different settings, too.

    Returns:
        The tables of `overread.studies.application.comparison.leaderboard.rank_systems`.

    Raises:
        ConfigurationError: if the results do not fit together.
        InputError: if a system's results are none.
    """
    if not isinstance(systems, Mapping):
        raise InputError("systems", f"is {type(systems).__name__}, not results by name of system")
    sources = [_source(name, results, f"systems[{name!r}]") for name, results in systems.items()]
    facts, chosen = PairFacts(studies=studies or {}), metric_names(metrics)
    return run_draws(
        lambda draws: rank_systems(sources, facts, metrics=chosen, draws=draws, seed=seed, force=force), draws
    )


def _source(name: str, results: Iterable[PairResults] | Any, argument: str) -> Source:
    metrics = {scores.metric: scores for scores in scores_of(results, argument)}
    return Source(name=name, metrics=metrics, diversity=results_diversity(results))


def metric_names(metrics: str | Sequence[str]) -> tuple[str, ...]:
    """The names of metrics, of which a single one may stand for itself.

    Raises:
        ConfigurationError: if they are no names.
    """
    return (metrics,) if isinstance(metrics, str) else structure_value(tuple[str, ...], metrics, "metrics")


def compare_results(
    files: Sequence[str], given: Compared, *, of: str | None = None, shown: int = 5, force: bool = False
) -> Tabulation:
    """Compares the systems, or the metrics, of one or two result files.

    Args:
        files: each a path or NAME=PATH.
        given: what else is known.
        of: "systems" or "metrics". By default two files that share a metric are two systems.
        shown: pairs listed each way.
        force: compare scores made with different settings too.

    Raises:
        ConfigurationError: if the files do not fit together.
        InputError: if a file cannot be read.
    """
    named = two_files(files)
    sources = read_sources(named, given.directions)
    return compare_sources(named, sources, given, of=of, shown=shown, force=force)


def compare_sources(
    named: Sequence[tuple[str, Path]],
    sources: Sequence[Source],
    given: Compared,
    *,
    of: str | None = None,
    shown: int = 5,
    force: bool = False,
) -> Tabulation:
    """Compares result files that are read already, as `compare_results` does.

    Args:
        named: name and path of each file.
        sources: their scores.
        given: what else is known.
        of: as of `compare_results`.
        shown: pairs listed each way.
        force: compare scores made with different settings too.

    Raises:
        ConfigurationError, InputError: as `compare_results`.
    """
    from overread.studies.infrastructure.views.compared_pages import with_commands

    as_systems = are_systems(sources, of)
    for other in given.pairs[1:]:
        check_same_pairs(given.pairs[0], other, candidates=not as_systems)
    own = range(len(given.pairs) if as_systems else len(named))
    if given.of_last and len(given.pairs) == 1:
        own = range(len(named) - 1, len(named))
    facts = read_facts(given, named)
    notes = [*_remarks(given, named, sources, own=own), *_without_studies(given, facts)]
    notes += _not_in_all(sources) if as_systems else ()
    if as_systems:
        first, second = sources
        tabulation = run_draws(
            lambda draws: compare_systems(
                first,
                second,
                facts,
                metrics=given.metrics,
                draws=draws,
                seed=given.seed,
                shown=shown,
                force=force,
            ),
            given.draws,
        )
    else:
        tabulation = run_draws(
            lambda draws: compare_metrics(
                sources, facts, metrics=given.metrics, draws=draws, seed=given.seed, shown=shown
            ),
            given.draws,
        )
    return with_commands(evolve(tabulation, notes=(*tabulation.notes, *notes)), given.pairs)


def rank_results(files: Sequence[str], given: Compared, *, force: bool = False) -> Tabulation:
    """Ranks the systems of many result files; see `rank_systems`.

    Raises:
        ConfigurationError: if the files do not fit together.
        InputError: if a file cannot be read.
    """
    named = [named_file(file) for file in files]
    sources = read_sources(named, given.directions)
    facts = read_facts(given, named)
    notes = [*_remarks(given, named, sources, own=range(0)), *_without_studies(given, facts), *_not_in_all(sources)]
    tabulation = run_draws(
        lambda draws: rank_systems(sources, facts, metrics=given.metrics, draws=draws, seed=given.seed, force=force),
        given.draws,
    )
    return evolve(tabulation, notes=(*tabulation.notes, *notes))


def summarise_file(file: str, given: Compared) -> Tabulation:
    """Summarises the results of one file, with intervals; see `summarise_results`.

    Args:
        file: a path or NAME=PATH.
        given: the file of pairs that gives the studies, and the metrics, draws and seed.

    Raises:
        ConfigurationError: if the file does not hold one of the metrics.
        InputError: if a file cannot be read.
    """
    named = [named_file(file)]
    [source] = read_sources(named, given.directions)
    facts = read_facts(given, named)
    notes = _remarks(given, named, [source], own=range(1))
    tabulation = summarise_results(source, facts, metrics=given.metrics, draws=given.draws, seed=given.seed)
    return evolve(tabulation, notes=(*tabulation.notes, *notes))


def _remarks(
    given: Compared, named: Sequence[tuple[str, Path]], sources: Sequence[Source], *, own: range
) -> Sequence[str]:
    """Remarks for the reader on the result files, and on how the pairs fit them.

    Args:
        given: the files of pairs.
        named: name and path of each result file.
        sources: their scores.
        own: places of the result files whose candidates the pairs have.

    Raises:
        InputError: if pairs and results do not fit.
    """
    remarks = []
    for place, ((_, path), source) in enumerate(zip(named, sources, strict=True)):
        if partial_folder(path).is_dir():
            remarks.append(
                f"{path} is to be replaced by a run that was stopped or is still going on; it holds the results "
                "of an earlier run"
            )
        if given.pairs:
            pairs = given.pairs[min(place, len(given.pairs) - 1)]
            remarks.append(check_pairs(pairs, _scored_file(path, source), candidates=place in own))
    return [remark for remark in dict.fromkeys(remarks) if remark]


def _not_in_all(sources: Sequence[Source]) -> Iterator[str]:
    """Notes on which metrics are left out because a file lacks them."""
    for metric in dict.fromkeys(metric for source in sources for metric in source.metrics):
        if lacking := [source.name for source in sources if metric not in source.metrics]:
            yield f"{metric} is not in {', '.join(lacking)}, so that it is left out"


def _without_studies(given: Compared, facts: PairFacts) -> Iterator[str]:
    """A remark where pairs were given of which no study is known."""
    if given.pairs and not facts.studies:
        known = f"{given.pairs[0]} names no studies in a column study: each pair counts as one"
        yield f"{known}, so that intervals are too narrow where several pairs share a study"


def _scored_file(path: Path, source: Source) -> ScoredFile:
    scores = source.metrics.values()
    bad = {name for metric in scores for name, reason in metric.reasons.items() if reason == BAD_INPUT}
    return ScoredFile(path=path, ids=dict.fromkeys(name for metric in scores for name in metric.ids), bad=bad)


def read_facts(given: Compared, named: Sequence[tuple[str, Path]]) -> PairFacts:
    """Studies and kinds of the pairs, from their file if it was given.

    Raises:
        ConfigurationError: if kinds are asked for without it.
        InputError: if it cannot be read.
    """
    if given.by and not given.pairs:
        raise ConfigurationError(["`by` names a column of the file of pairs; give that with `pairs`"])
    if not given.pairs:
        return PairFacts()
    columns = columns_of(given.pairs[0], named[0][1])
    return read_pair_facts(given.pairs[0], given.by, id_column=columns.id)
