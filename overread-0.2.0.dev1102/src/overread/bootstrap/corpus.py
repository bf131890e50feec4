"""Runs over corpora: in this process, in several, or on a Ray cluster; each makes the same files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Final, Literal, get_args

from attrs import evolve

from overread.application.asking.planning import RunPlan
from overread.application.asking.watching import ModelWatch
from overread.application.ports import LanguageModel, UnitExtractor
from overread.application.scoring.corpus import ResultSink
from overread.application.scoring.corpus_run import ShardedRun, StreamedRun
from overread.application.scoring.run import Run
from overread.application.scoring.shards import Engine, InProcessEngine, ShardScorer
from overread.application.scoring.unit_reading import UnitReading
from overread.bootstrap.services import assembly_of, catalogue_of, open_run
from overread.domain.reports.report import ReportPair
from overread.exceptions import ConfigurationError
from overread.infrastructure.engines.shards import ShardFolder, open_partial
from overread.infrastructure.engines.threads import few_threads, thread_count
from overread.infrastructure.files.tables import PairFile
from overread.infrastructure.files.whole_files import keep_inputs
from overread.infrastructure.settings import Settings
from overread.infrastructure.store.answers import answers_beside, open_answers

__all__ = ["SHARD_ROWS", "EngineName", "open_corpus", "open_unit_reading", "plan_corpus"]

EngineName = Literal["local", "ray"]

SHARD_ROWS: Final = 1024

_FASTER: Final = {
    "concurrency": "for more requests at once set model.concurrency",
    "threads": "for more processors at once set model.threads",
}
"""What makes a language model faster, by the option it has for it."""


@contextmanager
def open_corpus(
    source: PairFile,
    output: Path | ResultSink,
    settings: Settings,
    *,
    workers: int = 1,
    engine: EngineName = "local",
    shard_rows: int = SHARD_ROWS,
    restart: bool = False,
    only_kept: bool = False,
    watch: ModelWatch | None = None,
    tell: Callable[[str], None] | None = None,
) -> Iterator[ShardedRun | StreamedRun]:
    """A run over a corpus, ready to score; its output is held for it alone.

    Args:
        source: of the pairs.
        output: a file, or what takes results as they come, without shards and from one process alone.
        settings: which components and options to use.
        workers: processes that score.
        engine: where they run.
        shard_rows: pairs that are scored and committed together.
        restart: whether to throw away what a run that was stopped has committed.
        only_kept: whether language models may not be asked, but only their kept answers read.
        watch: is told before a model is first asked, and as its answers come.
        tell: is told in words what was found of a run that was stopped, and of workers that died.

    Raises:
        ConfigurationError: if ``workers`` or ``shard_rows`` is no number from 1, or there is no such engine.
    """
    _check_scale(workers, engine, shard_rows)
    source.rows()  # what is wrong with the file as a whole shows before anything is made
    opened = partial(open_run, settings, run=source.name, only_kept=only_kept, watch=watch)
    if not isinstance(output, Path):
        if _is_by_several(workers, engine):
            raise ConfigurationError(["standard output is written by one process; name a file with -o"])
        with _threads(settings), closing(opened()) as run:
            yield StreamedRun(source=source, sink=output, run=run)
        return
    answers = settings.answers or (None if only_kept else answers_beside(output))
    keep_inputs(output, source.path, answers, settings.store, *settings.files)
    tell = tell or _unheard
    with open_partial(output) as target, ExitStack() as stack:
        if _is_by_several(workers, engine):
            several = _open_workers(settings, target.folder, engine=engine, workers=workers, tell=tell)
            scorers, own = stack.enter_context(several), None
        else:
            stack.enter_context(_threads(settings))
            own = stack.enter_context(closing(opened(answers=answers)))
            scorers = InProcessEngine(ShardScorer(own.service, target.folder))
        yield ShardedRun(
            source=source,
            output=target,
            engine=scorers,
            shard_rows=shard_rows,
            threads=0 if _may_ask(settings) else thread_count(),
            restart=restart,
            tell=tell,
            run=own,
        )


def _check_scale(workers: int, engine: str, shard_rows: int) -> None:
    counts = {"workers": workers, "shard_rows": shard_rows}
    problems = [
        f"{name} must be a whole number from 1, not {count!r}"
        for name, count in counts.items()
        if not isinstance(count, int) or isinstance(count, bool) or count < 1
    ]
    if engine not in get_args(EngineName):
        problems.append(f"engine must be {' or '.join(get_args(EngineName))}, not {engine!r}")
    if problems:
        raise ConfigurationError(problems)


def _is_by_several(workers: int, engine: EngineName) -> bool:
    return workers > 1 or engine == "ray"


def _may_ask(settings: Settings) -> bool:
    """Return whether a language model is chosen. Its threads are not limited, as one process alone asks it."""
    return "model" in settings.choices


def _threads(settings: Settings) -> AbstractContextManager[None]:
    return nullcontext() if _may_ask(settings) else few_threads()


def plan_corpus(
    source: PairFile, settings: Settings, answers: Path | None = None
) -> tuple[RunPlan | None, LanguageModel | None]:
    """Plan what scoring would ask of a language model; nothing is asked and nothing written.

    Args:
        source: of the pairs.
        settings: which components and options to use.
        answers: where answers would be kept if the settings name no file; what it has kept is not asked again.

    Returns:
        The plan, None where no metric can give one, and the model, None where none is asked.
    """
    rows, answers = source.rows(), settings.answers or answers
    existing = answers if answers is not None and answers.exists() else None
    with closing(open_run(evolve(settings, store=None, answers=existing))) as run:
        return run.plan(row for row in rows if isinstance(row, ReportPair)), run.model


def open_unit_reading(
    output: Path, settings: Settings, *, may_ask: bool = True, watch: ModelWatch | None = None
) -> UnitReading:
    """The extractor of the settings, ready to read reports into a table.

    What a language model answers is kept beside the output unless the settings name a file.

    Args:
        output: .parquet or .jsonl file.
        settings: which extractor to use.
        may_ask: whether a file of answers may be made; one is not made only to look into it.
        watch: is told before a model is first asked, and as its answers come.

    Raises:
        InputError: if the output can be no table.
        ConfigurationError, MissingDependencyError, PluginError, StoreError: as `open_run`.
    """
    from overread.adapters.reader.unit_table import UnitTableWriter

    keep_inputs(output, *settings.files)
    assembly = assembly_of(settings, watch=watch)
    extractor: UnitExtractor = assembly.get("extractor")
    table = UnitTableWriter(output, extractor.identity)
    model, tally = assembly.built("model"), assembly.get("answers")
    answers_path = answers_beside(output)
    if model is not None and tally.store is None and (may_ask or answers_path.exists()):
        tally.store = open_answers(answers_path)
    return UnitReading(extractor=extractor, table=table, model=model, answers=tally)


@contextmanager
def _open_workers(
    settings: Settings,
    files: ShardFolder,
    *,
    engine: EngineName = "local",
    workers: int,
    tell: Callable[[str], None],
) -> Iterator[Engine]:
    """An engine of several processes. Each builds the service of the settings once.

    Args:
        settings: which components and options to use.
        files: where shards lie; for a cluster, in a folder that all its machines share.
        engine: "local" for processes of this machine, "ray" for Ray, whose cluster is that of RAY_ADDRESS, else one
            of this machine alone that is started and ended here.
        workers: how many.
        tell: is told of workers that died, in words.

    Raises:
        ConfigurationError: if what is to be used cannot be used by several processes.
        MissingDependencyError: if Ray is asked for and not installed.
        InputError, PluginError: as they arise in a worker.
    """
    if settings.store is not None:
        problem = "a store is written by one process; leave `store` out, or score with `workers=1` on the local engine"
        raise ConfigurationError([problem])
    if _may_ask(settings):  # it is told before processes are started
        with closing(open_run(evolve(settings, answers=None))) as run:
            _check_asks_none(run, settings)
    build = partial(_scorer, evolve(settings, answers=None), files)
    if engine == "ray":
        from overread.infrastructure.engines.ray_engine import open_ray_engine

        with open_ray_engine(build, workers, tell) as ray_engine:
            yield ray_engine
        return
    from overread.infrastructure.engines.workers import WorkerPool

    with WorkerPool(build, workers, tell) as pool:
        yield pool


def _scorer(settings: Settings, files: ShardFolder) -> ShardScorer:
    """Build the scorer of a worker."""
    from overread.infrastructure.logs import configure

    configure(settings.log_level)
    run = open_run(settings)
    _check_asks_none(run, settings)
    return ShardScorer(run.service, files)


def _check_asks_none(run: Run, settings: Settings) -> None:
    if run.model is None:
        return
    model = settings.choices.get("model", "").partition(":")[0]
    known = {spec.spec.name: spec.spec.options for spec in catalogue_of(settings).of("model")}
    hints = [f", and {hint}" for name, hint in _FASTER.items() if hasattr(known.get(model), name)]
    problem = "a metric asks a language model, whose answers are kept by one process"
    raise ConfigurationError([f"{problem}; score with `workers=1` on the local engine{''.join(hints)}"])


def _unheard(_: str) -> None:
    """Nobody wants to know."""
