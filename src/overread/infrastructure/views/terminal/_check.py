"""A check of the reader against labels that people made."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from overread.application.studies.reader_checks.report import CheckReport, Confusion, Mistake
from overread.application.studies.reader_checks.report import Table as CheckTable
from overread.application.studies.tabulation import Estimate
from overread.infrastructure.views import wording
from overread.infrastructure.views.terminal._parts import heading, labelled, new_table, plain

__all__ = ["show_check"]


def show_check(console: Console, report: CheckReport, *, errors: bool = False) -> None:
    """Figures of a check with their intervals, its confusion matrix and, where asked for, the errors themselves."""
    heading(console, f"Check: {report.check}")
    console.print()
    for table in report.tables:
        console.print(
            Text.assemble((table.title, "bold"), (f" (n: {table.counted})" if table.lines else ": none", "dim"))
        )
        console.print(_check_table(table) if table.lines else "")
    if report.confusion is not None:
        console.print(_confusion_table(report.confusion))
    if errors:
        _mistakes(console, report.mistakes)
    for note in report.notes:
        console.print(labelled("Note", note, "bold yellow"))
    console.print(Text("Figures are percentages, with 95 % bootstrap intervals."))
    console.print(labelled("Reader", report.reader), soft_wrap=True)


def _check_table(table: CheckTable) -> Table:
    names = list(dict.fromkeys(name for line in table.lines for name in line.figures))
    shown = new_table("", "", "n", *names, numbers=("n", *names))
    for line in table.lines:
        figures = (_figure(line.figures[name]) if name in line.figures else "" for name in names)
        shown.add_row(plain(line.name), str(line.count), *figures)
    return shown


def _figure(figure: Estimate) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return "none"
    return f"{100 * figure.value:.1f} ({100 * figure.low:.1f}-{100 * figure.high:.1f})"


def _confusion_table(confusion: Confusion) -> Table:
    shown = new_table("Labelled (rows) and read as (columns)", "", *confusion.labels, numbers=confusion.labels)
    for label, row in zip(confusion.labels, confusion.counts, strict=True):
        shown.add_row(plain(label), *map(str, row))
    return shown


def _mistakes(console: Console, mistakes: Sequence[Mistake]) -> None:
    for mistake in mistakes:
        words = f"labelled {mistake.expected}, read {mistake.got}"
        console.print(Text.assemble((wording.shown(mistake.place), "bold"), ": ", wording.shown(words)), soft_wrap=True)
        if mistake.text:
            console.print(Text("  " + " ".join(wording.shown(mistake.text).split()), "dim"), soft_wrap=True)
    console.print(Text(wording.counted(len(mistakes), "error") + "\n" if mistakes else "No errors.\n"))
