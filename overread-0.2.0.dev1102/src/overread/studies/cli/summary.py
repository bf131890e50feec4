"""`overread summary`: the figures that results come to, or what a corpus gets wrong by kind of error, as GREEN does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

from overread.cli.endings import Coverage, MaxUnscored, check_unscored
from overread.cli.grammar import if_stopped, kept_answers
from overread.cli.output import Format, Output, Target, Views, check_target, format_option, show
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
from overread.exceptions import ConfigurationError
from overread.infrastructure.files.csv_rows import as_csv
from overread.studies.cli.study import Draws, Seed, StudyTargets, show_study

if TYPE_CHECKING:
    from overread.application.scoring.green_summary import GreenSummary
    from overread.infrastructure.settings import Settings

__all__ = ["summary"]


_FORMATS: Final = (Format.TEXT, Format.JSON, Format.CSV, Format.HTML)

SummaryFormat = Annotated[str | None, format_option(*_FORMATS)]


def summary(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Results of overread corpus -o; or pairs, with columns id, reference, candidate."
        ),
    ],
    *,
    pairs: Annotated[
        Path | None,
        typer.Option("--pairs", metavar="FILE", help="For results: the pairs, whose column study the intervals go by."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", metavar="NAME", help="For results: metric to use, repeatable; all by default."),
    ] = None,
    draws: Draws = 10_000,
    seed: Seed = 0,
    answers: Answers = None,
    only_kept: Annotated[
        bool, typer.Option("--only-kept", help="Ask nothing; use only the answers in --answers.")
    ] = False,
    set_: Set = None,
    config: Config = None,
    output_format: SummaryFormat = None,
    output: Output = None,
    max_unscored: MaxUnscored = None,
) -> None:
    """Summarise a corpus.

    For a file of results: the mean of each metric and the figures that people quote, such as actionable errors per
    report, recall and precision of findings that ask for action, and the share of reports without a significant error,
    with intervals. Nothing is scored.

    For a file of pairs: its errors as GREEN sums them up. For each kind of error the share of pairs without it, and the
    explanations that represent it. Needs a language model (--set model=...), or the answers that one gave before:
    with --only-kept those in --answers FILE, from a run of corpus or score, are read and nothing is asked. What the
    answers file keeps is not asked again.
    """
    from overread.infrastructure.files.scored import holds_results

    target = check_target(output, output_format, _FORMATS, source, pairs, answers, config, command="summary")
    if holds_results(source):
        asking = {"--answers": answers, "--only-kept": only_kept, "--set": set_, "--config": config}
        _refuse(asking, "of a file of pairs, which GREEN is asked about; this one holds results")
        _show_figures(source, pairs, metric, draws, seed, target, max_unscored)
        return
    _refuse({"--pairs": pairs, "--metric": metric}, "of a file of results; this one holds none")
    settings = read_settings(config, set_, metrics=["green"], answers=answers)
    with if_stopped(lambda: kept_answers(settings.answers)):
        green = _summarise_pairs(source, settings, only_kept=only_kept, plot=target.format is not Format.TEXT)
    show(_views(green), target)
    check_unscored({"green": Coverage(green.scored, sum(green.unscored.values()))}, max_unscored)


def _refuse(options: Mapping[str, object], why: str) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise ConfigurationError([f"{name} is {why}" for name in given])


def _show_figures(
    source: Path,
    pairs: Path | None,
    metrics: Iterable[str] | None,
    draws: int,
    seed: int,
    target: Target,
    max_unscored: float | None,
) -> None:
    from overread.studies.bootstrap.studies import Compared, summarise_file

    sources = () if pairs is None else (pairs,)
    given = Compared(pairs=sources, metrics=tuple(dict.fromkeys(metrics or ())), draws=draws, seed=seed)
    tabulation = summarise_file(str(source), given)
    show_study(tabulation, StudyTargets((target,)))
    numbers = {str(name): (good, bad) for name, good, bad, *_ in tabulation.table("means").rows}
    check_unscored({name: Coverage(*map(_whole, counts)) for name, counts in numbers.items()}, max_unscored)


def _whole(cell: object) -> int:
    return cell if isinstance(cell, int) else 0


def _summarise_pairs(pairs: Path, settings: Settings, *, only_kept: bool, plot: bool) -> GreenSummary:
    from attrs import evolve

    from overread.adapters.llm.green.clusters import grouper_as
    from overread.application.scoring.green_summary import summarise_corpus
    from overread.bootstrap.services import open_component, open_run
    from overread.infrastructure.files.tables import PairFile

    source, watch = PairFile(path=pairs, on_error="skip"), watch_model()
    tell_numbered(pairs)
    run = open_run(settings, refresh=True, only_kept=only_kept, watch=watch)
    try:
        with progress(source.count(), of="pairs", watch=watch) as advance:
            encoder = open_component(evolve(settings, answers=None), "encoder")
            rows, grouper = source.rows(), grouper_as(str(settings.options.get("green", {}).get("compat", "none")))
            green = summarise_corpus(run.service, rows, encoder, grouper, plot=plot, on_progress=advance)
    finally:
        run.close()
    if only_kept and settings.answers is not None:
        tell_missing(run, green.unscored.get("not asked", 0), settings.answers, source.rows())
    return green


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
