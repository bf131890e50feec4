"""A published table of units: its rows as the parsed units of reports."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from overread.adapters.reader.published_units._columns import Columns, role_of
from overread.adapters.reader.published_units._files import cell, is_blank, read_rows
from overread.adapters.reader.unit_parser.composing import ParsedUnit, parsed_unit
from overread.application.asking.inquiry import UnreadableAnswerError
from overread.exceptions import InputError

__all__ = ["Key", "Listed", "PublishedTable", "read_published_table", "read_texts"]

Key = tuple[str, ...]
"""Ids of a report, and which one of its pair it is, "" where that is not said."""

_NEEDED: Final = "a column span_text with one unit a row, or a column units with a list of them"


@frozen(kw_only=True)
class Listed:
    """The units that a table has for one report.

    Attributes:
        text: of the report; None where the table does not hold it.
        units: in the table's order.
        quotes: the words of all its rows, those without a finding included.
    """

    text: str | None = field(repr=False)
    units: tuple[ParsedUnit, ...] = field(repr=False)
    quotes: tuple[str, ...] = field(repr=False)


@frozen(kw_only=True)
class PublishedTable:
    """The reports of a table.

    Attributes:
        digest: of the file, 12 digits of its SHA-256.
        layout: how the units stand in it, in words.
        reports: by ids.
        sentences: rows without a finding, which are read as sentences.
        columns: what was taken for what, in words.
    """

    digest: str
    layout: str
    reports: Mapping[Key, Listed] = field(repr=False)
    sentences: int
    columns: str


@frozen
class _Entry:
    row: int
    key: Key
    text: str | None
    item: Mapping[str, Any] | None


def read_published_table(path: Path) -> PublishedTable:
    """The table in a file.

    Raises:
        InputError: naming the file, the row and what would mend it, if columns are not those of units, a unit has a
            value that is none, or a report has two texts.
    """
    rows = read_rows(path)
    columns = Columns.of(dict.fromkeys(name for row in rows[:1000] for name in row))
    layout, entries = _entries(path, rows, columns)
    texts: dict[Key, str | None] = {}
    units: dict[Key, list[ParsedUnit]] = {}
    quotes: dict[Key, list[str]] = {}
    sentences = 0
    for entry in entries:
        known = texts.setdefault(entry.key, entry.text)
        if known is not None and entry.text is not None and known != entry.text:
            remedy = "give each report an id of its own, or a column role with reference and candidate"
            raise InputError(str(path), "has two texts for one report", row=entry.row, remedy=remedy)
        texts[entry.key] = known if known is not None else entry.text
        listed = units.setdefault(entry.key, [])
        quoted = quotes.setdefault(entry.key, [])
        if entry.item is None:
            continue
        if isinstance(entry.item.get("span_text"), str):
            quoted.append(entry.item["span_text"])
        if _says_nothing(entry.item):
            sentences += 1
            continue
        listed.append(_parse_entry(path, entry))
    return PublishedTable(
        digest=hashlib.sha256(path.read_bytes()).hexdigest()[:12],
        layout=layout,
        reports={
            key: Listed(text=texts[key], units=tuple(group), quotes=tuple(quotes[key])) for key, group in units.items()
        },
        sentences=sentences,
        columns=_describe_columns(columns),
    )


def read_texts(path: Path) -> dict[Key, str]:
    """Texts of reports by ids, from a table of reports or of pairs.

    Raises:
        InputError: if the file cannot be read or lacks ids or reports.
    """
    rows = read_rows(path)
    columns = Columns.of(dict.fromkeys(name for row in rows[:1000] for name in row))
    if not columns.ids or not (columns.text or columns.sided_text):
        remedy = "it needs an id, and a column report, or reference and candidate"
        raise InputError(str(path), "holds no reports with ids", remedy=remedy)
    texts: dict[Key, str] = {}
    for row in rows:
        for side, column in ({"": columns.text} if columns.text else columns.sided_text).items():
            if not is_blank(row.get(column)):
                texts[_key(row, columns, side)] = str(row[column])
    return texts


def _entries(path: Path, rows: Sequence[Mapping[str, Any]], columns: Columns) -> tuple[str, Iterator[_Entry]]:
    """The layout in words, and the units one by one."""
    if columns.sided_units:
        return "one pair a row", _of_lists(path, rows, columns, columns.sided_units)
    if columns.units:
        return "one report a row", _of_lists(path, rows, columns, {"": columns.units})
    if "span_text" in columns.fields:
        return "one unit a row", _of_units(path, rows, columns)
    raise InputError(str(path), "is not a table of units", remedy=f"it needs {_NEEDED}")


def _of_units(path: Path, rows: Sequence[Mapping[str, Any]], columns: Columns) -> Iterator[_Entry]:
    if not (columns.ids or columns.text):
        remedy = "add a column report_id, or report with the text"
        raise InputError(str(path), "does not say which report a unit belongs to", remedy=remedy)
    for number, row in enumerate(rows, start=1):
        key = _key(row, columns, "")
        side = columns.sided_text.get(key[-1], columns.text)
        yield _Entry(number, key, _text(row, side), columns.unit(row))


def _of_lists(
    path: Path, rows: Sequence[Mapping[str, Any]], columns: Columns, lists: Mapping[str, str]
) -> Iterator[_Entry]:
    for number, row in enumerate(rows, start=1):
        for side, column in lists.items():
            key = _key(row, columns, side) if columns.ids else (str(number), side)
            text = _text(row, columns.sided_text.get(side or key[-1], columns.text))
            listed = cell(row.get(column))
            if isinstance(listed, dict):
                listed = listed.get("units", [listed])
            listed = [] if is_blank(listed) else listed
            if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
                remedy = "units are a list of objects, in a cell as JSON"
                raise InputError(str(path), f"has no list of units in column {column}", row=number, remedy=remedy)
            yield _Entry(number, key, text, None)
            for item in listed:
                yield _Entry(number, key, text, Columns.of(item).unit(item))


def _key(row: Mapping[str, Any], columns: Columns, side: str) -> Key:
    ids = tuple(str(row.get(name, "")).strip() for name in columns.ids) or (str(row.get(columns.text, "")),)
    return (*ids, side or (role_of(row.get(columns.role)) if columns.role else ""))


def _text(row: Mapping[str, Any], column: str) -> str | None:
    value = row.get(column) if column else None
    return None if is_blank(value) else str(value)


def _says_nothing(item: Mapping[str, Any]) -> bool:
    """Return whether a unit names no finding: it stands for a sentence that the parser could not read."""
    return not any(
        isinstance(item.get(name), str) and any(map(str.isalnum, item[name]))
        for name in ("canonical_finding", "surface_finding", "device")
    )


def _parse_entry(path: Path, entry: _Entry) -> ParsedUnit:
    try:
        return parsed_unit({"polarity": "present", **(entry.item or {})})
    except UnreadableAnswerError as error:
        remedy = "fields are those of RadOT-Eval's Table IX: see docs/units.md"
        problem = error.detail.rpartition("unit 1: ")[2]
        raise InputError(str(path), problem, row=entry.row, remedy=remedy) from None


def _describe_columns(columns: Columns) -> str:
    parts = [f"{field} from {name!r}" for field, name in columns.fields.items() if field != name]
    parts += [f"report from {columns.text!r}"] if columns.text else []
    parts += [f"ids from {', '.join(map(repr, columns.ids))}"] if columns.ids else []
    parts += [f"role from {columns.role!r}"] if columns.role else []
    return "; ".join(parts)
