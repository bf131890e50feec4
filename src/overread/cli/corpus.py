"""`overread corpus` and `overread rescore`: every pair of a file, by asking or by reading what was answered before."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from overread.cli.endings import Coverage, MaxUnscored, check_unscored
from overread.cli.grammar import Panel, if_stopped, kept_answers
from overread.cli.progressing import progress
from overread.cli.support import (
    Answers,
    Config,
    Metrics,
    Set,
    Store,
    plugins_print_aside,
    read_settings,
    tell_answers,
    tell_missing,
    tell_numbered,
    tell_plan,
    watch_model,
)
from overread.infrastructure.files.whole_files import keep_inputs

if TYPE_CHECKING:
    from overread.application.scoring.corpus import CorpusSummary
    from overread.infrastructure.files.tables import PairFile
    from overread.infrastructure.settings import Settings

__all__ = ["corpus", "rescore"]


class OnError(StrEnum):
    """Ways to deal with a bad row."""

    FAIL = "fail"
    SKIP = "skip"


class EngineName(StrEnum):
    """Engines that score pairs."""

    LOCAL = "local"
    RAY = "ray"


_RUN: Final = "The run"

Pairs = Annotated[
    Path,
    typer.Argument(
        metavar="PAIRS", help="CSV, TSV, JSONL, Parquet or a saved data set, with columns id, reference, candidate."
    ),
]
Results = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Results: .jsonl, .csv, .parquet, or - for JSON lines on standard output.",
        rich_help_panel=Panel.OUTPUT,
    ),
]
BadRows = Annotated[
    OnError, typer.Option(metavar="WORD", help="fail: a bad row ends the run; skip: it is left unscored in its place.")
]
IdColumn = Annotated[str, typer.Option(metavar="NAME", help="Column with the pair's id.")]
ReferenceColumn = Annotated[str, typer.Option(metavar="NAME", help="Column with the radiologist's report.")]
CandidateColumn = Annotated[str, typer.Option(metavar="NAME", help="Column with the report under test.")]
Split = Annotated[str, typer.Option(metavar="NAME", help="Split of a data set that has several.", show_default=False)]
ShardRows = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="Pairs that are scored and saved together.", rich_help_panel=_RUN),
]
Restart = Annotated[
    bool,
    typer.Option("--restart", help="Discard what an interrupted run has saved, and start again.", rich_help_panel=_RUN),
]

_SHARD_ROWS: Final = 1024
_WIDTH: Final = 80


def corpus(
    pairs: Pairs,
    *,
    output: Results,
    metric: Metrics = None,
    set_: Set = None,
    config: Config = None,
    store: Store = None,
    answers: Answers = None,
    workers: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of processes that score.", rich_help_panel=_RUN)
    ] = 1,
    engine: Annotated[
        EngineName,
        typer.Option(metavar="ENGINE", help="local: on this machine; ray: on a cluster.", rich_help_panel=_RUN),
    ] = EngineName.LOCAL,
    shard_rows: ShardRows = _SHARD_ROWS,
    restart: Restart = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only show what a language model would be asked, and what it may cost.",
            rich_help_panel=_RUN,
        ),
    ] = False,
    max_unscored: MaxUnscored = None,
    split: Split = "",
    on_error: BadRows = OnError.FAIL,
    id_column: IdColumn = "id",
    reference_column: ReferenceColumn = "reference",
    candidate_column: CandidateColumn = "candidate",
) -> None:
    """Score every pair of a file.

    Writes one result line per pair and metric, in the file's order. The same command given again goes on with a run
    that was stopped. What a language model answers is kept beside the output, in OUTPUT.answers.sqlite unless --answers
    names another file, and is not asked again.
    """
    source = _source(pairs, split, on_error, id_column, reference_column, candidate_column)
    settings = read_settings(config, set_, metrics=metric, store=store, answers=answers)
    if dry_run:
        _plan(source, settings, output)
        return
    chosen = {"workers": workers, "engine": engine.value, "shard_rows": shard_rows, "restart": restart}
    _score(source, output, settings, config, max_unscored, only_kept=False, **chosen)


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
    max_unscored: MaxUnscored = None,
    split: Split = "",
    on_error: BadRows = OnError.FAIL,
    id_column: IdColumn = "id",
    reference_column: ReferenceColumn = "reference",
    candidate_column: CandidateColumn = "candidate",
) -> None:
    """Score every pair of a file from kept answers, without asking.

    For a new way to read old answers. A pair whose answer is not kept is unscored ("not asked"). The model need not be
    chosen, or reachable, if all kept answers are from one model. If answers are missing, the command says what the file
    keeps.
    """
    source = _source(pairs, split, on_error, id_column, reference_column, candidate_column)
    settings = read_settings(config, set_, metrics=metric, store=store, answers=answers)
    chosen = {"shard_rows": shard_rows, "restart": restart}
    _score(source, output, settings, config, max_unscored, only_kept=True, **chosen)


def _source(
    path: Path, split: str, on_error: OnError, id_column: str, reference_column: str, candidate_column: str
) -> PairFile:
    from overread.infrastructure.files.tables import Columns, PairFile

    columns = Columns(id=id_column, reference=reference_column, candidate=candidate_column)
    tell_numbered(path, columns, split)
    return PairFile(path=path, columns=columns, on_error=on_error.value, split=split)


def _is_stdout(output: Path) -> bool:
    return str(output) == "-"


def _score(
    source: PairFile,
    output: Path,
    settings: Settings,
    config: Path | None,
    max_unscored: float | None,
    *,
    only_kept: bool,
    **chosen: Any,
) -> None:
    from overread.bootstrap.corpus import open_corpus
    from overread.infrastructure.files.writers import StandardOutput

    keep_inputs(output, config)
    answers, watch = settings.answers if only_kept else _answers(settings, output), watch_model()
    stdout = StandardOutput() if _is_stdout(output) else None
    teller = _Teller(stdout is None, answers)
    opened = open_corpus(source, stdout or output, settings, only_kept=only_kept, watch=watch, tell=teller, **chosen)
    with if_stopped(teller.words), plugins_print_aside(), opened as scoring:
        try:
            with progress(source.count(), of="pairs", watch=watch) as advance:
                summary = scoring.score(advance)
            if stdout is not None:
                stdout.close()
        finally:
            if scoring.run is not None and scoring.run.model is not None:
                tell_answers(scoring.run.answers, answers)
    _show_summary(summary, output)
    if only_kept and answers is not None and scoring.run is not None:
        missing = sum(metric.unscored["not asked"] for metric in summary.metrics.values())
        tell_missing(scoring.run, missing, answers, source.rows())
    coverage = {name: Coverage(counts.scored, counts.unscored.total()) for name, counts in summary.metrics.items()}
    check_unscored(coverage, max_unscored)


def _answers(settings: Settings, output: Path) -> Path | None:
    """File for answers: that of the settings, else one beside the output if that is a file."""
    from overread.infrastructure.store.answers import answers_beside

    return settings.answers or (None if _is_stdout(output) else answers_beside(output))


class _Teller:
    """Tells on standard error, which a progress bar redirects, to stay whole; knows what is left to say of Ctrl-C."""

    def __init__(self, is_kept: bool, answers: Path | None) -> None:  # noqa: FBT001 - one of a kind
        self._is_kept, self._answers, self._told = is_kept, answers, False

    def __call__(self, words: str) -> None:
        self._told = self._told or words.startswith("stopped early")
        sys.stderr.write(f"overread: {words}\n")

    def words(self) -> str:
        if self._answers is not None and self._answers.exists():
            return kept_answers(self._answers)
        if self._told:
            return ""
        reason = "nothing is kept yet" if self._is_kept else "what went to standard output is not kept"
        return f"{reason}; the same command starts again from the beginning"


def _plan(source: PairFile, settings: Settings, output: Path) -> None:
    """Prints what scoring would ask; nothing is asked and no file written."""
    from overread.bootstrap.corpus import plan_corpus

    plan, model = plan_corpus(source, settings, _answers(settings, output))
    if plan is not None:
        tell_plan(plan, model)
    elif model is None:
        typer.echo("No metric asks a language model.")
    else:
        typer.echo("A language model is asked, but no metric can say beforehand what.")


def _show_summary(summary: CorpusSummary, output: Path) -> None:
    """Rate, means and figures on standard error, so that results may go to standard output."""
    from overread.infrastructure.views.summaries import diversity_words, figure_words

    now = summary.pairs - summary.resumed
    rate = now / summary.seconds if summary.seconds else 0.0
    done = f"{_pairs(now)} in {summary.seconds:.1f} s ({rate:,.0f} pairs/s)"
    in_all = f"; {_pairs(summary.pairs)} in all" if summary.resumed else ""
    typer.echo(f"{done}{in_all}" if _is_stdout(output) else f"wrote {output}: {done}{in_all}", err=True)
    for name, metric in summary.metrics.items():
        over = f"over {metric.scored:,} scored of {_pairs(metric.pairs)}"
        mean = "no score" if metric.mean is None else f"mean {metric.mean:.4f} {over}"
        cut = f"; {metric.truncated} of them not read to the end" if metric.truncated else ""
        typer.echo(f"{name}: {mean}{cut}{_reasons(metric.unscored)}", err=True)
        if figures := figure_words(metric.figures):
            typer.echo(fill(f"{name}: {figures}", _WIDTH, subsequent_indent="  "), err=True)
    if (diversity := summary.diversity) is not None:
        typer.echo(fill(f"wording: {diversity_words(diversity)}", _WIDTH, subsequent_indent="  "), err=True)
        if diversity.warning:
            typer.echo(f"overread: warning: {diversity.warning}", err=True)


def _pairs(count: int) -> str:
    return f"{count:,} pair{'' if count == 1 else 's'}"


def _reasons(unscored: Mapping[str, int]) -> str:
    if not unscored:
        return ""
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(unscored.items()))
    return f"; {sum(unscored.values()):,} unscored ({reasons})"
