"""A check of the reader against labels that people made."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from overread.infrastructure.views import wording
from overread.infrastructure.views.terminal.tabulation import show_tabulation
from overread.studies.application.reader_checks.check import Mistake, ReaderCheck

__all__ = ["show_check"]


def show_check(console: Console, check: ReaderCheck, *, errors: bool = False) -> None:
    """Figures of a check and, where asked for, the errors themselves."""
    show_tabulation(console, check.tabulation)
    if errors:
        console.print()
        _mistakes(console, check.mistakes)


def _mistakes(console: Console, mistakes: Sequence[Mistake]) -> None:
    for mistake in mistakes:
        words = f"labelled {mistake.expected}, read {mistake.got}"
        console.print(
            Text.assemble((wording.make_printable(mistake.place), "bold"), ": ", wording.make_printable(words)),
            soft_wrap=True,
        )
        if mistake.text:
            console.print(Text("  " + wording.one_line(mistake.text), "dim"), soft_wrap=True)
    console.print(Text(wording.format_count(len(mistakes), "error") if mistakes else "No errors."))
