"""Results of a study as a self-contained HTML page with its tables and plots: it loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from attrs import frozen

from overread.application.statistics.tabulation import Column, Plot, Scatter, Table, Tabulation
from overread.infrastructure.views.table_words import DASH, MINUS, CellWords, cell_words, fact_words, is_figures
from overread.infrastructure.views.web.palette import PALETTE, SERIES
from overread.infrastructure.views.web.plots import Drawing, draw
from overread.infrastructure.views.web.templating import template

__all__ = ["tabulation_page"]

_HEAD: Final = 28
"""Characters that the first column is given at least, if it has so many."""
_ACROSS: Final = 145
"""Characters that a wide screen holds beside one another."""
_BETWEEN: Final = 3
_SCHEMES: Final = ("", "http", "https")


def tabulation_page(tabulation: Tabulation) -> str:
    """The page of a study: every table, the plot of the same name beside it, other plots after them, facts at the end.

    Plots are drawn in the page itself. It has no script and loads nothing.
    """
    scatters = sum(isinstance(plot, Scatter) for plot in tabulation.plots)
    plots = [
        _Plot(key=f"p{index}", plot=plot, drawing=draw(plot, scatters=scatters))
        for index, plot in enumerate(tabulation.plots, 1)
    ]
    tables = [_table(f"t{index}", table, plots) for index, table in enumerate(tabulation.tables, 1)]
    return template("tabulation.html.j2").render(
        tabulation=tabulation,
        facts={name: fact_words(name, fact) for name, fact in tabulation.facts.items()},
        tables=tables,
        plots=[plot for plot in plots if not any(plot in table.plots for table in tables)],
        palette={**PALETTE, **{f"series-{index}": pair for index, pair in enumerate(SERIES, 1)}},
        series=len(SERIES),
        landscape=any(table.grid.wide for table in tables),
    )


@frozen
class _Cell:
    """A cell as it is shown."""

    words: CellWords
    figures: bool


@frozen(kw_only=True)
class _Row:
    """Cells, and where the first of them leads."""

    cells: tuple[_Cell, ...]
    address: str = ""


@frozen(kw_only=True)
class _Grid:
    """A table as it is shown."""

    columns: tuple[tuple[Column, bool], ...]
    rows: tuple[_Row, ...]

    @property
    def head(self) -> int:
        """Characters below which the first column is not squeezed."""
        return min(_HEAD, self._longest(0))

    @property
    def wide(self) -> bool:
        """True if intervals must stand below their figures for the table to fit."""
        return sum(_BETWEEN + min(_HEAD, self._longest(index)) for index in range(len(self.columns))) > _ACROSS

    def _longest(self, index: int) -> int:
        cells = (row.cells[index].words for row in self.rows)
        return max((len(f"{words.text} {words.interval}".strip()) for words in cells), default=0)


@frozen(kw_only=True, eq=False)
class _Plot:
    key: str
    plot: Plot
    drawing: Drawing

    @property
    def grid(self) -> _Grid | None:
        """Its figures as a table."""
        return None if self.drawing.table is None else _grid(self.drawing.table)


@frozen(kw_only=True, eq=False)
class _Table:
    key: str
    table: Table
    grid: _Grid
    plots: tuple[_Plot, ...]


def _table(key: str, table: Table, plots: Sequence[_Plot]) -> _Table:
    beside = tuple(plot for plot in plots if plot.plot.name == table.name)
    return _Table(key=key, table=table, grid=_grid(table), plots=beside)


def _grid(table: Table) -> _Grid:
    figures = [is_figures(table, index) for index in range(len(table.columns))]
    rows = [
        _Row(
            cells=tuple(
                _Cell(_typeset(cell_words(cell, column)) if right else cell_words(cell, column), right)
                for cell, column, right in zip(row, table.columns, figures, strict=True)
            ),
            address=_address(table.links.get(index, "")),
        )
        for index, row in enumerate(table.rows)
    ]
    return _Grid(columns=tuple(zip(table.columns, figures, strict=True)), rows=tuple(rows))


def _typeset(words: CellWords) -> CellWords:
    """Figures with a true minus, and an en dash where there is nothing to tell."""
    if words.text == DASH:
        return CellWords("\u2013")
    return CellWords(words.text.replace("-", MINUS), words.interval.replace("-", MINUS))


def _address(address: str) -> str:
    """An address that can be followed without harm, else ""."""
    try:
        return address if urlsplit(address).scheme in _SCHEMES else ""
    except ValueError:
        return ""
