"""Results of a study as Markdown: a page, or the summary of a build with all tables but the first folded."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

from overread.application.statistics.tabulation import Table, Tabulation
from overread.infrastructure.views.table_words import cell_words, fact_words, is_figures
from overread.infrastructure.views.wording import one_line

__all__ = ["tabulation_markdown", "tabulation_summary"]

_MARKS: Final = re.compile(r"([\\`*_\[\]|~#])")


def tabulation_markdown(tabulation: Tabulation, *, command: str = "") -> str:
    """A study as one page; ids and names that hold marks of Markdown are shown as they are.

    Args:
        tabulation: the study.
        command: that made it, shown at the top.
    """
    parts = [f"# {_escape(tabulation.title)}"]
    if command:
        parts.append(f"Made by `{command}`; do not edit.")
    parts += [f"- {_escape(note)}" for note in tabulation.notes]
    for table in tabulation.tables:
        parts += [f"## {_escape(table.title)}", *_table(table)]
    if tabulation.facts:
        parts += ["## What was run", "\n".join(_facts(tabulation))]
    return "\n\n".join(parts) + "\n"


def tabulation_summary(tabulation: Tabulation) -> str:
    """A study as GitHub and GitLab show it beside a build: its first table open, the others folded."""
    first, others = tabulation.tables[:1], tabulation.tables[1:]
    parts = [f"## {_escape(tabulation.title)}"]
    for table in first:
        parts += [f"### {_escape(table.title)}", *_table(table)]
    parts += [f"**Note:** {_escape(note)}" for note in tabulation.notes]
    for table in others:
        parts += [f"<details><summary>{html.escape(one_line(table.title))}</summary>", *_table(table), "</details>"]
    if facts := list(_facts(tabulation)):
        parts += ["<details><summary>How it was made</summary>", "\n".join(facts), "</details>"]
    return "\n\n".join(parts) + "\n"


def _facts(tabulation: Tabulation) -> Iterator[str]:
    for name, fact in tabulation.facts.items():
        yield f"- {_escape(name)}: {_escape(fact_words(name, fact))}"


def _table(table: Table) -> Iterator[str]:
    if not table.rows:
        yield "none"
    else:
        sides = ["---:" if is_figures(table, index) else ":---" for index in range(len(table.columns))]
        lines = [[_escape(column.title) for column in table.columns], sides]
        for row in table.rows:
            words = [cell_words(cell, column) for cell, column in zip(row, table.columns, strict=True)]
            lines.append([_escape(f"{each.text} {each.interval}".strip()) for each in words])
        yield "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    if table.note:
        yield _escape(table.note)


def _escape(words: str) -> str:
    return _MARKS.sub(r"\\\1", html.escape(one_line(words), quote=False))
