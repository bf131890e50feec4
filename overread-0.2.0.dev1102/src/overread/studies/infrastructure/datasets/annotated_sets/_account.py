"""Account of what a reader understood of a set, shown before scoring: files, columns, joins, what it skipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import define, field

from overread.domain.results.annotation import told_count
from overread.studies.infrastructure.datasets.annotated_sets._files import (
    Row,
    TableFile,
    find_tables,
    read_rows,
)
from overread.studies.infrastructure.datasets.annotated_sets._rows import Aliases, checked_columns, no_rows
from overread.tables.columns import are_shown

__all__ = ["Account"]

_MOST_NAMED: Final = 12
_NAMELESS: Final = "a first column without a name"


@define
class _Taken:
    """A table that was read: its columns by the name they are read under, and how many rows it gave."""

    table: TableFile
    columns: Mapping[str, str]
    what: str
    rows: int = 0


@define
class Account:
    """Kept while a set is read: `lines` tell it in words, without a cell of any table."""

    _place: Path = field(factory=Path)
    _found: list[TableFile] = field(factory=list)
    _taken: list[_Taken] = field(factory=list)
    _said: list[str] = field(factory=list)
    _left: set[str] = field(factory=set)
    _apart: dict[Path, str] = field(factory=dict)

    def find(self, path: Path) -> list[TableFile]:
        """Finds tables as `find_tables` does; one that is then not read is reported as passed over."""
        self._place = path
        self._found = find_tables(path)
        return list(self._found)

    def rows(
        self, table: TableFile, columns: Mapping[str, str], optional: Mapping[str, str] | None = None, what: str = "row"
    ) -> Iterator[Row]:
        """Reads rows as `read_rows` does, and records the table, its columns and the number of its rows.

        Args:
            table: the file.
            columns: column of the file by the name it is read under.
            optional: further columns, which a JSON object may lack.
            what: word for a row, for example "line".

        Raises:
            InputError: after the last row, if there was none.
        """
        taken = _Taken(table, {**columns, **(optional or {})}, what)
        self._taken.append(taken)
        for row in read_rows(table, columns, optional):
            taken.rows += 1
            yield row
        if not taken.rows:
            raise no_rows(table)

    def read_aliased(self, table: TableFile, required: Aliases, optional: Aliases, what: str = "row") -> list[Row]:
        """Reads rows as `aliased_rows` does, and records them as `rows` does."""
        columns = checked_columns(table, required)
        return list(self.rows(table, columns, table.columns(optional), what))

    def say(self, line: str) -> None:
        """Puts down what no column tells: a file of another kind, a join, a rule. It holds no text of a report."""
        self._said.append(line)

    def set_apart(self, tables: Iterable[TableFile], why: str) -> None:
        """Tables that are passed over for another reason than that they are not the set's; ``why`` goes after "as"."""
        self._apart.update((table.path, why) for table in tables)

    def leave(self, columns: Iterable[str]) -> None:
        """Columns that were given to the reader, but hold nothing that it knows."""
        self._left.update(columns)

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines on what was understood: one per table read, what was said of the tables, and those passed over."""
        read = {taken.table.path for taken in self._taken}
        over: dict[str, list[str]] = {}
        for table in self._found:
            if table.path not in read:
                why = self._apart.get(table.path, "not of this set's tables")
                over.setdefault(why, []).append(self._name(table))
        passed = [f"passed over, as {why}: {_list_names(names)}" for why, names in over.items()]
        first: dict[str, str] = {}
        entries: list[str] = []
        for taken in self._taken:
            name, columns = self._name(taken.table), self._columns(taken)
            same = first.setdefault(columns, name)
            entries.append(f"{name}, {told_count(taken.rows, taken.what)}")
            entries[-1] += columns if same == name or not columns else f": columns as in {same}"
        return (*entries, *self._said, *passed)

    def _columns(self, taken: _Taken) -> str:
        """The columns of a table, read and not."""
        columns = {name: column for name, column in taken.columns.items() if column not in self._left}
        read = [name if name == column else f"{name} from {column}" for name, column in columns.items()]
        rest = [name for name in taken.table.names if name and name not in set(columns.values())]
        rest += [_NAMELESS] * (len(taken.table.names) > 1 and taken.table.names[0] == "")
        words = f": {', '.join(read)}" if read else ""
        return f"{words}; not read: {_unread(rest)}" if rest else words

    def _name(self, table: TableFile) -> str:
        inside = table.path.is_relative_to(self._place) and table.path != self._place
        return str(table.path.relative_to(self._place)) if inside else table.path.name


def _unread(names: Sequence[str]) -> str:
    """Columns that were left alone; counted where one of them may be a row of reports."""
    if not are_shown(name for name in names if name != _NAMELESS):
        return told_count(len(names), "column")
    return _list_names(names)


def _list_names(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMED
    return ", ".join([*names[:_MOST_NAMED], *([f"{rest} more"] if rest > 0 else [])])
