"""Commands about the lexicon: check it, show an entry, print all of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from overread.cli.grammar import Commands
from overread.cli.output import Format, Output, Views, check_target, format_option, show
from overread.cli.progressing import progress
from overread.exceptions import InputError
from overread.infrastructure.files.csv_rows import as_csv

if TYPE_CHECKING:
    from overread.adapters.lexicon.check import Problem
    from overread.domain.findings.lexicon import Lexicon
    from overread.domain.findings.unit import ClinicalUnit

__all__ = ["lexicon_app"]

lexicon_app = Commands(help="Check and show the findings that the reader knows.")

_CHECK: Final = (Format.TEXT, Format.JSON, Format.CSV)
_SHOW: Final = (Format.TEXT, Format.JSON)

Folder = Annotated[
    Path | None,
    typer.Option("--lexicon", metavar="FOLDER", help="Folder to read instead of the shipped lexicon."),
]
CheckFormat = Annotated[str | None, format_option(*_CHECK)]
ShowFormat = Annotated[str | None, format_option(*_SHOW)]


@lexicon_app.command()
def check(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Folder to check; by default the shipped lexicon."),
    ] = None,
    *,
    errors: Annotated[bool, typer.Option("--errors", help="Leave out warnings.")] = False,
    output_format: CheckFormat = None,
    output: Output = None,
) -> None:
    """Check a lexicon's files and list everything wrong or odd.

    Exit status 1 if there are errors; 0 if there are none or only warnings.
    """
    from attrs import asdict

    from overread.adapters.lexicon.check import ERROR, check_lexicon
    from overread.infrastructure.views.wording import format_count

    target = check_target(output, output_format, _CHECK, command="lexicon check")
    with progress(what="checking"):
        problems = check_lexicon(_folder(folder))
    grave = sum(problem.level == ERROR for problem in problems)
    shown = [p for p in problems if p.level == ERROR or not errors]
    count = f"{format_count(grave, 'error')}, {format_count(len(problems) - grave, 'warning')}"
    records = [asdict(problem) for problem in shown]

    def text(console: Console) -> None:
        _show_problems(console, shown)
        console.print(count, highlight=False)

    show(
        Views(text=text, json=lambda: records, csv=lambda: as_csv(records, ("level", "file", "entry", "message"))),
        target,
    )
    if grave:
        raise typer.Exit(1)


@lexicon_app.command("show")
def show_entry(
    text: Annotated[str, typer.Argument(metavar="ID|TEXT", help="Id or name of an entry, or words of a report.")],
    *,
    lexicon: Folder = None,
    output_format: ShowFormat = None,
    output: Output = None,
) -> None:
    """Show a finding or normal statement, or what a phrase is read as.

    A phrase that names one finding is shown in full.
    Exit status 1 if the phrase holds nothing that the lexicon knows.
    """
    from overread.adapters.lexicon import load_knowledge
    from overread.adapters.lexicon.describe import entry_named

    target = check_target(output, output_format, _SHOW, command="lexicon show")
    known = load_knowledge(_folder(lexicon)).lexicon
    concept = entry_named(known, text)
    units = () if concept is not None else _read(text, _folder(lexicon))
    concepts = [concept] if concept else _concepts(units)
    nothing = not concepts and not any(unit.administrative for unit in units)

    def words(console: Console) -> None:
        for unit in units:
            console.print(_unit_words(known, unit))
        if units and len(concepts) == 1:
            console.print()
        if len(concepts) == 1:
            console.print(_card(known, concepts[0]))
        if nothing:
            console.print(_similar_words(known, text), highlight=False)

    show(Views(text=words, json=lambda: _entry_record(known, units, concepts)), target)
    if nothing:
        raise typer.Exit(1)


@lexicon_app.command()
def page(*, lexicon: Folder = None, output: Output = None) -> None:
    """Print the whole lexicon as a Markdown page."""
    from overread.adapters.lexicon import describe, load_knowledge

    target = check_target(output, Format.TEXT.value, (Format.TEXT,), command="lexicon page")
    words = describe.page(load_knowledge(_folder(lexicon)).lexicon)
    show(Views(text=lambda console: console.print(words, markup=False, highlight=False, soft_wrap=True)), target)


def _folder(folder: Path | None) -> str | None:
    if folder is not None and not folder.is_dir():
        raise InputError(str(folder), "is no folder")
    return None if folder is None else str(folder)


def _read(text: str, folder: str | None) -> Sequence[ClinicalUnit]:
    from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
    from overread.adapters.reader.medspacy.options import MedspacyOptions
    from overread.domain.reports.report import Report
    from overread.domain.results.result import Unscored

    (extraction,) = MedspacyUnitExtractor.create(MedspacyOptions(lexicon=folder)).extract([Report(text)])
    if isinstance(extraction, Unscored):
        raise InputError("the text", f"cannot be read: {extraction.detail or extraction.reason}")
    return extraction


def _concepts(units: Sequence[ClinicalUnit]) -> list[str]:
    return list(dict.fromkeys(unit.canonical_finding for unit in units if unit.canonical_finding))


def _unit_words(lexicon: Lexicon, unit: ClinicalUnit) -> Text:
    from overread.infrastructure.views.wording import attribute_words, one_line, polarity_words

    finding = f"{lexicon.name(unit.canonical_finding)} [{unit.canonical_finding}]" if unit.canonical_finding else ""
    about_report = unit.administrative and f"about the report: {unit.administrative}"
    parts = [
        finding or about_report,
        polarity_words(unit) if finding or not about_report else "",
        attribute_words(unit),
    ]
    quote = f"\u201c{one_line(unit.span_text)}\u201d"
    return Text(f"{quote}: {', '.join(part for part in parts if part)}")


def _entry_record(lexicon: Lexicon, units: Sequence[ClinicalUnit], concepts: Sequence[str]) -> dict[str, Any]:
    """Units that words are read as, and everything that the lexicon says about the concepts in them."""
    from overread.adapters.lexicon.describe import card
    from overread.infrastructure.views.wording import attribute_words, polarity_words

    return {
        "units": [
            {
                "text": unit.span_text,
                "finding": unit.canonical_finding or None,
                "polarity": polarity_words(unit),
                "attributes": attribute_words(unit),
                "about_the_report": unit.administrative or None,
            }
            for unit in units
        ],
        "entries": [{"id": concept, **dict(card(lexicon, concept))} for concept in concepts],
    }


def _card(lexicon: Lexicon, concept: str) -> Table:
    from overread.adapters.lexicon.describe import card

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=14)
    table.add_column(overflow="fold")
    for label, text in card(lexicon, concept):
        table.add_row(Text(label, "dim"), Text(text))
    return table


def _similar_words(lexicon: Lexicon, text: str) -> str:
    import difflib

    ids = {concept: concept for concept in (*lexicon.findings, *lexicon.normals)}
    names = {lexicon.name(concept).lower(): concept for concept in ids}
    near = difflib.get_close_matches(text.lower(), [*names, *ids], n=5)
    similar = dict.fromkeys((names | ids)[name] for name in near)
    return "No finding of the lexicon." + (f" Similar: {', '.join(similar)}" if similar else "")


def _show_problems(console: Console, problems: Sequence[Problem]) -> None:
    """A block for each file, with a line for each problem."""
    for file in dict.fromkeys(problem.file for problem in problems):
        console.print(file or "all files", highlight=False, markup=False)
        table = Table.grid(padding=(0, 2, 0, 0))
        for most in (7, 31, None):
            table.add_column(max_width=most, overflow="fold")
        for problem in (problem for problem in problems if problem.file == file):
            table.add_row(*map(Text, (problem.level, problem.entry, problem.message)))
        console.print(table)
        console.print()
