"""GREEN's summary of a corpus."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from overread.application.scoring.green_summary import CategorySummary, GreenSummary
from overread.infrastructure.views import wording
from overread.infrastructure.views.summaries import coverage_words, diversity_words, mean_words, share_words
from overread.infrastructure.views.terminal._parts import heading, label_words, plain, wrap_signature

__all__ = ["show_green_summary"]


def show_green_summary(console: Console, summary: GreenSummary) -> None:
    """Mean, coverage, and of each category the share of pairs without its errors and what its typical error is."""
    heading(console, "GREEN summary")
    console.print(Text(mean_words(summary)))
    console.print(Text(coverage_words(summary)))
    if summary.diversity is not None:
        console.print(Text(f"wording: {diversity_words(summary.diversity)}"))
    for note in summary.notes:
        console.print(label_words("Note", note, "bold yellow"))
    console.print()
    console.print(Text("Clinically significant errors", "bold"))
    for category in summary.categories:
        console.print(_category(category))
    console.print(label_words("Clusters", summary.method))
    if summary.signature:
        console.print(wrap_signature(Text(f"Signature: {summary.signature}"), console.width), soft_wrap=True)


def _category(category: CategorySummary) -> Table:
    """Its figures in one line, then the sentences that stand for it."""
    name = category.category
    figures = Table.grid(padding=(0, 2, 0, 0))
    figures.add_column(width=32)
    figures.add_column(width=15, justify="right")
    figures.add_column()
    errors = Text(wording.format_count(category.errors, "error"), "dim")
    figures.add_row(Text(f"({name.value.lower()}) {name.label}", "bold"), share_words(category.free), errors)
    sentences = Table.grid(padding=(0, 1, 0, 0))
    sentences.add_column(width=4, justify="right")
    sentences.add_column(overflow="fold")
    for sentence in category.representatives:
        times = f" ({sentence.times} times)" if sentence.times > 1 else ""
        sentences.add_row("\u2022", plain(sentence.text).append(times, "dim"))
    block = Table.grid()
    block.add_row(figures)
    block.add_row(sentences)
    return block
