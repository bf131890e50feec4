"""Commands about the lexicon: check it, show an entry, print all of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from overread.cli.support import open_console, print_view
from overread.exceptions import InputError

if TYPE_CHECKING:
    from overread.adapters.lexicon.check import Problem
    from overread.domain.lexicon import Lexicon
    from overread.domain.unit import ClinicalUnit

__all__ = ["lexicon_app"]

lexicon_app = typer.Typer(
    help="Check and read what the reader knows about findings.", no_args_is_help=True, rich_markup_mode=None
)

Folder = Annotated[Path | None, typer.Option("--lexicon", help="Folder to read instead of the shipped lexicon.")]


@lexicon_app.command()
def check(
    folder: Annotated[Path | None, typer.Argument(help="Folder to check; the shipped lexicon where omitted.")] = None,
    *,
    errors: Annotated[bool, typer.Option("--errors", help="Leave warnings out.")] = False,
) -> None:
    """Check a lexicon's files and name everything wrong or odd.

    Status 1 if there are errors; 0 if there are none or only warnings.
    """
    from overread.adapters.lexicon.check import ERROR, check_lexicon
    from overread.infrastructure.views.wording import counted

    problems = check_lexicon(_folder(folder))
    grave = sum(problem.level == ERROR for problem in problems)
    _show_problems([p for p in problems if p.level == ERROR or not errors])
    typer.echo(f"{counted(grave, 'error')}, {counted(len(problems) - grave, 'warning')}")
    if grave:
        raise typer.Exit(1)


@lexicon_app.command()
def show(
    text: Annotated[str, typer.Argument(metavar="ID|TEXT", help="Id or name of an entry, or words of a report.")],
    *,
    lexicon: Folder = None,
) -> None:
    """Show a finding or normal statement, or what a phrase is read as.

    What a phrase of one finding is read as is shown in full.
    Status 1 if the phrase holds nothing that the lexicon knows.
    """
    from overread.adapters.lexicon import load_knowledge
    from overread.adapters.lexicon.describe import entry_named

    known = load_knowledge(_folder(lexicon)).lexicon
    if (concept := entry_named(known, text)) is not None:
        _show_card(known, concept)
        return
    units = _read(text, _folder(lexicon))
    for unit in units:
        _show_unit(known, unit)
    concepts = dict.fromkeys(unit.canonical_finding for unit in units if unit.canonical_finding)
    if len(concepts) == 1:
        typer.echo()
        _show_card(known, next(iter(concepts)))
    if not concepts and not any(unit.administrative for unit in units):
        _show_similar(known, text)
        raise typer.Exit(1)


@lexicon_app.command()
def page(*, lexicon: Folder = None) -> None:
    """Print the whole lexicon as a Markdown page."""
    from overread.adapters.lexicon import describe, load_knowledge

    typer.echo(describe.page(load_knowledge(_folder(lexicon)).lexicon))


def _folder(folder: Path | None) -> str | None:
    if folder is not None and not folder.is_dir():
        raise InputError(str(folder), "is no folder")
    return None if folder is None else str(folder)


def _read(text: str, folder: str | None) -> Sequence[ClinicalUnit]:
    from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
    from overread.adapters.reader.medspacy.options import MedspacyOptions
    from overread.domain.report import Report
    from overread.domain.result import Unscored

    (extraction,) = MedspacyUnitExtractor.create(MedspacyOptions(lexicon=folder)).extract([Report(text)])
    if isinstance(extraction, Unscored):
        raise InputError("the text", f"cannot be read: {extraction.detail or extraction.reason}")
    return extraction


def _show_unit(lexicon: Lexicon, unit: ClinicalUnit) -> None:
    from overread.infrastructure.views.wording import attribute_words, one_line, polarity_words

    found = f"{lexicon.name(unit.canonical_finding)} [{unit.canonical_finding}]" if unit.canonical_finding else ""
    told = unit.administrative and f"about the report: {unit.administrative}"
    parts = [found or told, polarity_words(unit) if found or not told else "", attribute_words(unit)]
    said = f"\u201c{one_line(unit.span_text)}\u201d"
    open_console().print(Text(f"{said}: {', '.join(part for part in parts if part)}"))


def _show_card(lexicon: Lexicon, concept: str) -> None:
    from overread.adapters.lexicon.describe import card

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=14)
    table.add_column(overflow="fold")
    for label, text in card(lexicon, concept):
        table.add_row(Text(label, "dim"), Text(text))
    _print(table)


def _show_similar(lexicon: Lexicon, text: str) -> None:
    import difflib

    ids = {concept: concept for concept in (*lexicon.findings, *lexicon.normals)}
    names = {lexicon.name(concept).lower(): concept for concept in ids}
    near = difflib.get_close_matches(text.lower(), [*names, *ids], n=5)
    similar = dict.fromkeys((names | ids)[name] for name in near)
    typer.echo("No finding of the lexicon." + (f" Similar: {', '.join(similar)}" if similar else ""))


def _show_problems(problems: Sequence[Problem]) -> None:
    """A block for each file, with a line for each problem."""
    for file in dict.fromkeys(problem.file for problem in problems):
        typer.echo(file or "all files")
        table = Table.grid(padding=(0, 2, 0, 0))
        for most in (7, 31, None):
            table.add_column(max_width=most, overflow="fold")
        for problem in (problem for problem in problems if problem.file == file):
            table.add_row(*map(Text, (problem.level, problem.entry, problem.message)))
        _print(table)
        typer.echo()


def _print(table: Table) -> None:
    print_view(lambda console: console.print(table))
