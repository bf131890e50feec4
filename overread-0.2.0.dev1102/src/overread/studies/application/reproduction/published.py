"""Figures that papers print, and tables in which ours stand beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from overread.application.statistics.tabulation import Cell, Column, Table
from overread.domain.results.scores import DISTRIBUTED

__all__ = ["RECONSTRUCTED", "PublishedPaper", "PublishedTable", "beside"]

RECONSTRUCTED: Final = "our reconstruction"
"""Mark of a row of a system that a paper names and does not describe."""

_MARKS: Final = (f" ({DISTRIBUTED})", f" ({RECONSTRUCTED})")


@frozen(kw_only=True)
class PublishedTable:
    """One table of a paper.

    Attributes:
        number: as the paper counts, for example "III", or a name of ours for a part of it or for figures
            in the text.
        title: number of the table, and what it shows in words of ours.
        head: what its rows are, for example "System".
        columns: name and heading of each column of figures.
        rows: figures by the name of the row, one a column; None where the paper prints a dash or nothing.
    """

    number: str
    title: str
    head: str
    columns: Mapping[str, str]
    rows: Mapping[str, tuple[Cell, ...]] = field(repr=False)

    def figure(self, row: str, column: str) -> Cell:
        """One figure; None where the paper has none, or no such row. Raises `KeyError` for an unknown column."""
        place = dict(zip(self.columns, range(len(self.columns)), strict=True))[column]
        return self.rows[row][place] if row in self.rows else None


@frozen(kw_only=True)
class PublishedPaper:
    """The figures of a paper.

    Attributes:
        key: as on the command line, for example "radot".
        name: of the metric or the paper.
        source: authors, title and year, for people.
        tables: by number.
    """

    key: str
    name: str
    source: str
    tables: Mapping[str, PublishedTable] = field(repr=False)


def beside(
    published: PublishedTable,
    ours: Mapping[str, Mapping[str, Cell]],
    *,
    name: str,
    note: str = "",
    missing: Mapping[str, str] | None = None,
    digits: int | Mapping[str, int] = 3,
    only: Sequence[str] | None = None,
) -> Table:
    """A table with a column of ours and one of the paper for each figure, rows in the paper's order.

    A row of ours of scores that come with a set, named "ROW (distributed with the set)", or of a system rebuilt from
    its name, "ROW (our reconstruction)", has the paper's figures of ROW beside it, and ROW's place. Rows that only
    we have come last, with a dash for the paper. Every column that holds nothing on one side keeps its place, so
    that the layout tells what the paper prints.

    Args:
        published: what the paper prints.
        ours: our figures by row and column; what is not in it is a dash.
        name: of the table.
        note: what the figures are.
        missing: why rows of ours are dashes, by the name of the row.
        digits: after the point, for all columns or by column.
        only: columns to show, by default all of the paper's.
    """
    shown = list(published.columns if only is None else only)
    columns = [Column(name="row", title=published.head)]
    for column in shown:
        places = digits if isinstance(digits, int) else digits.get(column, 3)
        columns.append(Column(name=column, title=published.columns[column], digits=places))
        columns.append(Column(name=f"{column}_paper", title="paper", digits=places))
    rows = []
    for row in _rows(published, ours):
        cells: list[Cell] = [row]
        for column in shown:
            cells += [ours.get(row, {}).get(column), published.figure(_strip_marks(row), column)]
        rows.append(tuple(cells))
    return Table(
        name=name,
        title=published.title,
        columns=tuple(columns),
        rows=tuple(rows),
        note=" ".join(part for part in (note, _reasons(missing or {})) if part),
    )


def _rows(published: PublishedTable, ours: Mapping[str, Mapping[str, Cell]]) -> Iterator[str]:
    """The paper's rows, each with our marked ones after it, or in its place where these are all we have."""
    for row in published.rows:
        marked = [f"{row}{mark}" for mark in _MARKS if f"{row}{mark}" in ours]
        if row in ours or not marked:
            yield row
        yield from marked
    yield from (row for row in ours if _strip_marks(row) not in published.rows)


def _strip_marks(row: str) -> str:
    """The paper's name of a row."""
    for mark in _MARKS:
        row = row.removesuffix(mark)
    return row


def _reasons(missing: Mapping[str, str]) -> str:
    rows: dict[str, list[str]] = {}
    for row, why in missing.items():
        rows.setdefault(why, []).append(row)
    return " ".join(f"No figure of ours for {', '.join(names)}: {why}." for why, names in rows.items())
