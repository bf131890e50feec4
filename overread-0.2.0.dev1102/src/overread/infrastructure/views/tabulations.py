"""Results of a study as JSON and as CSV files."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell, Table, Tabulation
from overread.exceptions import InputError
from overread.infrastructure.files.whole_files import write_whole

__all__ = ["ABOUT", "table_rows", "tabulation_csv", "tabulation_record", "write_csv"]

ABOUT: Final = "about.json"
"""What stands beside the CSV files: everything but the rows, and which files of the folder are the study's."""

_ADDRESS: Final = "address"
_ODD: Final = re.compile(r"[^\w .,()+=-]|\.$|^\.")
_LONGEST_NAME: Final = 200
_KEPT_OF_NAME: Final = 40


def tabulation_record(tabulation: Tabulation) -> dict[str, Any]:
    """A study as JSON can hold it; figures are not rounded, and one that is not finite is null.

    ``tables`` has each table by its name: ``title``, ``note``, ``columns`` (the title of each, by its name) and
    ``rows``, objects by the names of the columns. An estimate is an object of ``value``, ``low`` and ``high``. A row
    that is about something with an address has it under ``address``. Plots are left out: their figures are in the
    tables. ``understood`` is there where a set was read.

    Raises:
        ValueError: if two tables, or two columns of a table, share a name.
    """
    return {**_head(tabulation), "tables": {t.name: {**_about(t), "rows": table_rows(t)} for t in _unique(tabulation)}}


def write_csv(tabulation: Tabulation, folder: Path | str) -> tuple[Path, ...]:
    """One file a table, named after it, and ``about.json`` with what holds for all: facts, notes and titles.

    What the name of a file cannot hold is written in it as in addresses, "by-CT%2FMR.csv"; ``about.json`` tells the
    file of each table. An estimate takes the columns NAME, NAME_low and NAME_high; a figure that is not finite is an
    empty cell. Figures have as many digits as it takes to read back the same number. What the same study wrote there
    before is replaced.

    Args:
        tabulation: the study.
        folder: made if it is missing.

    Returns:
        The files written, in the order of the tables, ``about.json`` last.

    Raises:
        InputError: if the folder holds another study or files of those names that are not the study's, or if it
            cannot be written to.
        ValueError: if two tables, or two columns of a table, share a name.
    """
    folder = Path(folder)
    names = {table.name: _file_name(table.name) for table in _unique(tabulation)}
    texts = {names[table.name]: _csv(table) for table in tabulation.tables}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(folder), f"cannot be made: {error.strerror}", remedy="name another folder") from None
    before = _written_before(folder, tabulation.name)
    for name in texts:
        if name not in before and (folder / name).exists():
            raise InputError(
                str(folder / name), "already exists and is not of this study", remedy="name another folder"
            )
    about = {
        **_head(tabulation),
        "tables": {table.name: {**_about(table), "file": names[table.name]} for table in tabulation.tables},
        "files": sorted({*before, *texts}),
    }
    write_whole(folder / ABOUT, json.dumps(about, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
    for name, text in texts.items():
        write_whole(folder / name, text)
    return (*(folder / name for name in texts), folder / ABOUT)


def tabulation_csv(tabulation: Tabulation) -> str:
    """All tables as one CSV, a line a cell: ``table``, ``row`` (from 1), ``column``, ``value``, ``low``, ``high``.

    ``low`` and ``high`` are the ends of an interval. What there is no figure for is empty. Figures have as many digits
    as it takes to read back the same number. Facts and notes are left out, as they are no cells.

    Raises:
        ValueError: if two tables, or two columns of a table, share a name.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("table", "row", "column", "value", "low", "high"))
    for table in _unique(tabulation):
        for row, record in enumerate(table_rows(table), start=1):
            for column, value in record.items():
                ends = value if isinstance(value, Mapping) else {"value": value, "low": None, "high": None}
                writer.writerow((table.name, row, column, ends["value"], ends["low"], ends["high"]))
    return stream.getvalue()


def _file_name(table: str) -> str:
    """A name that any file system takes, another for each table."""
    name = _ODD.sub(lambda found: f"%{ord(found[0]):02X}", table)
    if len(name.encode()) > _LONGEST_NAME:
        name = f"{name[:_KEPT_OF_NAME]}-{hashlib.sha256(table.encode(errors='replace')).hexdigest()[:16]}"
    return f"{name}.csv"


def _unique(tabulation: Tabulation) -> tuple[Table, ...]:
    names = [table.name for table in tabulation.tables]
    if len(set(names)) < len(names):
        raise ValueError("two tables share a name")
    for table in tabulation.tables:
        if len(set(keys := _keys(table))) < len(keys):
            raise ValueError(f"two columns of table {table.name} share a name")
    return tabulation.tables


def _head(tabulation: Tabulation) -> dict[str, Any]:
    return {
        "name": tabulation.name,
        "title": tabulation.title,
        "facts": dict(tabulation.facts),
        "notes": list(tabulation.notes),
        **({"understood": list(tabulation.understood)} if tabulation.understood else {}),
    }


def _about(table: Table) -> dict[str, Any]:
    columns = {column.name: column.title for column in table.columns}
    return {"title": table.title, "note": table.note, "columns": columns}


def table_rows(table: Table) -> list[dict[str, Any]]:
    """Rows as objects by the names of the columns, as `tabulation_record` has them."""
    rows = []
    for index, row in enumerate(table.rows):
        record = {column.name: _value(cell) for column, cell in zip(table.columns, row, strict=True)}
        rows.append(record | ({_ADDRESS: table.links[index]} if index in table.links else {}))
    return rows


def _value(cell: Cell) -> str | float | Mapping[str, float | None] | None:
    if isinstance(cell, Estimate):
        return {"value": _number(cell.value), "low": _number(cell.low), "high": _number(cell.high)}
    return cell if isinstance(cell, str) else _number(cell)


def _number(value: float | None) -> float | None:
    """A number as Python's own, which alone JSON can write."""
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, int) else float(value)


def _keys(table: Table) -> list[str]:
    """Header of the CSV file."""
    keys = []
    for index, column in enumerate(table.columns):
        estimates = any(isinstance(row[index], Estimate) for row in table.rows)
        keys += [column.name, f"{column.name}_low", f"{column.name}_high"] if estimates else [column.name]
    return keys + ([_ADDRESS] if table.links else [])


def _csv(table: Table) -> str:
    keys = _keys(table)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, keys, restval="", lineterminator="\n")
    writer.writeheader()
    for record in table_rows(table):
        writer.writerow(_flat(record))
    return stream.getvalue()


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            flat |= {name: value["value"], f"{name}_low": value["low"], f"{name}_high": value["high"]}
        else:
            flat[name] = value
    return flat


def _written_before(folder: Path, study: str) -> frozenset[str]:
    """Files of a folder that the study wrote."""
    path = folder / ABOUT
    if not path.exists():
        return frozenset()
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        name, files = about["name"], frozenset(about["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(str(path), "already exists and is not of a study", remedy="name another folder") from None
    if name != study:
        raise InputError(str(folder), f"holds the tables of {name!r}", remedy="name another folder")
    return files
