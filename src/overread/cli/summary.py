"""`overread summary`: what a corpus gets wrong, by kind of error, with a typical case of each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

from overread.cli.endings import Coverage, MaxUnscored, check_unscored
from overread.cli.grammar import if_stopped, kept_answers
from overread.cli.output import Format, Output, Views, check_target, format_option, show
from overread.cli.progressing import progress
from overread.cli.support import (
    Answers,
    Config,
    Set,
    read_settings,
    tell_missing,
    tell_numbered,
    watch_model,
)
from overread.infrastructure.files.csv_rows import as_csv

if TYPE_CHECKING:
    from overread.application.studies.green_summary import GreenSummary
    from overread.infrastructure.settings import Settings

__all__ = ["summary"]


_FORMATS: Final = (Format.TEXT, Format.JSON, Format.CSV, Format.HTML)

SummaryFormat = Annotated[str | None, format_option(*_FORMATS)]


def summary(
    pairs: Annotated[Path, typer.Argument(help="CSV, TSV, JSONL or Parquet with columns id, reference, candidate.")],
    *,
    answers: Answers = None,
    only_kept: Annotated[bool, typer.Option("--only-kept", help="Ask nothing; read the answers of --answers.")] = False,
    set_: Set = None,
    config: Config = None,
    output_format: SummaryFormat = None,
    output: Output = None,
    max_unscored: MaxUnscored = None,
) -> None:
    """Summarise the errors of a corpus as GREEN does.

    Of each kind of error: the share of pairs without it, and the explanations that stand for it. Needs a language
    model (--set model=...), or the answers that one gave before: --only-kept --answers FILE reads those of a run of
    corpus or score and asks nothing. What the answers file keeps is not asked again.
    """
    target = check_target(output, output_format, _FORMATS, pairs, answers, config, command="summary")
    settings = read_settings(config, set_, metrics=["green"], answers=answers)
    with if_stopped(lambda: kept_answers(settings.answers)):
        found = _summarised(pairs, settings, only_kept=only_kept, plot=target.format is not Format.TEXT)
    show(_views(found), target)
    check_unscored({"green": Coverage(found.scored, sum(found.unscored.values()))}, max_unscored)


def _summarised(pairs: Path, settings: Settings, *, only_kept: bool, plot: bool) -> GreenSummary:
    from attrs import evolve

    from overread.adapters.llm.green.clusters import KMeansGrouper
    from overread.application.studies.green_summary import summarise_corpus
    from overread.bootstrap.services import open_component, open_run
    from overread.infrastructure.files.tables import PairFile

    source, watch = PairFile(path=pairs, on_error="skip"), watch_model()
    tell_numbered(pairs)
    run = open_run(settings, refresh=True, only_kept=only_kept, watch=watch)
    try:
        with progress(source.count(), of="pairs", watch=watch) as advance:
            encoder = open_component(evolve(settings, answers=None), "encoder")
            rows, grouper = source.rows(), KMeansGrouper()
            found = summarise_corpus(run.service, rows, encoder, grouper, plot=plot, on_progress=advance)
    finally:
        run.close()
    if only_kept and settings.answers is not None:
        tell_missing(run, found.unscored.get("not asked", 0), settings.answers, source.rows())
    return found


def _views(found: GreenSummary) -> Views:
    def record() -> dict[str, Any]:
        from overread.infrastructure.views.summaries import summary_record

        return summary_record(found)

    def rows() -> str:
        return as_csv(
            {key: value for key, value in row.items() if key != "sentences"} for row in record()["categories"]
        )

    def page() -> str:
        from overread.infrastructure.views.web.summary_page import summary_page

        return summary_page(found)

    def text(console: Console) -> None:
        from overread.infrastructure.views.terminal.green_summary import show_green_summary

        show_green_summary(console, found)

    return Views(text=text, json=record, csv=rows, html=page)
