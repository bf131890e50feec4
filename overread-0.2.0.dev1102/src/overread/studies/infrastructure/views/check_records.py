"""A check of the reader as JSON, and with its mistakes as a table."""

from __future__ import annotations

from typing import Any

from attrs import asdict, evolve

from overread.application.statistics.tabulation import Column, Table, Tabulation
from overread.infrastructure.views.tabulations import table_rows
from overread.studies.application.reader_checks.check import CONFUSION, READER, ReaderCheck

__all__ = ["check_record", "with_mistakes"]


def check_record(check: ReaderCheck, *, errors: bool = False) -> dict[str, Any]:
    """A check of the reader as JSON can hold it; the errors, which quote the user's data, only where asked for."""
    tables = {table.name: table for table in check.tabulation.tables}
    matrix = tables.pop(CONFUSION, None)
    counts = {} if matrix is None else {str(label): list(counts) for label, *counts in matrix.rows}
    return {
        "check": check.tabulation.name,
        "reader": check.tabulation.facts[READER],
        "tables": [_check_table(table) for table in tables.values()],
        "confusion": {"labels": list(counts), "counts": list(counts.values())} if counts else None,
        **({"mistakes": [asdict(mistake) for mistake in check.mistakes]} if errors else {}),
        "notes": list(check.tabulation.notes),
    }


def with_mistakes(check: ReaderCheck) -> Tabulation:
    """The figures of a check, and its mistakes, which quote the user's data, as one more table."""
    columns = tuple(Column(name=name, title=name) for name in ("place", "expected", "got", "text"))
    rows = tuple((mistake.place, mistake.expected, mistake.got, mistake.text) for mistake in check.mistakes)
    errors = Table(name="errors", title="Errors", columns=columns, rows=rows)
    return evolve(check.tabulation, tables=(*check.tabulation.tables, errors))


def _check_table(table: Table) -> dict[str, Any]:
    lines = ({"name": row.pop("name"), "count": row.pop("count"), "figures": row} for row in table_rows(table))
    return {"title": table.title, "counted": table.columns[1].title, "lines": list(lines)}
