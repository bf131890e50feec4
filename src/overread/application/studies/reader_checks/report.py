"""What a check found: figures in tables, counts, and the mistakes themselves."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from overread.application.studies.tabulation import Estimate

__all__ = ["CheckReport", "Confusion", "Line", "Mistake", "Table"]


@frozen
class Line:
    """One line of a table: a class or kind, how many of the table's things it is about, and its figures by name."""

    name: str
    count: int
    figures: Mapping[str, Estimate] = field(factory=dict)


@frozen
class Table:
    """Lines that are counted in the same things, named by ``counted``."""

    title: str
    counted: str
    lines: tuple[Line, ...]

    def line(self, name: str) -> Line:
        """The line of a name. Raises `KeyError` where there is none."""
        for line in self.lines:
            if line.name == name:
                return line
        raise KeyError(name)


@frozen
class Confusion:
    """How often each label, one row each, was read as each, one column each."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@frozen
class Mistake:
    """One thing read otherwise than labelled. It quotes the user's own data, and is shown only when asked for."""

    place: str
    expected: str
    got: str
    text: str = field(default="", repr=False)


@frozen(kw_only=True)
class CheckReport:
    """The outcome of one check.

    Attributes:
        check: its name.
        reader: identity of what read the data.
        tables: the figures, in the order in which they matter.
        confusion: labels against readings, where the check has exclusive classes.
        mistakes: in the order of the data.
        notes: remarks on what was left out, without text from the data.
    """

    check: str
    reader: str
    tables: tuple[Table, ...]
    confusion: Confusion | None = None
    mistakes: tuple[Mistake, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()

    def table(self, title: str) -> Table:
        """The table of a title. Raises `KeyError` where there is none."""
        for table in self.tables:
            if table.title == title:
                return table
        raise KeyError(title)
