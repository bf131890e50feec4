"""Papers made again on the sets that users bring: files are read and components chosen, the studies do the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen

from overread.application.asking.watching import ModelWatch
from overread.application.ports import Aligner, UnitExtractor
from overread.application.scoring.evaluate import Progress
from overread.application.scoring.run import Run
from overread.application.statistics.tabulation import Tabulation
from overread.application.traits import ExtractorTraits, traits_of
from overread.bootstrap.services import assembly_of, catalogue_of, open_run
from overread.domain.results.annotation import HumanBenchmark
from overread.domain.results.scores import MetricScores
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.settings import Settings
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue
from overread.studies.application.reproduction.radot.study import MASS_PENALTY, PARTIAL_MASS, Plan
from overread.studies.application.reproduction.set_scoring import SetScoring
from overread.studies.bootstrap.studies import stored_scores, usual_metrics
from overread.studies.infrastructure.datasets.annotated_sets import read_benchmark

__all__ = ["PaperRun", "reproduce_metric_paper", "reproduce_radot"]


@frozen(kw_only=True)
class PaperRun:
    """Options for reproducing a paper.

    Attributes:
        settings: which components to use.
        results: result files of metrics over pairs of the sets.
        tables: numbers of the requested tables; all if empty.
        draws: of the bootstrap and of the randomisation tests.
        seed: of everything left to chance.
        on_progress: called with how much is done: pairs scored, or sets read and tables made.
        on_read: called with the name of each set and the set, before anything is scored.
        on_scores: called for each set that metrics are judged on, with their scores, made now or read.
        watch: of the language model that is asked, if any.
    """

    settings: Settings
    results: Sequence[Path] = ()
    tables: Sequence[str] = ()
    draws: int = 10_000
    seed: int = 0
    on_progress: Progress | None = None
    on_read: Callable[[str, HumanBenchmark], None] | None = None
    on_scores: Callable[[Sequence[MetricScores]], None] | None = None
    watch: ModelWatch | None = None


def reproduce_metric_paper(
    key: str,
    run: PaperRun,
    given: Mapping[str, Path | None],
    options: Mapping[str, Mapping[str, object]] | None = None,
) -> Tabulation:
    """The tables of a paper that judges metrics, on the sets that are given.

    Args:
        key: of the paper: crepe, green, ratescore or judge.
        run: where its settings name no metrics, those of its results are judged alone, or without results the default
            metrics and the installed baselines. A result file's pairs are found by their ids; where two sets share
            ids, SET=FILE tells which is meant, for example rexval=green.jsonl.
        given: file or folder by name of the set; which sets there are, the paper says.
        options: by name of the set, how it is read where that is left to the user.

    Raises:
        InputError: if a set or a result file cannot be read.
        ConfigurationError: if no set is given, a table is unknown or a component cannot be used.
        MissingDependencyError, PluginError, StoreError: as `build_service`.
    """
    from overread.studies.application.reproduction.papers import METRIC_PAPERS
    from overread.studies.infrastructure.datasets.published import read_published

    paper = METRIC_PAPERS[key]
    given_sets = {name: (path, own) for name, own in paper.sets.items() if (path := given.get(name)) is not None}
    if not given_sets:
        known = " or ".join(f"`{name}`" for name in paper.sets).replace("-", "_")
        raise ConfigurationError([f"no set is given: use {known}"])
    published = read_published(key)
    paper.reproduction(published).choose_tables(run.tables)
    chosen = options or {}
    sets = {name: _read(run, name, path, {**own, **chosen.get(name, {})}) for name, (path, own) in given_sets.items()}
    settings = run.settings
    metrics = settings.metrics if settings.metrics or run.results else usual_metrics(settings)

    def open_set_run(metrics: tuple[str, ...]) -> Run:
        return open_run(evolve(settings, metrics=metrics), watch=run.watch)

    scoring = SetScoring(
        sets=sets,
        metrics=tuple(metrics),
        open_run=open_set_run,
        stored=_read_stored(run.results, sets),
        keeps=settings.store is not None or settings.answers is not None,
        on_progress=run.on_progress,
        on_scores=run.on_scores,
    )
    made = paper.reproduce(published, scoring, run.tables, draws=run.draws, seed=run.seed)
    return _with_accounts(made, sets)


def reproduce_radot(run: PaperRun, given: Mapping[str, Path | None], *, rexerr_split: str = "all") -> Tabulation:
    """RadOT-Eval's study on the user's sets, each table with the paper's figures beside ours.

    Args:
        run: the extractor and its options; costs, plans and readout are the paper's. Its results are of other metrics
            over RadEvalX's pairs.
        given: file or folder of rexval, radevalx and rexerr; the first must be there.
        rexerr_split: "train", "val" or "test" to read the files of that split alone.

    Raises:
        InputError: if a set or a result file cannot be read.
        ConfigurationError: if a component cannot be used, a table is unknown, or no pair of a set can be read.
    """
    from overread.adapters.transport.nnls.fitter import NnlsFitter
    from overread.infrastructure.files.scored import read_scores
    from overread.studies.adapters.rivals.learners import rivals
    from overread.studies.application.reproduction.radot import radot_tables
    from overread.studies.application.reproduction.radot.reproduce import reproduce_radot as reproduce
    from overread.studies.infrastructure.datasets.published import read_published

    reproduction = radot_tables(read_published("radot"))
    reproduction.choose_tables(run.tables)
    if run.results and given.get("radevalx") is None:
        raise ConfigurationError(["`results` holds scores of RadEvalX's pairs and needs `radevalx`"])
    options = {"rexerr": {"split": rexerr_split}}
    rated = {name: _read(run, name, path, options.get(name, {})) for name, path in given.items() if path is not None}
    catalogue = catalogue_of(run.settings)
    extractor: UnitExtractor = assembly_of(run.settings, catalogue).get("extractor")
    made = reproduce(
        reproduction,
        rated,
        extractor=extractor,
        aligner=_aligners(catalogue),
        fitter=NnlsFitter(),
        rivals=rivals(run.seed),
        results={str(path): read_scores(path) for path in run.results},
        numbers=run.tables,
        draws=run.draws,
        seed=run.seed,
        notes=(*_extractor_notes(extractor), *_unused_settings(run.settings)),
        on_progress=run.on_progress,
    )
    return _with_accounts(made, rated)


def _read(run: PaperRun, name: str, path: Path, options: Mapping[str, object]) -> HumanBenchmark:
    benchmark = read_benchmark(name, path, options)
    if run.on_read is not None:
        run.on_read(name, benchmark)
    return benchmark


def _with_accounts(made: Tabulation, sets: Mapping[str, HumanBenchmark]) -> Tabulation:
    """The tables with what was understood of each set."""
    lines = (f"{name}: {line}" for name, benchmark in sets.items() for line in benchmark.account)
    return evolve(made, understood=tuple(lines))


def _read_stored(results: Sequence[Path], sets: Mapping[str, HumanBenchmark]) -> dict[str, list[MetricScores]]:
    """Scores that result files hold for each set."""
    from overread.infrastructure.files.scored import read_scores

    by_set: dict[str, list[MetricScores]] = {name: [] for name in sets}
    for given in results:
        named, _, rest = str(given).partition("=")
        names, path = ([named], Path(rest)) if rest and named in sets else (list(sets), given)
        scores = list(read_scores(path).values())
        for name in _covered_sets(path, scores, {name: sets[name] for name in names}):
            by_set[name] += [stored_scores(metric_scores, sets[name], path) for metric_scores in scores]
    return by_set


def _covered_sets(path: Path, scores: Sequence[MetricScores], sets: Mapping[str, HumanBenchmark]) -> Iterator[str]:
    """The sets that a file holds pairs of."""
    ids = {key for item in scores for key in item.ids}
    shared = {name: ids & {item.pair.id for item in benchmark.pairs} for name, benchmark in sets.items()}
    covered = [name for name, keys in shared.items() if keys]
    if not covered:
        raise InputError(str(path), f"holds no pair of {' or '.join(sets)}", remedy="keep the sets' ids in it")
    if sum(len(shared[name]) for name in covered) > len(set().union(*shared.values())):
        remedy = f"tell the set, as in `results={covered[0]}={path.name}`"
        raise InputError(str(path), f"has ids that are in {' and '.join(covered)}", remedy=remedy)
    yield from covered


def _aligners(catalogue: Catalogue) -> Callable[[Plan], Aligner]:
    def aligner(plan: Plan) -> Aligner:
        table: dict[str, object] = {"epsilon": plan.epsilon, "weights": plan.cost_weights.as_tuple()}
        table |= {"partial": {"mass": PARTIAL_MASS}, "unbalanced": {"lambda_m": MASS_PENALTY}}.get(plan.aligner, {})
        return Assembly(catalogue, choices={"aligner": plan.aligner}, options={"aligner": table}).get("aligner")  # type: ignore[no-any-return]

    return aligner


def _extractor_notes(extractor: UnitExtractor) -> Iterable[str]:
    """Notes of an extractor on its units, for example how a table of them was understood."""
    if note := traits_of(extractor, ExtractorTraits).note:
        yield f"units: {note}"


def _unused_settings(settings: Settings) -> Iterable[str]:
    unused = sorted({"aligner", "readout", "radot"} & {*settings.choices, *settings.options})
    if unused:
        yield f"settings of {', '.join(unused)} are not used: costs, plans and readout are the paper's"
