"""Shared parts of the commands that study metrics: options, and how a study is shown and written."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from attrs import evolve, frozen

from overread.cli.grammar import Panel, note_old_spelling
from overread.cli.output import Format, Target, Views, check_target, format_option, say_written, show
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.whole_files import keep_inputs

if TYPE_CHECKING:
    from overread.application.statistics.tabulation import Tabulation
    from overread.domain.results.annotation import HumanBenchmark

__all__ = [
    "Draws",
    "OldCsv",
    "OldHtml",
    "ScoreHigher",
    "ScoreLower",
    "Seed",
    "StudyFormat",
    "StudyOutput",
    "StudyTargets",
    "say_understood",
    "score_directions",
    "show_study",
    "study_targets",
]

_PAGES = frozenset({".html", ".htm"})
FORMATS: Final = (Format.TEXT, Format.JSON, Format.CSV, Format.HTML, Format.MARKDOWN)

Draws = Annotated[
    int,
    typer.Option(
        "--draws",
        min=1,
        metavar="N",
        help="Draws of the bootstrap and of the randomisation test.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the draws.")]
StudyFormat = Annotated[str | None, format_option(*FORMATS)]
StudyOutput = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=(
            "File to write, repeatable; its suffix sets the format: .html, .json, .csv, .md, .txt. FOLDER/ gets one "
            "CSV file per table. - is standard output."
        ),
        rich_help_panel=Panel.OUTPUT,
    ),
]
OldCsv = Annotated[Path | None, typer.Option("--csv", hidden=True, help="Now -o FOLDER/.")]
OldHtml = Annotated[Path | None, typer.Option("--html", hidden=True, help="Now -o FILE.html.")]
ScoreHigher = Annotated[
    list[str] | None,
    typer.Option(
        "--score-higher-is-better", metavar="NAME", help="Column of plain scores, in a table with a column id."
    ),
]
ScoreLower = Annotated[
    list[str] | None, typer.Option("--score-lower-is-better", metavar="NAME", help="The same, where lower is better.")
]


def score_directions(higher: Iterable[str] | None, lower: Iterable[str] | None) -> dict[str, bool]:
    """Directions by column of plain scores: True if higher is better.

    Raises:
        ConfigurationError: if a column is named for both.
    """
    directions = dict.fromkeys(higher or (), True)
    for name in lower or ():
        if name in directions:
            both = "--score-higher-is-better and by --score-lower-is-better"
            raise ConfigurationError([f"{name} is named both by {both}"])
        directions[name] = False
    return directions


@frozen
class StudyTargets:
    """Destinations of a study.

    Attributes:
        shown: as one text each, on standard output or in a file.
        folders: that take a CSV file per table.
    """

    shown: tuple[Target, ...]
    folders: tuple[Path, ...] = ()

    @property
    def page(self) -> Path | None:
        """The first page, from which links to pages of pairs lead."""
        return next((target.path for target in self.shown if target.format is Format.HTML and target.path), None)


def study_targets(
    form: str | None,
    outputs: Sequence[str] | None,
    *inputs: Path | None,
    command: str,
    old: tuple[bool, Path | None, Path | None] = (False, None, None),
) -> StudyTargets:
    """Finds out where a study is to go, before its work.

    For one output, ``-f`` gives the format, else its suffix. For several, each suffix does, and ``-f`` for ``-``.

    Args:
        form: as given to ``-f``.
        outputs: as given to ``-o``; one with a trailing slash, or CSV without the suffix, is a folder.
        inputs: files and folders that are read. In a folder that is read, only an earlier page may be replaced.
        command: its name, for messages.
        old: what was given as ``--json``, ``--csv`` and ``--html``, which came beside the text.

    Raises:
        ConfigurationError: if there is no such format.
        InputError: if an output cannot be written there, or would replace what is read.
        MissingDependencyError: if there is to be a page, but what draws its plots is not installed.
    """
    given = list(outputs or ())
    as_json, csv, html = old
    for name, now, used in (("--json", "-f json", as_json), ("--csv", "-o FOLDER/", csv), ("--html", "-o FILE", html)):
        if used:
            note_old_spelling(name, now)
    if as_json and form is None:
        form = Format.JSON.value
    if (csv or html) and not given:
        given.append("-")
    several = len(given) > 1
    shown, folders = [], [csv] if csv else []
    for output in given or ["-"]:
        if output.endswith("/") or _is_table_folder(output, form, several=several):
            folders.append(Path(output))
        else:
            own_form = None if several and output != "-" else form
            shown.append(check_target(Path(output), own_form, FORMATS, *inputs, command=command))
    if html:
        shown.append(check_target(html, Format.HTML.value, FORMATS, *inputs, command=command))
    _check(shown, folders, inputs)
    return StudyTargets(tuple(shown), tuple(folders))


def _is_table_folder(output: str, form: str | None, *, several: bool) -> bool:
    return not several and form == Format.CSV.value and output != "-" and Path(output).suffix.lower() != ".csv"


def _check(shown: Sequence[Target], folders: Sequence[Path], inputs: Iterable[Path | None]) -> None:
    from overread.studies.infrastructure.views.study_files import check_study_files

    places = [path.resolve() for path in (*(target.path for target in shown), *folders) if path is not None]
    if len(set(places)) < len(places) or sum(target.path is None for target in shown) > 1:
        raise ConfigurationError(["two outputs have the same path; name another for one of them"])
    read = [source for source in inputs if source is not None]
    for target in shown:
        if target.path is not None:
            for source in read:
                _keep_folder(target.path, source)
        if target.format is Format.HTML:
            check_study_files(csv=None, html=target.path or Path("-"))
    for folder in folders:
        keep_inputs(folder, *read)
        check_study_files(csv=folder, html=None)


def _keep_folder(output: Path, source: Path) -> None:
    if not source.is_dir() or not output.is_file() or output.suffix.lower() in _PAGES:
        return
    if output.resolve().is_relative_to(source.resolve()):
        raise InputError(str(output), "is a file of the input folder", remedy="name another for the output")


def say_understood(name: str, benchmark: HumanBenchmark) -> None:
    """Says on standard error what a reader took for what in a set, how much there is, and what it left out and why."""
    for line in (*benchmark.account, *benchmark.notes):
        message = f"{name}: {line}"
        if sys.stderr.isatty():  # one line each where a program reads them
            message = fill(message, get_terminal_size().columns, subsequent_indent="  ", break_on_hyphens=False)
        typer.echo(message, err=True)


def show_study(tabulation: Tabulation, targets: StudyTargets, **views: Any) -> None:
    """Prints a study, and writes the files that are asked for; one that cannot be written keeps no other back.

    Args:
        tabulation: the study.
        targets: where it goes.
        views: of `Views`, in the place of the study's own.
    """
    from overread.infrastructure.views.tabulations import write_csv

    failures: list[InputError] = []
    shown = evolve(_views(tabulation), **views)
    for target in targets.shown:
        try:
            show(shown, target)
        except InputError as failure:
            failures.append(failure)
    for folder in targets.folders:
        try:
            files = write_csv(tabulation, folder)
            say_written(folder, f"{len(files) - 1} tables")
        except InputError as failure:
            failures.append(failure)
    if failures:
        raise failures[0]


def _views(tabulation: Tabulation) -> Views:
    def page() -> str:
        from overread.infrastructure.views.web.tabulation_page import tabulation_page

        return tabulation_page(tabulation)

    def record() -> Any:
        from overread.infrastructure.views.tabulations import tabulation_record

        return tabulation_record(tabulation)

    def figures() -> str:
        from overread.infrastructure.views.tabulations import tabulation_csv

        return tabulation_csv(tabulation)

    def text(console: Any) -> None:
        from overread.infrastructure.views.terminal.tabulation import show_tabulation

        show_tabulation(console, tabulation)

    def markdown() -> str:
        from overread.infrastructure.views.markdown import tabulation_summary

        return tabulation_summary(tabulation)

    return Views(text=text, json=record, csv=figures, html=page, markdown=markdown)
