"""`overread summary`: what a corpus gets wrong, by kind of error, with a typical case of each."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overread.cli.support import (
    Answers,
    Config,
    Set,
    captured,
    keep_inputs,
    progress,
    read_settings,
    tell_missing,
    watch_model,
    write,
)

if TYPE_CHECKING:
    from overread.application.studies.green_summary import GreenSummary
    from overread.infrastructure.settings import Settings

__all__ = ["summary"]


class SummaryFormat(StrEnum):
    """Output formats of a summary."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


def summary(
    pairs: Annotated[Path, typer.Argument(help="CSV, TSV, JSONL or Parquet with columns id, reference, candidate.")],
    *,
    answers: Answers = None,
    only_kept: Annotated[bool, typer.Option("--only-kept", help="Ask nothing; read the answers of --answers.")] = False,
    set_: Set = None,
    config: Config = None,
    output_format: Annotated[
        SummaryFormat, typer.Option("--format", "-f", help="How to show it.")
    ] = SummaryFormat.TEXT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write instead of standard output.")
    ] = None,
) -> None:
    """Summarise the errors of a corpus as GREEN does.

    Of each kind of error: the share of pairs without it, and the explanations that stand for it. Needs a language
    model (--set model=...), or the answers that one gave before: --only-kept --answers FILE reads those of a run of
    corpus or score and asks nothing. What the answers file keeps is not asked again.
    """
    keep_inputs(output, pairs, answers, config)
    settings = read_settings(config, set_, metrics=["green"], answers=answers)
    found = _summarised(pairs, settings, only_kept=only_kept, plot=output_format is not SummaryFormat.TEXT)
    write(output, _rendered(found, output_format, output))


def _summarised(pairs: Path, settings: Settings, *, only_kept: bool, plot: bool) -> GreenSummary:
    from attrs import evolve

    from overread.adapters.llm.green.clusters import KMeansGrouper
    from overread.application.studies.green_summary import summarise_corpus
    from overread.bootstrap.services import open_component, open_run
    from overread.infrastructure.files.tables import PairFile

    source, watch = PairFile(path=pairs, on_error="skip"), watch_model()
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


def _rendered(found: GreenSummary, output_format: SummaryFormat, output: Path | None) -> str:
    if output_format is SummaryFormat.JSON:
        from overread.infrastructure.views.summaries import summary_record

        return json.dumps(summary_record(found), indent=2, ensure_ascii=False, allow_nan=False)
    if output_format is SummaryFormat.HTML:
        from overread.infrastructure.views.web.summary_page import summary_page

        return summary_page(found)
    from overread.infrastructure.views.terminal.green_summary import show_green_summary

    return captured(lambda console: show_green_summary(console, found), output)
