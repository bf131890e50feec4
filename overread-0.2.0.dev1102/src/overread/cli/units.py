"""`overread units`: reports into a table of clinical units, to be read once and scored anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overread.cli.endings import Coverage, MaxUnscored, check_unscored
from overread.cli.grammar import Panel, if_stopped, kept_answers
from overread.cli.output import say_written
from overread.cli.progressing import progress
from overread.cli.support import (
    Answers,
    Config,
    Set,
    read_settings,
    tell_answers,
    tell_plan,
    watch_model,
)
from overread.exceptions import InputError
from overread.infrastructure.files.whole_files import keep_inputs

if TYPE_CHECKING:
    from overread.application.scoring.unit_reading import UnitCounts

__all__ = ["units"]


def units(
    reports: Annotated[
        Path, typer.Argument(metavar="REPORTS", help="CSV, TSV, JSONL or Parquet with reports, or with pairs.")
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Table to write: .parquet or .jsonl.", rich_help_panel=Panel.OUTPUT
        ),
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Column with reports, repeatable; by default report, reference and candidate."
        ),
    ] = None,
    set_: Set = None,
    config: Config = None,
    answers: Answers = None,
    max_unscored: MaxUnscored = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what a language model would be asked.")] = False,
) -> None:
    """Read reports into clinical units and keep them in a table.

    With --set extractor=table:FILE the units are scored without reading the reports again. Equal reports are read once.
    What a language model answers is kept beside the output, in OUTPUT.answers.sqlite unless --answers names another
    file, and is not asked again. The table quotes the reports.
    """
    from overread.bootstrap.corpus import open_unit_reading
    from overread.infrastructure.files.reports import read_distinct_reports
    from overread.infrastructure.store.answers import answers_beside

    distinct = read_distinct_reports(reports, column or ())
    if not distinct:
        raise InputError(str(reports), "holds no reports", remedy="add rows with text below its header")
    settings = read_settings(config, set_, answers=answers)
    kept_in, watch = settings.answers or answers_beside(output), watch_model()
    keep_inputs(output, reports, kept_in, config)
    reading = open_unit_reading(output, settings, may_ask=not dry_run, watch=watch)
    if reading.note:
        typer.echo(reading.note, err=True)
    if dry_run:
        plan = reading.plan(distinct)
        if plan is None:
            typer.echo(f"{len(distinct):,} reports; the extractor asks no language model.")
        else:
            tell_plan(plan, reading.model)
        return
    try:
        stopped = if_stopped(lambda: kept_answers(kept_in if reading.model is not None else None))
        with stopped, progress(len(distinct), "reading", "reports", watch) as advance:
            counts = reading.read(distinct, advance)
    finally:
        if reading.model is not None:
            tell_answers(reading.answers, kept_in)
    say_written(output, _describe_counts(counts))
    failed = sum(counts.failures.values())
    check_unscored({"units": Coverage(counts.reports, failed)}, max_unscored, "report")


def _describe_counts(counts: UnitCounts) -> str:
    read = f"{counts.units:,} units of {counts.reports:,} reports, {counts.sentences:,} of them unread sentences"
    if not counts.failures:
        return read
    reasons = ", ".join(f"{reason} {number:,}" for reason, number in sorted(counts.failures.items()))
    again = "; another run asks again" if counts.asks_again else ""
    return f"{read}; reports not read: {reasons}{again}"
