"""`overread card`: what a metric does with reports, measured, on a page or as Markdown for an appendix."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from overread.cli.grammar import Panel
from overread.cli.output import Format, check_target, format_option, say_written
from overread.cli.progressing import progress
from overread.cli.support import Answers, Config, Set, plugins_print_aside, read_settings, watch_model
from overread.exceptions import InputError
from overread.studies.cli.study import StudyTargets, show_study

if TYPE_CHECKING:
    from overread.studies.bootstrap.cards import Cards

__all__ = ["card"]

_FORMATS: Final = (Format.TEXT, Format.MARKDOWN, Format.JSON, Format.CSV, Format.HTML)
_INDEX: Final = "index.md"
_DRAWS: Final = 2000


def card(
    metric: Annotated[
        list[str], typer.Argument(metavar="METRIC...", help="Metrics, built-in or of plugins; `overread plugins`.")
    ],
    *,
    size: Annotated[
        str, typer.Option(metavar="SIZE", help="quick, usual or full: how many pairs are scored.")
    ] = "usual",
    time: Annotated[bool, typer.Option("--time/--no-time", help="Measure speed and memory, too.")] = True,
    draws: Annotated[int, typer.Option("--draws", min=1, metavar="N", help="Draws of the bootstrap.")] = _DRAWS,
    answers: Answers = None,
    set_: Set = None,
    config: Config = None,
    output_format: Annotated[str | None, format_option(*_FORMATS)] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write; its suffix sets the format. FOLDER/ gets a Markdown page a metric, and one of all.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
) -> None:
    """Measure what metrics do with reports: a card of each, side by side.

    Copies and other layouts, injected errors, free rewordings and near copies, order of candidates, tricks, agreement
    with the gold corpus, coverage, speed and memory; offline, with what comes with overread.
    """
    from overread.studies.bootstrap.cards import measure_cards

    folder = Path(output) if output is not None and output.endswith("/") else None
    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError(str(folder), "is a file", remedy="name a folder")
    place = None if output is None or folder is not None else Path(output)
    target = check_target(place, output_format, _FORMATS, config, answers, command="card")
    settings = read_settings(config, set_, answers=answers)
    with plugins_print_aside(), progress(None, of="pairs") as _:
        cards = measure_cards(metric, settings, size=size, timed=time, draws=draws, watch=watch_model())
        tabulation = cards.tabulate()
    options = [*([] if size == "usual" else ["--size", size]), *([] if time else ["--no-time"])]
    options += [] if draws == _DRAWS else ["--draws", str(draws)]
    options += [] if config is None else ["--config", str(config)]
    options += [part for setting in set_ or () for part in ("--set", setting)]
    if folder is not None:
        _write_pages(cards, folder, options)
        return
    show_study(tabulation, StudyTargets((target,)), markdown=lambda: _markdown(tabulation, metric, options))


def _write_pages(cards: Cards, folder: Path, options: list[str]) -> None:
    """A page for each metric, named after it, and one of all."""
    from overread.infrastructure.files.whole_files import write_whole

    folder.mkdir(parents=True, exist_ok=True)
    pages = {card.name: f"{card.name.replace(':', '-')}.md" for card in cards.cards}
    names = list(pages)
    for card in cards.cards:
        write_whole(folder / pages[card.name], _markdown(cards.tabulate([card]), [card.name], options))
    links = "\n".join(f"- [{name}]({page})" for name, page in pages.items())
    write_whole(folder / _INDEX, f"{_markdown(cards.tabulate(), names, options)}\n## A page each\n\n{links}\n")
    say_written(folder, f"{len(names) + 1} pages")


def _markdown(tabulation: Any, names: list[str], options: list[str]) -> str:
    from overread.infrastructure.views.markdown import tabulation_markdown

    command = shlex.join(["overread", "card", *names, *options, "-f", "markdown"])
    return tabulation_markdown(tabulation, command=command)
