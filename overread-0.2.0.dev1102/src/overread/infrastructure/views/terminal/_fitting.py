"""Results of fits of components."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rich.console import Console

from overread.application.training.counting import CountingReport
from overread.application.training.fit_ratescore import FittedAffinity
from overread.application.training.fit_readout import SelectionRow
from overread.application.training.recognition import RecognitionReport
from overread.application.training.transfer import TransferRow
from overread.domain.results.readout import TARGETS
from overread.infrastructure.views.table_words import format_bracketed
from overread.infrastructure.views.terminal._parts import new_table, plain
from overread.infrastructure.views.wording import subscore_words

__all__ = ["show_agreement", "show_counting", "show_recognition", "show_selection", "show_transfer"]


def show_selection(console: Console, rows: Sequence[SelectionRow]) -> None:
    """Held-out rank correlation of each setting, best first, as in RadOT-Eval Table X; ``->`` marks the chosen one.

    Args:
        console: where to print.
        rows: any order; the first of the highest macro is the chosen one.
    """
    targets = ("macro", *TARGETS)
    table = new_table("Held-out Spearman correlation", "", "prior", "epsilon", *targets, numbers=("epsilon", *targets))
    for place, row in enumerate(sorted(rows, key=lambda row: -_finite(row.macro))):
        mark, style = ("", "") if place else ("->", "bold")
        figures = (f"{figure:.3f}" for figure in (row.macro, *(row.scores[target] for target in TARGETS)))
        table.add_row(mark, plain(row.prior), f"{row.epsilon:g}", *figures, style=style)
    console.print(table)


def show_transfer(console: Console, rows: Sequence[TransferRow]) -> None:
    """Show how a readout ranks pairs it was not fitted on: all of them, then each style."""
    numbers = ("pairs", "total", "signif.", "insignif.", "harmless", "apart", "length", "growth")
    table = new_table("On pairs not fitted on", "style", *numbers, numbers=numbers)
    for row in rows:
        scores = (f"{row.scores[target]:.3f}" for target in TARGETS)
        rest = (f"{figure:.2f}" for figure in (row.separation, row.length, row.growth))
        table.add_row(plain(row.style or "all"), str(row.pairs), *scores, str(row.harmless), *rest)
    console.print(table)


def show_agreement(console: Console, fit: FittedAffinity) -> None:
    """Show how far scores agree with ratings before and after a fit, on the pairs fitted on and on those held out."""
    measures = tuple(fit.fitted.train)
    title = f"Agreement with the ratings; {fit.correlation} was maximised"
    table = new_table(title, "", "table", "", "pairs", *measures, numbers=("pairs", *measures))
    for when, row in (("before", fit.start), ("after", fit.fitted)):
        parts = (("fitted on", fit.train_pairs, row.train), ("held out", fit.held_out_pairs, row.held_out))
        for part, pairs, agreement in parts:
            figures = (f"{agreement[measure]:.3f}" for measure in measures)
            table.add_row(when, plain(row.table), part, str(pairs), *figures)
    console.print(table)


def show_counting(console: Console, reports: Mapping[str, CountingReport]) -> None:
    """Show how near predicted error counts come to known ones, on each set of pairs."""
    table = new_table("Predicted and known error counts", "", *reports, numbers=tuple(reports))
    table.add_row("pairs", *(f"{report.pairs:,}" for report in reports.values()))
    for head in next(iter(reports.values())).errors:
        name = subscore_words(head)
        table.add_row(f"error of {name}", *(format_bracketed(report.errors[head]) for report in reports.values()))
    table.add_row("error of the total", *(format_bracketed(report.total_error) for report in reports.values()))
    table.add_row("Kendall's tau", *(format_bracketed(report.correlation) for report in reports.values()))
    harmless = (f"{_format_value(report.harmless_total)} (of {report.harmless:,})" for report in reports.values())
    table.add_row("predicted where none is", *harmless)
    console.print(table)
    console.print("Mean absolute errors, with 95 % bootstrap intervals over studies.")
    for name, report in reports.items():
        if report.unscored:
            console.print(f"{name}: {report.unscored:,} pairs could not be counted")


def show_recognition(console: Console, reports: Mapping[str, RecognitionReport]) -> None:
    """Show how far found entities agree with known ones, by type, on each set of texts."""
    numbers = ("known", "precision", "recall", "F1")
    for name, report in reports.items():
        table = new_table(f"Entities found and known: {name}", "type", *numbers, numbers=numbers)
        for kind, figures in (("all", report.total), *report.by_type.items()):
            shares = (_format_value(share.value, 3) for share in (figures.precision, figures.recall))
            style = "bold" if kind == "all" else ""
            table.add_row(plain(kind), f"{figures.known:,}", *shares, format_bracketed(figures.f1), style=style)
        console.print(table)
        unread = f"; {report.unread:,} could not be read" if report.unread else ""
        console.print(
            f"{report.texts:,} texts{unread}; type of a word told rightly: {format_bracketed(report.accuracy)}"
        )
    console.print("Same characters and same type, with 95 % bootstrap intervals over studies.")


def _format_value(value: float | None, digits: int = 2) -> str:
    return "none" if value is None else f"{value:.{digits}f}"


def _finite(value: float) -> float:
    """A correlation to rank by; an undefined one ranks last."""
    return value if math.isfinite(value) else -math.inf
