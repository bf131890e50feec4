"""Pairs from memory, read row by row as files are: lists, mappings, data frames, Arrow tables and data sets.

No library of tables is imported: a table is known by what it can do. No message quotes a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

from attrs import evolve, field, frozen

from overread.application.scoring.corpus import BadRow, Row
from overread.domain.reports.report import Report, ReportPair
from overread.exceptions import InputError
from overread.extras import require
from overread.infrastructure.files.seen import SeenIds
from overread.infrastructure.files.tables import Columns, read_row
from overread.tables.columns import NOT_SHOWN, Record, are_shown

__all__ = [
    "GivenRow",
    "TableColumns",
    "id_text",
    "listed_together",
    "plain_cell",
    "rows_of",
    "rows_of_lists",
    "table_of",
]

_SOURCE: Final = "pairs"
_NAMES_SHOWN: Final = 12
_NAMED_LIKE_TEXT: Final = (UUID, Decimal, date, PurePath)
"""What is an id as it is written out."""


@frozen
class GivenRow:
    """A row as it was given, and what was made of it.

    Attributes:
        row: the pair, or what is wrong with it.
        label: the id as the table has it, for example a number; None where it has none.
    """

    row: Row
    label: Any = field(default=None, repr=False)


def rows_of(pairs: Any, columns: Columns) -> list[GivenRow]:
    """The rows of what holds whole pairs, in order.

    Args:
        pairs: an iterable of `ReportPair`s or of mappings; a pandas data frame; anything that gives an Arrow stream, as
            a pyarrow or polars table does; a data set of Hugging Face's library; or a mapping from column to list.
        columns: names of the columns, of keys of mappings too. Where a table has no such column of ids, its index is
            taken, or else the rows are numbered from 1.

    Raises:
        InputError: if it is none of these, or a table that lacks a column.
    """
    if isinstance(pairs, str | bytes | PurePath | ReportPair | Report):
        file = "overread.read_pairs reads a file, and overread.score_corpus scores one"
        remedy = (
            file if isinstance(pairs, str | bytes | PurePath) else "give a list of pairs; overread.score scores one"
        )
        raise InputError(_SOURCE, f"is {type(pairs).__name__}, not several pairs", remedy=remedy)
    table = table_of(pairs, (*columns.required, *columns.optional))
    if table is not None:
        return _of_table(table, columns)
    if not isinstance(pairs, Iterable):
        raise InputError(_SOURCE, f"is {type(pairs).__name__}, not several pairs", remedy="give a list or a table")
    seen = SeenIds()
    return [GivenRow(_row(number, item, columns, seen)) for number, item in enumerate(pairs, start=1)]


def rows_of_lists(references: Any, candidates: Any, ids: Any = None) -> list[GivenRow]:
    """The rows of lists that run beside each other: reports, and ids where there are such, else numbers from 1.

    Raises:
        InputError: if one is no list, or they are not of one length.
    """
    columns = Columns()
    named = {columns.reference: references, columns.candidate: candidates}
    if ids is not None:
        named[columns.id] = ids
    lists = listed_together(named)
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{count} of {name}" for name, count in lengths.items())
        raise InputError(_SOURCE, f"the lists differ in length: {sizes}", remedy="give one of each for every pair")
    return _of_table(TableColumns(tuple(lists), lists.__getitem__, lengths[columns.reference]), columns)


@frozen
class TableColumns:
    """A table by columns.

    Attributes:
        names: of its columns.
        column: the cells of one.
        length: number of rows.
        index: labels of the rows, where it has such beside its columns.
    """

    names: Sequence[str]
    column: Callable[[str], Sequence[Any]]
    length: int
    index: Sequence[Any] | None = None


def table_of(given: Any, wanted: Collection[str] | None = None) -> TableColumns | None:
    """The table that something is, a pandas data frame, an Arrow table, a data set or a mapping of lists; else None.

    Args:
        given: anything.
        wanted: names of the columns that will be read; any where omitted.

    Raises:
        InputError: if it is a table of a kind whose columns cannot be read.
    """
    if hasattr(given, "iloc") and hasattr(given, "columns"):
        return TableColumns(list(given.columns), lambda name: _series(given, name), len(given), _index(given))
    if hasattr(given, "select_columns") and hasattr(given, "with_format") and isinstance(given.column_names, list):
        return _data_set(given, wanted)
    if hasattr(given, "__arrow_c_stream__"):
        return _arrow(given)
    return _of_mapping(given) if isinstance(given, Mapping) else None


def _series(frame: Any, name: str) -> list[Any]:
    column = frame[name]
    if getattr(column, "ndim", 1) != 1:
        raise InputError(_SOURCE, f"several columns are named {name!r}", remedy="keep only one of them")
    return list(column.tolist())


def _index(frame: Any) -> list[Any]:
    return list(frame.index.tolist())


def _data_set(data: Any, wanted: Collection[str] | None) -> TableColumns:
    names = [name for name in data.column_names if wanted is None or name in wanted]
    if hasattr(data, "__len__"):
        selected = data.select_columns(names).with_format("arrow")
        return TableColumns(list(data.column_names), lambda name: selected[:][name].to_pylist(), len(data))
    rows = list(data.select_columns(names)) if names else []  # it is streamed, and may be read once
    return TableColumns(list(data.column_names), lambda name: [row[name] for row in rows], len(rows))


def _arrow(pairs: Any) -> TableColumns:
    require("such a table", "parquet")
    import pyarrow as pa

    try:
        table = pa.table(pairs)
    except (pa.ArrowException, TypeError, ValueError):
        raise InputError(_SOURCE, f"is {type(pairs).__name__}, not a table with columns") from None
    return TableColumns(table.column_names, lambda name: table.column(name).to_pylist(), table.num_rows)


def _of_mapping(pairs: Mapping[str, Any]) -> TableColumns:
    if any(hasattr(part, "column_names") for part in pairs.values()):
        names = ", ".join(str(name) for name in pairs)
        raise InputError(_SOURCE, f"has several splits: {names}", remedy="give one of them, as pairs[split]")
    if not all(_is_listed(values) for values in pairs.values()):
        remedy = "give a list of pairs; overread.score scores one"
        raise InputError(_SOURCE, "is one mapping, not several pairs", remedy=remedy)
    lists = listed_together(pairs)
    if len({len(values) for values in lists.values()}) > 1:
        raise InputError(_SOURCE, "its columns differ in length", remedy="give one cell in each for every pair")
    return TableColumns(list(lists), lists.__getitem__, len(next(iter(lists.values()), [])))


def _is_listed(values: Any) -> bool:
    return isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)


def listed_together(named: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Columns that run beside each other.

    Raises:
        InputError: if one is none, or two are columns of tables whose rows are labelled otherwise.
    """
    lists = {name: _list_cells(values, name) for name, values in named.items()}
    labelled = [(name, values.index) for name, values in named.items() if hasattr(values, "iloc")]
    for name, index in labelled[1:]:
        if not index.equals(labelled[0][1]):
            problem = f"{labelled[0][0]} and {name} have different indexes: it is not clear which rows belong together"
            raise InputError(_SOURCE, problem, remedy="give columns of one table, or lists in one order")
    return lists


def _list_cells(values: Any, name: str) -> list[Any]:
    """The cells of what holds a column: a list, an array of any library, a column of a table, an iterator.

    Raises:
        InputError: if it is none, or a set, which has no order; it is called by this name.
    """
    if isinstance(values, set | frozenset):
        remedy = "give a list with one for each pair"
        raise InputError(_SOURCE, f"{name} is a set, which has neither order nor duplicates", remedy=remedy)
    if not _is_listed(values):
        remedy = "give a list with one for each pair"
        raise InputError(_SOURCE, f"{name} is {type(values).__name__}, not a list", remedy=remedy)
    for listing in ("to_pylist", "tolist", "to_list"):
        if hasattr(values, listing):
            return list(getattr(values, listing)())
    return list(values)


def _of_table(table: TableColumns, columns: Columns) -> list[GivenRow]:
    missing = [name for name in (columns.reference, columns.candidate) if name not in table.names]
    if columns.id not in table.names and columns.id != Columns().id:
        missing.append(columns.id)
    if missing:
        remedy = "name yours with columns=overread.Columns(reference=..., candidate=...)"
        raise InputError(
            _SOURCE, f"no column {' or '.join(map(repr, missing))}; {_describe_names(table.names)}", remedy=remedy
        )
    cells = {name: table.column(name) for name in (*columns.required, *columns.optional) if name in table.names}
    labels = cells.get(columns.id, table.index)
    cells[columns.id] = range(1, table.length + 1) if labels is None else labels
    seen, rows = SeenIds(), []
    for place in range(table.length):
        fields = {name: values[place] for name, values in cells.items()}
        label = None if labels is None else labels[place]
        rows.append(GivenRow(_row(place + 1, fields, columns, seen), label))
    return rows


def _describe_names(names: Sequence[Any]) -> str:
    if not are_shown(name for name in names if isinstance(name, str)):
        return NOT_SHOWN
    shown = ", ".join(repr(str(name)[:40]) for name in names[:_NAMES_SHOWN]) or "none"
    return f"there are {shown}{' and others' if len(names) > _NAMES_SHOWN else ''}"


def _row(number: int, item: Any, columns: Columns, seen: SeenIds) -> Row:
    """One row, checked as a row of a file is."""
    if isinstance(item, ReportPair):
        texts = {columns.reference: plain_cell(item.reference), columns.candidate: plain_cell(item.candidate)}
        checked = read_row(Record(number, {columns.id: id_text(item.id), **texts}), columns, seen)
        return evolve(item, id=checked.id) if isinstance(checked, ReportPair) else checked
    if not isinstance(item, Mapping):
        problem = (
            f"is {type(item).__name__}, neither a ReportPair nor a mapping such as dict(id=, reference=, candidate=)"
        )
        return BadRow(number, f"row-{number}", problem)
    fields = {name: plain_cell(item[name]) for name in (*columns.required, *columns.optional) if name in item}
    fields[columns.id] = id_text(fields.get(columns.id))
    absent = [name for name in columns.required if name not in item]
    return read_row(Record(number, fields, f"missing {', '.join(absent)}" if absent else ""), columns, seen)


def id_text(value: Any) -> Any:
    """An id as text where it has one form in writing; labels of an index of several levels are joined."""
    value = plain_cell(value)
    if isinstance(value, tuple):
        return "/".join(str(plain_cell(part)) for part in value)
    return str(value) if isinstance(value, _NAMED_LIKE_TEXT) else value


def plain_cell(value: Any) -> Any:
    """A cell as Python has it: numpy's and Arrow's scalars unpacked, NaN, NaT and pandas' NA as None."""
    if isinstance(value, Report):
        value = value.text
    if value is None or isinstance(value, str | bool | int):
        return value
    if hasattr(value, "as_py"):
        value = value.as_py()
    elif hasattr(value, "dtype") and hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, Decimal):
        return float(value) if value.is_finite() else None
    return None if _is_nothing(value) else value


def _is_nothing(value: Any) -> bool:
    """Return whether a cell is a missing value of some library: each differs from itself, or cannot be compared."""
    try:
        return bool(value != value)  # noqa: PLR0124 - this is what tells NaN
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"
