"""`overread corpus` and `overread rescore`: every pair of a file, by asking or by reading what was answered before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import frozen

from overread.cli_support import (
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

if TYPE_CHECKING:
    from overread.application.corpus import BadRow
    from overread.application.watching import ModelWatch
    from overread.bootstrap import Run
    from overread.domain.report import ReportPair
    from overread.infrastructure.settings import Settings
    from overread.infrastructure.tables import Columns

__all__ = ["corpus", "rescore"]


class OnError(StrEnum):
    """What a bad row does."""

    FAIL = "fail"
    SKIP = "skip"


Pairs = Annotated[Path, typer.Argument(help="CSV, TSV, JSONL or Parquet with columns id, reference, candidate.")]
Results = Annotated[Path, typer.Option("--output", "-o", help="Results: .jsonl, .parquet, or - for stdout.")]
BadRows = Annotated[OnError, typer.Option(help="A bad row ends the run, or is unscored.")]
IdColumn = Annotated[str, typer.Option(help="Column with the pair's id.")]
ReferenceColumn = Annotated[str, typer.Option(help="Column with the radiologist's report.")]
CandidateColumn = Annotated[str, typer.Option(help="Column with the report under test.")]


def corpus(
    pairs: Pairs,
    *,
    output: Results,
    metric: Metrics = None,
    set_: Set = None,
    config: Config = None,
    store: Store = None,
    answers: Answers = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would be asked of a language model, and what it may cost.")
    ] = False,
    on_error: BadRows = OnError.FAIL,
    id_column: IdColumn = "id",
    reference_column: ReferenceColumn = "reference",
    candidate_column: CandidateColumn = "candidate",
) -> None:
    """Score every pair of a file.

    Writes one result line a pair and metric, in the file's order. What a language model answers is kept beside the
    output, in OUTPUT.answers.sqlite unless --answers names another file, and not asked again.
    """
    from overread.bootstrap import open_run

    source = _source(pairs, on_error, id_column, reference_column, candidate_column)
    settings = read_settings(config, set_, metrics=metric, store=store, answers=answers)
    beside = None if str(output) == "-" else output.with_name(f"{output.name}.answers.sqlite")
    if dry_run:
        _plan(source, settings, beside)
    else:
        named = settings.answers or beside
        _score(source, output, named, lambda watch: open_run(settings, run=str(pairs), answers=beside, watch=watch))


def rescore(
    pairs: Pairs,
    *,
    output: Results,
    answers: Answers = None,
    metric: Metrics = None,
    set_: Set = None,
    config: Config = None,
    store: Store = None,
    on_error: BadRows = OnError.FAIL,
    id_column: IdColumn = "id",
    reference_column: ReferenceColumn = "reference",
    candidate_column: CandidateColumn = "candidate",
) -> None:
    """Score every pair of a file from kept answers, without asking.

    For a new way to read old answers. A pair whose answer is not kept is unscored ("not asked"). The model need not be
    chosen, or reachable, if all kept answers are of the same. If answers are missing, it tells what the file keeps.
    """
    from overread.bootstrap import open_run

    source = _source(pairs, on_error, id_column, reference_column, candidate_column)
    settings = read_settings(config, set_, metrics=metric, store=store, answers=answers)
    _score(
        source, output, settings.answers, lambda watch: open_run(settings, run=str(pairs), only_kept=True, watch=watch)
    )


@frozen
class _Source:
    """A file of pairs, with how to read it."""

    path: Path
    columns: Columns
    on_error: OnError

    def rows(self) -> Iterator[ReportPair | BadRow]:
        from overread.infrastructure.tables import read_pairs

        return read_pairs(self.path, columns=self.columns, on_error=self.on_error.value)


def _source(path: Path, on_error: OnError, id_column: str, reference_column: str, candidate_column: str) -> _Source:
    from overread.infrastructure.tables import Columns

    return _Source(path, Columns(id=id_column, reference=reference_column, candidate=candidate_column), on_error)


def _score(source: _Source, output: Path, answers: Path | None, opened: Callable[[ModelWatch], Run]) -> None:
    """Scores with the run that is opened once the files are found to be in order."""
    from time import perf_counter

    from overread.application.corpus import evaluate_corpus
    from overread.infrastructure.tables import count_rows, open_writer

    rows = source.rows()
    keep_inputs(output, source.path, answers)
    total, writer = count_rows(source.path), open_writer(output)
    watch = watch_model()
    run = opened(watch)
    started = perf_counter()
    try:
        with progress(total, of="pairs", watch=watch) as advance, writer:
            summary = evaluate_corpus(run.service, rows, writer, on_progress=advance)
    finally:
        if writer.partial is not None:
            typer.echo(f"overread: stopped early; what was scored so far is in {writer.partial}", err=True)
        if run.model is not None:
            tell_answers(run.answers, answers)
        run.close()
    _show_summary(summary, perf_counter() - started, output)
    if run.answers.only_kept and answers is not None:
        missing = sum(metric.unscored["not asked"] for metric in summary.metrics.values())
        tell_missing(run, missing, answers, source.rows())


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


def _show_summary(summary: Any, seconds: float, output: Path) -> None:
    """Rate and means on standard error, so that results may go to standard output."""
    rate = summary.pairs / seconds if seconds else 0.0
    typer.echo(f"{summary.pairs} pairs in {seconds:.1f} s ({rate:.0f} pairs/s) -> {output}", err=True)
    for name, metric in summary.metrics.items():
        mean = "no score" if metric.mean is None else f"mean {metric.mean:.4f} over {metric.scored} scored pairs"
        cut = f"; {metric.truncated} of them not read to the end" if metric.truncated else ""
        typer.echo(f"{name}: {mean}{cut}{_reasons(metric.unscored)}", err=True)


def _reasons(unscored: Mapping[str, int]) -> str:
    if not unscored:
        return ""
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(unscored.items()))
    return f"; {sum(unscored.values())} unscored ({reasons})"
