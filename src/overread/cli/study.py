"""What the commands that study metrics share: options, and how a study is shown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overread.cli.support import keep_inputs, print_view, write
from overread.exceptions import ConfigurationError, InputError

if TYPE_CHECKING:
    from overread.application.studies.tabulation import Tabulation

__all__ = [
    "Csv",
    "Draws",
    "Html",
    "ScoreHigher",
    "ScoreLower",
    "Seed",
    "check_outputs",
    "score_directions",
    "show_study",
]

_PAGES = frozenset({".html", ".htm"})

Draws = Annotated[int, typer.Option("--draws", min=1, help="Draws of the bootstrap and of the randomisation test.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the draws.")]
Csv = Annotated[Path | None, typer.Option("--csv", metavar="FOLDER", help="Write each table as CSV there, too.")]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots, too.")]
ScoreHigher = Annotated[
    list[str] | None,
    typer.Option(
        "--score-higher-is-better", metavar="NAME", help="Column of plain scores, in a table with a column id."
    ),
]
ScoreLower = Annotated[
    list[str] | None, typer.Option("--score-lower-is-better", metavar="NAME", help="The same, turned.")
]


def score_directions(higher: Iterable[str] | None, lower: Iterable[str] | None) -> dict[str, bool]:
    """Whether higher is better, by the column of plain scores.

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


def check_outputs(csv: Path | None, html: Path | None, *inputs: Path | None) -> None:
    """Finds out before a study whether its files can be written without replacing what is read.

    Args:
        csv: folder for the tables, or None.
        html: file for the page, or None. In a folder that is read it may replace an earlier page alone.
        inputs: files and folders that are read.

    Raises:
        InputError: if the page would replace what is read; and as `check_study_files`.
        MissingDependencyError: as `check_study_files`.
    """
    from overread.infrastructure.views.study_files import check_study_files

    keep_inputs(html, *inputs)
    for source in inputs:
        if html is None or source is None or not source.is_dir() or not html.is_file():
            continue
        if html.suffix.lower() not in _PAGES and html.resolve().is_relative_to(source.resolve()):
            raise InputError(str(html), "is a file of the folder that is read", remedy="name another for the output")
    check_study_files(csv=csv, html=html)


def show_study(tabulation: Tabulation, *, as_json: bool, csv: Path | None, html: Path | None) -> None:
    """Prints a study, and writes the files that are asked for."""
    from overread.infrastructure.views.study_files import write_study_files

    if as_json:
        from overread.infrastructure.views.tabulations import tabulation_record

        write(None, json.dumps(tabulation_record(tabulation), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        from overread.infrastructure.views.terminal.tabulation import show_tabulation

        print_view(lambda console: show_tabulation(console, tabulation))
    write_study_files(tabulation, csv=csv, html=html)
