"""What every view is made of: report text is shown as it is, never as markup."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from overread.infrastructure.views import wording

__all__ = ["heading", "labelled", "new_table", "plain", "stacked"]


def heading(console: Console, words: str) -> None:
    console.print(Text(words, "bold underline"))


def plain(value: object) -> Text:
    return Text(wording.shown("" if value is None else str(value)))


def labelled(label: str, words: str, style: str = "dim") -> Text:
    """Words after a quieter label."""
    return Text.assemble((label, style), ": " if words else "", wording.shown(words))


def stacked(*parts: Text | None) -> Text:
    return Text("\n").join(part for part in parts if part is not None)


def new_table(title: str, *columns: str, numbers: Sequence[str] = ()) -> Table:
    """A light table that folds what does not fit; figures keep to one line."""
    table = Table(
        title=Text(title, "bold") if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="dim",
    )
    for name in columns:
        if name in numbers:
            table.add_column(Text(name), justify="right", no_wrap=True)
        else:
            table.add_column(Text(name), overflow="fold")
    return table
