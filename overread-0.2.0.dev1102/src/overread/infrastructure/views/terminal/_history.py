"""Stored results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from overread.infrastructure.views import wording
from overread.infrastructure.views.terminal._parts import new_table, plain

__all__ = ["show_history"]


def show_history(console: Console, rows: Iterable[Mapping[str, Any]]) -> None:
    """Stored results, one a line."""
    table = new_table("", "pair", "metric", "score or reason", "run", "stored")
    for row in rows:
        scored = row["status"] == "scored"
        outcome = wording.decimal(row["score"]) if scored else f"{row['status']}: {row['reason']}"
        cells = (row["pair_id"], row["metric"], outcome, row["run"], _moment(row["created"]))
        table.add_row(*map(plain, cells))
    if table.row_count:
        console.print(table)
    console.print(
        Text(wording.format_count(table.row_count, "stored result") if table.row_count else "No stored results.")
    )


def _moment(created: object) -> str:
    """A moment to the second, however it is stored."""
    return str(created).replace("T", " ")[:19]
