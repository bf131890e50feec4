"""Rows for a registry: one line a pair, without text and without the patient, as CSV or JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from overread.domain.differences.edits import EditType
from overread.hospital.application.rates import RadpeerCounts
from overread.hospital.application.requests import WorklistRow
from overread.hospital.domain.review import Radpeer

__all__ = ["REGISTRY_COLUMNS", "harmless", "radpeer_csv", "registry_csv", "registry_jsonl"]

_Value = str | int | float | bool | list[str] | None

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Characters that a spreadsheet may take for the beginning of a formula (OWASP, CSV Injection)."""


def _time(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment is not None else None


def _edits(row: WorklistRow, kind: EditType) -> int | None:
    return None if row.edits is None else row.edits[kind]


REGISTRY_COLUMNS: Final[Mapping[str, Callable[[WorklistRow], _Value]]] = MappingProxyType(
    {
        "pair": lambda row: row.pair,
        "kind": lambda row: row.kind.value,
        "site": lambda row: row.examination.site,
        "accession": lambda row: row.examination.accession,
        "modality": lambda row: row.examination.modality,
        "procedure": lambda row: row.examination.procedure,
        "body_part": lambda row: row.examination.body_part,
        "device": lambda row: row.examination.device,
        "performed": lambda row: _time(row.examination.performed),
        "arrived": lambda row: _time(row.arrived),
        "reader": lambda row: row.reader,
        "model": lambda row: row.model,
        "state": lambda row: row.state.value,
        "reason": lambda row: row.reason,
        "risk": lambda row: row.risk,
        "importance": lambda row: row.importance.value if row.importance else None,
        "significant": lambda row: row.significant,
        "insignificant": lambda row: row.insignificant,
        "findings": lambda row: list(row.findings),
        "review": lambda row: row.review.value,
        "radpeer": lambda row: row.radpeer.value if row.radpeer else None,
        "weight": lambda row: row.weight,
        "withdrawn": lambda row: row.withdrawn,
        "read": lambda row: row.read,
        "corrections": lambda row: _edits(row, EditType.CORRECTION),
        "clarifications": lambda row: _edits(row, EditType.CLARIFICATION),
        "additions": lambda row: _edits(row, EditType.ADDITION),
        "removals": lambda row: _edits(row, EditType.REMOVAL),
        "style_edits": lambda row: _edits(row, EditType.STYLE),
    }
)
"""Columns in their order: new ones are added at the end, none changes its meaning. docs/hospital-out.md has each."""


def registry_csv(rows: Iterable[WorklistRow]) -> Iterator[str]:
    """CSV (RFC 4180) line by line, the names first; no more than one row is held.

    An empty cell is what is not known; findings are separated by semicolons. A text that a spreadsheet would take for
    a formula has an apostrophe before it.

    Args:
        rows: as `HospitalService.export` gives them.
    """
    yield _line(list(REGISTRY_COLUMNS))
    for row in rows:
        yield _line([_cell(value(row)) for value in REGISTRY_COLUMNS.values()])


def registry_jsonl(rows: Iterable[WorklistRow]) -> Iterator[str]:
    """The same as a JSON object a line: what is not known is null, findings are a list, nothing is put before a text.

    Args:
        rows: as `HospitalService.export` gives them.
    """
    for row in rows:
        record = {name: value(row) for name, value in REGISTRY_COLUMNS.items()}
        yield json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def radpeer_csv(groups: Iterable[RadpeerCounts]) -> Iterator[str]:
    """Reviewed pairs by RADPEER score as CSV, line by line, a line a group, the names first; cells as `registry_csv`.

    Args:
        groups: as `HospitalService.radpeer_counts` gives them.
    """
    yield _line(["month", "site", "modality", "pairs", "reviewed", *(score.value for score in Radpeer)])
    for group in groups:
        scores = [group.radpeer.get(score.value, 0) for score in Radpeer]
        cells: list[_Value] = [group.month, group.site, group.modality, group.pairs, group.reviewed, *scores]
        yield _line([_cell(cell) for cell in cells])


def _cell(value: _Value) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float):
        return repr(value).lower()
    text = ";".join(value) if isinstance(value, list) else value
    return harmless(text)


def harmless(text: str) -> str:
    """A text for a cell: an apostrophe stands before what a spreadsheet would take for a formula.

    >>> harmless("north"), harmless("=HYPERLINK(1)")
    ('north', "'=HYPERLINK(1)")
    """
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def _line(cells: list[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()
