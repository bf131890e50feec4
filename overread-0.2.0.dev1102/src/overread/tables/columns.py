"""Columns that a reader asks a table for, and the rows that it gets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from overread.exceptions import InputError

__all__ = ["MEND", "NOT_SHOWN", "Record", "WantedColumns", "are_shown", "missing_columns"]

MEND: Final = "correct the row, or copy the file again"
"""Remedy for a row that is damaged."""

NOT_SHOWN: Final = "its first row does not look like column names, so it is not shown"
"""Words for columns that may be cells, and so a report."""

_NAME: Final = re.compile(r"[^\W\d][\w.:/-]*( [\w:/()-]+){0,2}(?<![.,;])")
_LONGEST_NAME: Final = 40


@frozen
class Record:
    """One row.

    Attributes:
        row: 1-based; the header of a table is not counted. In JSONL it is the line number.
        fields: cell by column; only some of them, or none, where there is a problem.
        problem: what is wrong with the row, "" if nothing is.
        remedy: what to do about the problem, "" where that says so itself.
    """

    row: int
    fields: Mapping[str, Any] = field(repr=False)
    problem: str = ""
    remedy: str = ""

    def error(self, path: Path) -> InputError:
        """The error that the row cannot be read, for readers that stop there."""
        return InputError(str(path), self.problem, row=self.row, remedy=self.remedy)


@frozen
class WantedColumns:
    """The columns to read.

    Attributes:
        required: that must be there.
        optional: further ones to read where there are such; None for whichever there are.
        remedy: what to do where a required one is missing.
        shows_names: True if an error may name the columns that are there.
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] | None = ()
    remedy: str = ""
    shows_names: bool = True

    def among(self, names: Sequence[str]) -> list[str]:
        """Those that are there, in the order in which they were asked for."""
        named = (*self.required, *(self.optional or ()))
        others = [name for name in names if name and name not in named] if self.optional is None else ()
        return [*(name for name in named if name in names), *dict.fromkeys(others)]

    def plain(self, name: str) -> str:
        """A column's name without blanks around it, unless it was asked for with them."""
        return name if name in self.required or name in (self.optional or ()) else name.strip()

    def places(self, path: Path, names: Sequence[str]) -> dict[str, int]:
        """Positions of the columns that are there; blanks around their names are ignored.

        Raises:
            InputError: if a required column is missing, or one that is wanted is there twice.
        """
        bare = [self.plain(name) for name in names]
        if missing := [name for name in self.required if name not in bare]:
            problem = missing_columns(missing, bare) if self.shows_names or not are_shown(bare) else _lacking(missing)
            raise InputError(str(path), problem, remedy=self.remedy)
        there = self.among(bare)
        if twice := [name for name in there if bare.count(name) > 1]:
            column = f"column {twice[0]}" if are_shown(twice[:1]) else "a column whose name is not shown"
            raise InputError(str(path), f"{column} appears more than once", remedy="rename one of them")
        return {name: bare.index(name) for name in there}

    def choose(self, path: Path, names: Sequence[str]) -> dict[str, str]:
        """The wanted columns by the names under which the file has them. Raises as `places`."""
        return {names[place]: name for name, place in self.places(path, names).items()}


def missing_columns(missing: Sequence[str], names: Sequence[str]) -> str:
    """Words for columns that a table lacks, and for those that it has."""
    there = f"it has {', '.join(names)}" if names else "it has no columns"
    return f"{_lacking(missing)}; {there if are_shown(names) else NOT_SHOWN}"


def _lacking(missing: Sequence[str]) -> str:
    return f"no column {' or '.join(missing)}"


def are_shown(names: Iterable[str]) -> bool:
    """Return whether messages may show names: not those that look like the first row of a file without a header."""
    return all(len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) for name in names)
