"""Outcome of a study of metrics: tables of figures, plots and notes, ready to be shown in any form."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from overread.application.statistics.estimating import Estimate
from overread.exceptions import NotFoundError

__all__ = [
    "Cell",
    "Column",
    "Curve",
    "Curves",
    "Fact",
    "Flow",
    "Flows",
    "Forest",
    "ForestRow",
    "HeatMap",
    "Plot",
    "Scatter",
    "Table",
    "Tabulation",
]


Cell = str | int | float | Estimate | None
"""None, and a float that is NaN, are shown as a dash."""

Fact = str | int
"""Words, or a number: a count, or the seed of draws."""


@frozen(kw_only=True)
class Column:
    """A column of a table.

    Attributes:
        name: key in JSON and CSV; an estimate takes NAME, NAME_low and NAME_high there.
        title: heading for people.
        digits: after the point, for floats and estimates; what is written to files is not rounded.
        percent: whether a share on [0, 1] is shown as a percentage.
    """

    name: str
    title: str
    digits: int = 3
    percent: bool = False


@frozen(kw_only=True)
class Table:
    """Rows of cells, one a column.

    Attributes:
        name: key in JSON and of the CSV file, lower case with hyphens.
        title: heading.
        columns: at most some eight fit 80 characters.
        rows: in the order to be shown.
        note: what the figures are, over what, their range and direction; shown under the table.
        links: address of what a row is about, by index of the row, for example a page of the pair.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    links: Mapping[int, str] = field(factory=dict)


@frozen(kw_only=True)
class Scatter:
    """Points with a regression line: scores against what people said (as CREPE Fig. 6).

    Attributes:
        points: x, y and id of each.
        caption: what is written beside the line, for example the correlation.
    """

    name: str
    title: str
    x_title: str
    y_title: str
    points: tuple[tuple[float, float, str], ...]
    caption: str = ""


@frozen
class ForestRow:
    """One estimate of a forest plot; rows of one group stand together and share a colour."""

    label: str
    estimate: Estimate
    group: str = ""


@frozen(kw_only=True)
class Forest:
    """Estimates with their intervals, one below the other.

    ``reference`` draws a line, for example at 0; ``percent`` shows shares on [0, 1] as percentages.
    """

    name: str
    title: str
    x_title: str
    rows: tuple[ForestRow, ...]
    reference: float | None = None
    percent: bool = False


@frozen(kw_only=True)
class HeatMap:
    """A matrix with a word in each cell; None leaves a cell empty. ``low`` and ``high`` are the ends of the colours."""

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    words: tuple[tuple[str, ...], ...] = ()
    low: float = -1.0
    high: float = 1.0


@frozen(kw_only=True)
class Curve:
    """A line through points, and the one of them that is marked, for example the maximin point of a D/R plane.

    Where ``is_line`` is false the points stand alone, for example groups of a funnel plot.
    """

    label: str
    points: tuple[tuple[float, float], ...]
    marked: tuple[float, float] | None = None
    is_line: bool = True


@frozen(kw_only=True)
class Curves:
    """Curves on one plane; ``square`` for shares on both axes, 0 to 1."""

    name: str
    title: str
    x_title: str
    y_title: str
    curves: tuple[Curve, ...]
    square: bool = False


@frozen
class Flow:
    """Number of cases that go from one label to another."""

    source: str
    target: str
    count: float


@frozen(kw_only=True)
class Flows:
    """A Sankey diagram: what there is on the left, what was made of it on the right."""

    name: str
    title: str
    source_title: str
    target_title: str
    flows: tuple[Flow, ...]


Plot = Scatter | Forest | HeatMap | Curves | Flows


@frozen(kw_only=True)
class Tabulation:
    """Everything a study found.

    Attributes:
        name: of the study, for example "rexval".
        title: heading.
        tables: in the order in which they matter.
        plots: shown on pages only; what they show stands in the tables too.
        facts: what was run, by name: benchmark, pairs, signatures of the metrics, draws, seed.
        notes: remarks a reader must know: what is unscored and why, what was left out. No report text.
        understood: what was taken for what in the files of a set: columns, joins, counts. No report text.
    """

    name: str
    title: str
    tables: tuple[Table, ...] = field(repr=lambda tables: str([table.name for table in tables]))
    plots: tuple[Plot, ...] = field(default=(), repr=False)
    facts: Mapping[str, Fact] = field(factory=dict)
    notes: tuple[str, ...] = ()
    understood: tuple[str, ...] = ()

    def count(self, name: str) -> int:
        """The fact of a name that is a number. Raises `NotFoundError` where there is none."""
        fact = self.facts.get(name)
        if not isinstance(fact, int):
            raise NotFoundError(f"there is no number of {name}")
        return fact

    def table(self, name: str) -> Table:
        """The table of a name. Raises `NotFoundError`, which tells the names, where there is none."""
        for table in self.tables:
            if table.name == name:
                return table
        raise NotFoundError(f"there is no such table; choose from {', '.join(table.name for table in self.tables)}")
