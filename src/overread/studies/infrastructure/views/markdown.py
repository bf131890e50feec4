"""A study as Markdown: a heading and a table for each of its tables, facts at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from overread.application.statistics.tabulation import Table, Tabulation
from overread.infrastructure.views.table_words import cell_words, fact_words, is_figures

__all__ = ["markdown_table", "tabulation_markdown"]

_ODD: Final = str.maketrans({"|": r"\|", "<": "&lt;", ">": "&gt;", "\n": " "})


def tabulation_markdown(tabulation: Tabulation, *, command: str = "") -> str:
    """The study as one page.

    Args:
        tabulation: the study.
        command: that made it, shown at the top.
    """
    parts = [f"# {_escape(tabulation.title)}"]
    if command:
        parts.append(f"Made by `{command}`; do not edit.")
    parts += [f"- {_escape(note)}" for note in tabulation.notes]
    for table in tabulation.tables:
        parts += [f"## {_escape(table.title)}", markdown_table(table)]
        if table.note:
            parts.append(_escape(table.note))
    if tabulation.facts:
        lines = [f"- {_escape(name)}: `{fact_words(name, fact)}`" for name, fact in tabulation.facts.items()]
        parts += ["## What was run", "\n".join(lines)]
    return "\n\n".join(parts)


def markdown_table(table: Table) -> str:
    """A table with pipes; figures to the right, an interval in brackets behind its figure."""
    right = [is_figures(table, index) for index in range(len(table.columns))]
    lines = [_line([column.title for column in table.columns]), f"|{'|'.join('--:' if r else '---' for r in right)}|"]
    for row in table.rows:
        words = [cell_words(cell, column) for cell, column in zip(row, table.columns, strict=True)]
        lines.append(_line([f"{each.text} {each.interval}".strip() for each in words]))
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escape, cells))} |"


def _escape(text: str) -> str:
    return text.translate(_ODD)
