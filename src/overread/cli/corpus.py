"""`overread corpus` and `overread rescore`: every pair of a file, by asking or by reading what was answered before."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from attrs import asdict, frozen

from overread.cli.support import (
    Answers,
    Config,
    Metrics,
    Set,
    Store,
    keep_inputs,
    progress,
    read_settings,
    tell_answers,
    tell_missing,
    tell_plan,
    watch_model,
)
from overread.exceptions import ConfigurationError

if TYPE_CHECKING:
    from overread.application.asking.watching import ModelWatch
    from overread.application.scoring.corpus import BadRow, CorpusSummary
    from overread.application.scoring.evaluate import Progress
    from overread.application.scoring.shards import Engine
    from overread.bootstrap import Run
    from overread.domain.report import ReportPair
    from overread.infrastructure.engines.shards import PartialOutput, RunIdentity
    from overread.infrastructure.files.tables import Columns
    from overread.infrastructure.settings import Settings

__all__ = ["corpus", "rescore"]


class OnError(StrEnum):
    """What a bad row does."""

    FAIL = "fail"
    SKIP = "skip"


class EngineName(StrEnum):
    """Where pairs are scored."""

    LOCAL = "local"
    RAY = "ray"


Pairs = Annotated[
    Path,
    typer.Argument(help="CSV, TSV, JSONL, Parquet or a saved data set, with columns id, reference, candidate."),
]
Results = Annotated[Path, typer.Option("--output", "-o", help="Results: .jsonl, .parquet, or - for stdout.")]
BadRows = Annotated[OnError, typer.Option(help="A bad row ends the run, or is unscored.")]
IdColumn = Annotated[str, typer.Option(help="Column with the pair's id.")]
ReferenceColumn = Annotated[str, typer.Option(help="Column with the radiologist's report.")]
CandidateColumn = Annotated[str, typer.Option(help="Column with the report under test.")]
Split = Annotated[str, typer.Option(help="Split of a data set that has several.")]
ShardRows = Annotated[int, typer.Option(min=1, help="Pairs that are scored and committed together.")]
Restart = Annotated[bool, typer.Option("--restart", help="Throw away what a run that was stopped has committed.")]

_SHARD_ROWS: Final = 1024


def corpus(
    pairs: Pairs,
    *,
    output: Results,
    metric: Metrics = None,
    set_: Set = None,
    config: Config = None,
    store: Store = None,
    answers: Answers = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that score.")] = 1,
    engine: Annotated[EngineName, typer.Option(help="Where they run: on this machine, or by Ray.")] = EngineName.LOCAL,
    shard_rows: ShardRows = _SHARD_ROWS,
    restart: Restart = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would be asked of a language model, and what it may cost.")
    ] = False,
    split: Split = "",
    on_error: BadRows = OnError.FAIL,
    id_column: IdColumn = "id",
    reference_column: ReferenceColumn = "reference",
    candidate_column: CandidateColumn = "candidate",
) -> None:
    """Score every pair of a file.

    Writes one result line a pair and metric, in the file's order. A run that was stopped goes on where it was when the
    same command is given again. What a language model answers is kept beside the output, in OUTPUT.answers.sqlite
    unless --answers names another file, and not asked again.
    """
    source = _source(pairs, split, on_error, id_column, reference_column, candidate_column)
    settings = read_settings(config, set_, metrics=metric, store=store, answers=answers)
    beside = None if _is_stdout(output) else output.with_name(f"{output.name}.answers.sqlite")
    if dry_run:
        _plan(source, settings, beside)
        return
    scoring = _Scoring(source, output, settings, config, settings.answers or beside, shard_rows, restart)
    if workers > 1 or engine is EngineName.RAY:
        scoring.by_workers(workers, engine)
    else:
        scoring.here()


def rescore(
    pairs: Pairs,
    *,
    output: Results,
    answers: Answers = None,
    metric: Metrics = None,
    set_: Set = None,
    config: Config = None,
    store: Store = None,
    shard_rows: ShardRows = _SHARD_ROWS,
    restart: Restart = False,
    split: Split = "",
    on_error: BadRows = OnError.FAIL,
    id_column: IdColumn = "id",
    reference_column: ReferenceColumn = "reference",
    candidate_column: CandidateColumn = "candidate",
) -> None:
    """Score every pair of a file from kept answers, without asking.

    For a new way to read old answers. A pair whose answer is not kept is unscored ("not asked"). The model need not be
    chosen, or reachable, if all kept answers are of the same. If answers are missing, it tells what the file keeps.
    """
    source = _source(pairs, split, on_error, id_column, reference_column, candidate_column)
    settings = read_settings(config, set_, metrics=metric, store=store, answers=answers)
    _Scoring(source, output, settings, config, settings.answers, shard_rows, restart).here(only_kept=True)


@frozen
class _Source:
    """A file of pairs, with how to read it."""

    path: Path
    columns: Columns
    split: str
    on_error: OnError

    def rows(self) -> Iterator[ReportPair | BadRow]:
        from overread.infrastructure.files.tables import read_pairs

        return read_pairs(self.path, columns=self.columns, on_error=self.on_error.value, split=self.split)

    @property
    def stamp(self) -> str:
        """Size and time of the file, or of the folder."""
        known = self.path.stat()
        return f"{known.st_size} bytes, {known.st_mtime_ns} ns"


def _source(
    path: Path, split: str, on_error: OnError, id_column: str, reference_column: str, candidate_column: str
) -> _Source:
    from overread.infrastructure.files.tables import Columns

    columns = Columns(id=id_column, reference=reference_column, candidate=candidate_column)
    return _Source(path, columns, split, on_error)


def _is_stdout(output: Path) -> bool:
    return str(output) == "-"


@frozen
class _Scoring:
    """A run over a file of pairs, whoever scores them."""

    source: _Source
    output: Path
    settings: Settings
    config: Path | None
    answers: Path | None
    shard_rows: int
    restart: bool

    def here(self, *, only_kept: bool = False) -> None:
        """In this process, which may ask a language model."""
        from overread.bootstrap import open_run

        watch, name = watch_model(), str(self.source.path)
        with self._target() as partial_output, self._threads():
            run = open_run(self.settings, run=name, only_kept=only_kept, answers=self.answers, watch=watch)
            try:
                if partial_output is None:
                    done = self._stream(run, watch)
                else:
                    from overread.application.scoring.shards import ShardScorer
                    from overread.bootstrap import InProcessEngine

                    engine = InProcessEngine(ShardScorer(run.service, partial_output.folder))
                    done = self._commit(engine, partial_output, watch)
            finally:
                if run.model is not None:
                    tell_answers(run.answers, self.answers)
                run.close()
        _show_summary(done, self.output)
        if run.answers.only_kept and self.answers is not None:
            missing = sum(metric.unscored["not asked"] for metric in done.summary.metrics.values())
            tell_missing(run, missing, self.answers, self.source.rows())

    def by_workers(self, workers: int, engine: EngineName) -> None:
        """In several processes."""
        from overread.bootstrap import open_workers

        with self._target() as partial_output:
            if partial_output is None:
                raise ConfigurationError(["standard output is written by one process; name a file with -o"])
            opened = open_workers(
                self.settings, partial_output.folder, engine=engine.value, workers=workers, tell=_tell
            )
            with opened as scorers:
                done = self._commit(scorers, partial_output)
        _show_summary(done, self.output)

    @contextmanager
    def _target(self) -> Iterator[PartialOutput | None]:
        """The output, held for this run alone once the files are found to be in order; None for standard output."""
        from overread.infrastructure.engines.shards import open_partial

        self.source.rows()
        keep_inputs(self.output, self.source.path, self.answers, self.config, self.settings.store)
        held: AbstractContextManager[PartialOutput | None] = (
            nullcontext() if _is_stdout(self.output) else open_partial(self.output)
        )
        with held as partial_output:
            yield partial_output

    @property
    def _may_ask(self) -> bool:
        """Whether a language model is chosen: it has the threads it takes, for it is one process alone that asks it."""
        return "model" in self.settings.choices

    def _threads(self) -> AbstractContextManager[None]:
        from overread.infrastructure.engines.threads import few_threads

        return nullcontext() if self._may_ask else few_threads()

    def _stream(self, run: Run, watch: ModelWatch) -> _Done:
        from time import perf_counter

        from overread.application.scoring.corpus import evaluate_corpus
        from overread.infrastructure.files.writers import StandardOutput

        started, sink = perf_counter(), StandardOutput()
        with self._progress(watch) as advance:
            summary = evaluate_corpus(run.service, self.source.rows(), sink, on_progress=advance)
        sink.close()
        return _Done(summary, summary.pairs, perf_counter() - started)

    def _commit(self, engine: Engine, partial_output: PartialOutput, watch: ModelWatch | None = None) -> _Done:
        """Scores what is not committed yet, and joins all."""
        from time import perf_counter

        from overread.application.scoring.shards import MissingShards, score_shards

        identity = self._identity(engine, partial_output)
        partial_output.begin(identity, restart=self.restart)
        kept, before = partial_output.kept, sum(record.rows for record in partial_output.kept.values())
        for words in _resumed(partial_output, identity):
            _tell(words)
        inputs = {number: (record.input, record.rows) for number, record in kept.items()}
        missing = MissingShards(str(self.source.path), self.source.rows, self.shard_rows, inputs)
        started = perf_counter()
        try:
            with self._progress(watch) as advance:
                summary = score_shards(missing, engine, partial_output, on_progress=advance)
            seconds = perf_counter() - started
            partial_output.finish()
        except BaseException:
            _tell_stop(sum(record.rows for record in kept.values()), partial_output.folder.path, self.shard_rows)
            raise
        return _Done(summary, summary.pairs - before, seconds)

    def _identity(self, engine: Engine, partial_output: PartialOutput) -> RunIdentity:
        from overread.infrastructure.engines.shards import RunIdentity
        from overread.infrastructure.engines.threads import thread_count

        return RunIdentity(
            input=str(self.source.path),
            columns=asdict(self.source.columns),
            split=self.source.split,
            signatures=engine.signatures,
            shard_rows=self.shard_rows,
            threads=0 if self._may_ask else thread_count(),
            format=partial_output.folder.format,
            stamp=self.source.stamp,
        )

    def _progress(self, watch: ModelWatch | None) -> AbstractContextManager[Progress]:
        from overread.infrastructure.files.tables import count_rows

        return progress(count_rows(self.source.path, self.source.split), of="pairs", watch=watch)


@frozen
class _Done:
    """What a run came to.

    Attributes:
        summary: of all pairs.
        now: pairs that this run scored.
        seconds: that it took.
    """

    summary: CorpusSummary
    now: int
    seconds: float


def _resumed(partial_output: PartialOutput, now: RunIdentity) -> Iterator[str]:
    """What a run finds of one that was stopped, in lines."""
    folder, before = partial_output.folder.path, sum(record.rows for record in partial_output.kept.values())
    if partial_output.stray:
        yield f"{folder} lacks its manifest, without which no shard in it can be used: all is scored again"
    if partial_output.lost:
        shards = ", ".join(map(str, partial_output.lost))
        yield f"shards that are gone or damaged are scored again: {shards}"
    if partial_output.unanswered:
        yield f"{partial_output.unanswered:,} pairs in shards that lack answers of a language model are scored again"
    if before:
        yield f"resumed: {before:,} pairs were scored before"
    first = partial_output.first
    if before and first is not None and first.stamp and first.stamp != now.stamp:
        yield f"{now.input} changed since this run began; it goes on if the {before:,} pairs are as they were"


def _tell_stop(rows: int, folder: Path, shard_rows: int) -> None:
    kept = (
        f"{rows:,} scored pairs are kept in {folder}, and the same command goes on from there"
        if rows
        else f"no {shard_rows:,} pairs (--shard-rows) were whole yet, so nothing is kept in {folder}"
    )
    _tell(f"stopped early; {kept}")


def _tell(words: str) -> None:
    """A line on standard error; a progress bar redirects it, to stay whole."""
    sys.stderr.write(f"overread: {words}\n")


def _plan(source: _Source, settings: Settings, beside: Path | None) -> None:
    """What scoring would ask, on standard output; nothing is asked and nothing written."""
    from attrs import evolve

    from overread.bootstrap import open_run
    from overread.domain.report import ReportPair

    rows, answers = source.rows(), settings.answers or beside
    kept = answers if answers is not None and answers.exists() else None
    run = open_run(evolve(settings, store=None, answers=kept))
    plan = run.plan(row for row in rows if isinstance(row, ReportPair))
    run.close()
    if plan is None:
        asks = "A language model is asked, but no metric can tell beforehand what."
        typer.echo("No metric asks a language model." if run.model is None else asks)
        return
    tell_plan(plan, run.model)


def _show_summary(done: _Done, output: Path) -> None:
    """Rate and means on standard error, so that results may go to standard output."""
    rate = done.now / done.seconds if done.seconds else 0.0
    typer.echo(f"{done.now} pairs in {done.seconds:.1f} s ({rate:.0f} pairs/s) -> {output}", err=True)
    if done.now < done.summary.pairs:
        typer.echo(f"{done.summary.pairs} pairs in all", err=True)
    for name, metric in done.summary.metrics.items():
        mean = "no score" if metric.mean is None else f"mean {metric.mean:.4f} over {metric.scored} scored pairs"
        cut = f"; {metric.truncated} of them not read to the end" if metric.truncated else ""
        typer.echo(f"{name}: {mean}{cut}{_reasons(metric.unscored)}", err=True)


def _reasons(unscored: Mapping[str, int]) -> str:
    if not unscored:
        return ""
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(unscored.items()))
    return f"; {sum(unscored.values())} unscored ({reasons})"
