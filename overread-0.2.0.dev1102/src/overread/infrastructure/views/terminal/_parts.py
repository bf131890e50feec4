"""Building blocks of every view: report text is shown as it is, never as markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from overread.infrastructure.views import wording

__all__ = ["heading", "label_words", "new_table", "plain", "stack", "wrap_signature"]


_INDENT: Final = 2


def heading(console: Console, words: str) -> None:
    console.print(Text(words, "bold underline"))


def plain(value: object) -> Text:
    return Text(wording.make_printable("" if value is None else str(value)))


def label_words(label: str, words: str, style: str = "dim") -> Text:
    """Words after a quieter label."""
    return Text.assemble((label, style), ": " if words else "", wording.make_printable(words))


def wrap_signature(words: Text, width: int) -> Text:
    """Words that hold a signature, in lines that end between its parts; a part that is too long for a line is not cut.

    Args:
        words: in one line.
        width: of a line, in characters; those after the first are indented.
    """
    parts = re.findall(r"[^|, ]*[|, ]?", words.plain)
    lines, taken = [0], 0
    for part in filter(None, parts):
        indent = _INDENT if len(lines) > 1 else 0
        if taken > lines[-1] and indent + cell_len(words.plain[lines[-1] : taken]) + cell_len(part.rstrip()) > width:
            lines.append(taken)
        taken += len(part)
    first, *others = words.divide(lines[1:])
    return Text("\n").join([first, *(Text(" " * _INDENT).append_text(line) for line in others)])


def stack(*parts: Text | None) -> Text:
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
