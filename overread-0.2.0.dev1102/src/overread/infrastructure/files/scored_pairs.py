"""Files of pairs held against the results that were made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from attrs import define, evolve, field, frozen

from overread.application.scoring.corpus import BadRow, Row
from overread.application.scoring.fingerprint import Fingerprint
from overread.domain.reports.report import ReportPair
from overread.exceptions import InputError
from overread.infrastructure.files.completeness import read_completeness
from overread.infrastructure.files.scored import holds_results
from overread.infrastructure.files.seen import SeenIds
from overread.infrastructure.files.tables import Columns, read_pairs, read_row, with_ids
from overread.tables.cells import RowError, identifier
from overread.tables.records import read_records

__all__ = ["ScoredFile", "check_pairs", "columns_of"]

_SCORED_FILE: Final = "name the file of pairs that was scored"


@frozen(kw_only=True)
class ScoredFile:
    """A file of results with the pairs that it holds.

    Attributes:
        path: of the file.
        ids: of its pairs.
        bad: ids of those among them whose rows could not be read.
    """

    path: Path
    ids: Collection[str] = field(repr=False)
    bad: Collection[str] = field(default=(), repr=False)


def columns_of(pairs: Path, results: Path) -> Columns:
    """The columns of a file of pairs: each as the results say that it was read, if the file has it, else the usual."""
    record = read_completeness(results)
    if record is None:
        return Columns()
    there = _names(pairs, Columns(**record.columns))
    return Columns(**{meaning: name for meaning, name in record.columns.items() if name in there})


def check_pairs(pairs: Path, results: ScoredFile, *, candidates: bool) -> str:
    """Makes sure that a file holds the pairs of some results, as far as these tell.

    Results of a run tell by their record of completeness which reports they were made of; others tell ids alone.

    Args:
        pairs: the file.
        results: made of these pairs.
        candidates: whether its candidates must be those that were scored, too: else it may be the file of another
            system.

    Returns:
        A remark on pairs that the results lack; "" if there are none.

    Raises:
        InputError: if the file cannot be read, holds no pairs, an id twice, results instead of pairs, not all pairs of
            the results, or other reports under their ids.
    """
    if holds_results(pairs):
        raise InputError(str(pairs), "holds results, not pairs", remedy=_SCORED_FILE)
    columns = columns_of(pairs, results.path)
    there = _names(pairs, columns)
    record = read_completeness(results.path)
    scored = record.fingerprint if record is not None and columns.reference in there else None
    read = _read(pairs, columns if scored is not None else None, columns.id, there, results)
    _check_ids(pairs, results, read.found, numbered=columns.id not in there)
    if scored is not None:
        _check_texts(pairs, results, read, scored, candidates=candidates and columns.candidate in there)
    if not read.extra:
        return ""
    few = "one pair that is" if read.extra == 1 else f"{read.extra:,} pairs that are"
    return f"{pairs} holds {few} not in {results.path}; if these were scored too, the results are incomplete"


def _names(pairs: Path, columns: Columns) -> Collection[str]:
    """Those of the columns that a file has, by its first row."""
    head = next(read_records(pairs, (), columns.required), None)
    if head is None:
        raise InputError(str(pairs), "holds no pairs", remedy=_SCORED_FILE)
    return head.fields.keys()


@define
class _Read:
    """Counts of a file of pairs: rows in the results and not in them, and the fingerprint of the former's reports."""

    found: int = 0
    extra: int = 0
    unreadable: int = 0
    fingerprint: Fingerprint = field(factory=Fingerprint)


def _read(pairs: Path, columns: Columns | None, id_column: str, there: Collection[str], results: ScoredFile) -> _Read:
    """Goes through the file once; without ``columns`` only through its ids."""
    known, bad, seen = set(results.ids), set(results.bad), set[str]()
    rows = _ids(pairs, id_column) if columns is None else _rows(pairs, columns, there)
    read = _Read()
    for number, row in enumerate(rows, start=1):
        if row.id in seen:
            remedy = "each id must belong to one pair"
            raise InputError(str(pairs), "its id is also that of a row before", row=number, remedy=remedy)
        seen.add(row.id)
        if row.id not in known:
            read.extra += 1
            continue
        read.found += 1
        if row.id not in bad:
            if isinstance(row, ReportPair):
                read.fingerprint += Fingerprint.of([row])
            else:
                read.unreadable += 1
    return read


def _rows(pairs: Path, columns: Columns, there: Collection[str]) -> Iterator[Row]:
    """The pairs; where there are no candidates, with empty ones."""
    if columns.candidate in there:
        yield from read_pairs(pairs, columns=columns, on_error="skip")
        return
    seen = SeenIds()
    for record in with_ids(read_records(pairs, (columns.reference,), (columns.id,)), columns.id):
        yield read_row(evolve(record, fields={**record.fields, columns.candidate: ""}), columns, seen)


def _ids(pairs: Path, column: str) -> Iterator[Row]:
    for record in with_ids(read_records(pairs, (), (column,)), column):
        try:
            name = identifier(record.fields.get(column), column)
        except RowError:
            name = f"row-{record.row}"
        yield BadRow(record.row, name, "its reports were not read")


def _check_ids(pairs: Path, results: ScoredFile, found: int, *, numbered: bool) -> None:
    missing = len(results.ids) - found
    if not missing:
        return
    few = "none" if not found else f"{found:,} alone"
    why = "; it has no column of ids, so that the numbers of its rows are its ids" if numbered else ""
    problem = f"holds {few} of the {len(results.ids):,} pairs that are in {results.path}{why}"
    raise InputError(str(pairs), problem, remedy=_SCORED_FILE)


def _check_texts(pairs: Path, results: ScoredFile, read: _Read, scored: Fingerprint, *, candidates: bool) -> None:
    if read.unreadable and not candidates:
        return  # of another system, whose report may be missing where this one's is not
    if read.fingerprint.references != scored.references:
        problem = f"has different reports under the same ids from those that {results.path} was made of"
        raise InputError(str(pairs), problem, remedy=_SCORED_FILE)
    if candidates and read.fingerprint.texts != scored.texts:
        problem = f"has different candidates from those that {results.path} was made of"
        raise InputError(str(pairs), problem, remedy=f"{_SCORED_FILE}; give the pairs of the first system first")
