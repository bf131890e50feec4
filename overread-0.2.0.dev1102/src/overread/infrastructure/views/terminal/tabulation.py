"""Results of a study: its tables, cut or turned where they are wider than the terminal, then notes and facts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final

from attrs import frozen
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from overread.application.statistics.tabulation import Table, Tabulation
from overread.infrastructure.views.table_words import CellWords, cell_words, fact_words, is_figures
from overread.infrastructure.views.terminal._parts import heading, label_words, new_table, wrap_signature
from overread.infrastructure.views.wording import one_line

__all__ = ["show_tabulation"]

_LONGEST_WORD: Final = 24
"""Characters from which a word may be broken."""
_KEYS: Final = 36
"""Characters that the columns which say what a row is about may take in every part of a table that is cut."""
_TURNED: Final = 3
"""A table with at most so many rows is turned rather than cut, if that makes it fit."""
_HEADING: Final = 16
"""Characters up to which a column of figures is widened for its heading."""
_GAP: Final = 2
"""Characters between columns, and as many at the ends together."""


def show_tabulation(console: Console, tabulation: Tabulation) -> None:
    """Every table, then notes and facts; plots are for pages.

    In a table that is wider than the console the intervals stand below their figures, if then it fits; else its columns
    become rows, if it has few rows and then fits; else it is cut into parts, one below the other, each of which begins
    with the columns that say what a row is about. Columns NAME and NAME_SUCH stay side by side. No figure is shortened.
    """
    heading(console, one_line(tabulation.title))
    console.print()
    for table in tabulation.tables:
        _show(console, table)
    for note in tabulation.notes:
        console.print(label_words("Note", one_line(note), "bold yellow"))
    if tabulation.notes:
        console.print()
    for name, fact in tabulation.facts.items():
        line = label_words(one_line(name), one_line(fact_words(name, fact)))
        console.print(wrap_signature(line, console.width), soft_wrap=True)


def _show(console: Console, table: Table) -> None:
    console.print(Text(one_line(table.title), "bold"))
    if table.rows:
        for part in _parts(table, console.width):
            console.print(_draw_table(part, console.width))
    else:
        console.print(Text("none\n"))
    if table.note:
        console.print(Text(one_line(table.note), "dim"))
        console.print()


@frozen(kw_only=True)
class _Column:
    """A column as lines of words; a column of figures keeps to its lines, one of words folds them.

    Attributes:
        joined: whether it belongs to the column before it.
        least: width it can do with.
        wish: width at which nothing is folded but a long heading of figures.
    """

    title: str
    cells: tuple[tuple[str, ...], ...]
    figures: bool
    joined: bool = False

    @property
    def least(self) -> int:
        lines = tuple(chain(*self.cells))
        if self.figures:
            return max(map(cell_len, (*self.title.split(), *lines)), default=0)
        words = chain(self.title.split(), *(line.split() for line in lines))
        return min(_LONGEST_WORD, max(map(cell_len, words), default=0))

    @property
    def wish(self) -> int:
        title = min(cell_len(self.title), _HEADING) if self.figures else cell_len(self.title)
        return max(self.least, title, *map(cell_len, chain(*self.cells)))


def _parts(table: Table, width: int) -> Sequence[Sequence[_Column]]:
    """The columns of each part of a table."""
    beside, below = (_columns(table, below=below) for below in (False, True))
    parts, lower = _pack_columns(beside, width), _pack_columns(below, width)
    if len(parts) == 1:
        return parts
    if len(lower) == 1:
        return lower
    turned = _transpose(beside)
    return [turned] if len(table.rows) <= _TURNED and _total(turned) <= width else parts


def _columns(table: Table, *, below: bool) -> list[_Column]:
    """The columns of a table, with intervals beside or below their figures."""
    columns = []
    for index, column in enumerate(table.columns):
        words = (cell_words(row[index], column) for row in table.rows)
        cells = tuple(_lines(cell, below=below) for cell in words)
        joined = index > 0 and _belongs(column.name, table.columns[index - 1].name)
        figures = is_figures(table, index)
        columns.append(_Column(title=one_line(column.title), cells=cells, figures=figures, joined=joined))
    return columns


def _belongs(name: str, before: str) -> bool:
    """Return whether a column says something about the one before it, as NAME_paper does about NAME."""
    return name.startswith(f"{before}_")


def _lines(words: CellWords, *, below: bool) -> tuple[str, ...]:
    parts = (words.text, words.interval) if words.interval else (words.text,)
    return parts if below else (" ".join(parts),)


def _pack_columns(columns: Sequence[_Column], width: int) -> list[list[_Column]]:
    """Parts of as many columns as fit after those that say what a row is about; a group stays together if it fits."""
    keys = _keys(columns)
    parts = [[*keys]]
    for group in _groups(columns[len(keys) :]):
        split = _total([*keys, *group]) > width
        for taken in [[column] for column in group] if split else [group]:
            if len(parts[-1]) > len(keys) and _total([*parts[-1], *taken]) > width:
                parts.append([*keys])
            parts[-1].extend(taken)
    return parts


def _groups(columns: Sequence[_Column]) -> list[list[_Column]]:
    """Each column with those that belong to it."""
    groups: list[list[_Column]] = []
    for column in columns:
        if column.joined and groups:
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _keys(columns: Sequence[_Column]) -> list[_Column]:
    """The first column, and the words that follow it while there is room."""
    keys = list(columns[:1])
    for column in columns[1:]:
        if column.figures or _total([*keys, column]) > _KEYS:
            break
        keys.append(column)
    return keys


def _transpose(columns: Sequence[_Column]) -> list[_Column]:
    """A column a row, headed by the first cell of each."""
    first, *rest = columns
    titles = _Column(title=first.title, cells=tuple((column.title,) for column in rest), figures=False)
    rows = zip(*(column.cells for column in rest), strict=True)
    return [
        titles,
        *(
            _Column(title=" ".join(head), cells=cells, figures=True)
            for head, cells in zip(first.cells, rows, strict=False)
        ),
    ]


def _total(columns: Sequence[_Column]) -> int:
    return sum(column.least + _GAP for column in columns)


def _draw_table(columns: Sequence[_Column], width: int) -> RichTable:
    drawn = new_table("")
    for column, characters in zip(columns, _widths(columns, width), strict=True):
        title = Text(column.title)
        drawn.add_column(title, justify="right" if column.figures else "left", width=characters, overflow="fold")
    for row in zip(*(column.cells for column in columns), strict=True):
        drawn.add_row(*(Text("\n".join(lines)) for lines in row))
    return drawn


def _widths(columns: Sequence[_Column], width: int) -> list[int]:
    """The least each column can do with; what is left over goes to words, then to headings of figures if to all."""
    widths = [column.least for column in columns]
    spare = width - _total(columns)
    while spare > 0:
        wishing = [i for i, column in enumerate(columns) if not column.figures and widths[i] < column.wish][:spare]
        if not wishing:
            break
        for index in wishing:
            widths[index] += 1
        spare -= len(wishing)
    if spare >= sum(column.wish - column.least for column in columns if column.figures):
        return [column.wish if column.figures else given for column, given in zip(columns, widths, strict=True)]
    return widths
