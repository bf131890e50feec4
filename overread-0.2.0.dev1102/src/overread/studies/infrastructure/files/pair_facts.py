"""Facts that a file of pairs holds besides the reports: study, and the columns that tell kinds of pairs apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

from overread.domain.reports.report import ReportPair
from overread.exceptions import InputError
from overread.infrastructure.files.tables import read_pairs, with_ids
from overread.studies.application.comparison import PairFacts
from overread.tables.cells import RowError, identifier, is_missing, words
from overread.tables.records import Record, read_records

__all__ = ["check_same_pairs", "read_pair_facts", "read_pairs_of"]

_ID: Final = "id"
_STUDY = "study"
_COMPARED: Final = ("reference", "candidate", _STUDY)
_LONGEST_KIND = 60
_MOST_KINDS = 100


def read_pair_facts(path: Path | str, by: Sequence[str] = (), *, id_column: str = _ID) -> PairFacts:
    """The study of each pair, and its kind by some columns; no report is kept.

    A pair without a study is one of its own. Without a column study each pair is.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson (each also gzipped) or .parquet; without a column id, the numbers of its rows
            are the ids, as of `read_pairs`.
        by: columns of kinds, for example the generator.
        id_column: with the ids.

    Raises:
        InputError: if the file cannot be read, holds no row or lacks a column; and at a row whose id or kind cannot be
            used, or that is of the 101st kind. A kind of more than 60 characters is taken for a report, and not shown.
    """
    path = Path(path)
    studies: dict[str, str] = {}
    strata: dict[str, dict[str, str]] = {column: {} for column in by}
    kinds: dict[str, str] = {}
    kinds_by_column: dict[str, set[str]] = {column: set() for column in by}
    records = read_records(path, by, (id_column, _STUDY), remedy="`by` names a column of `pairs`")
    empty = True
    for record in with_ids(records, id_column):
        empty = False
        try:
            name = _name(record, id_column)
            study = words(record.fields.get(_STUDY), _STUDY)
            if study is not None:
                studies[name] = kinds.setdefault(study, study)
            for column in by:
                kind = _kind(record.fields.get(column), column)
                strata[column][name] = kinds.setdefault(kind, kind)
                _count(kinds_by_column[column], kind, column)
        except RowError as error:
            raise InputError(str(path), str(error), row=record.row) from None
    if empty:
        raise InputError(str(path), "holds no pairs", remedy="it has only a header; add a row for each pair")
    return PairFacts(studies=studies, strata=strata)


def check_same_pairs(first: Path | str, second: Path | str, *, candidates: bool = False) -> None:
    """Makes sure that two files of pairs mean the same ones by the same ids.

    White space does not count. A column that either file lacks, or a cell that either leaves empty, is not compared.

    Args:
        first: as of `read_pair_facts`.
        second: the same.
        candidates: whether the candidates must be the same too, beside references and studies.

    Raises:
        InputError: if a file cannot be read, or they have no id in common; and if anything differs, with how many pairs
            and the row of one.
    """
    columns = tuple(column for column in _COMPARED if candidates or column != "candidate")
    known = {_name(record): _digests(record, columns) for record in _readable(first, columns)}
    shared, differing = 0, dict.fromkeys(columns, 0)
    example = 0
    for record in _readable(second, columns):
        name = _name(record)
        if name not in known:
            continue
        shared += 1
        for column, one, other in zip(columns, known[name], _digests(record, columns), strict=True):
            if one and other and one != other:
                differing[column] += 1
                example = example or record.row
    if not shared:
        raise InputError(
            str(second), f"has no id in common with {first}", remedy="both must name the same pairs by their ids"
        )
    if example:
        differences = " and ".join(f"another {column} for {count}" for column, count in differing.items() if count)
        problem = f"has {differences} of the {shared} ids that are in {first} too, that of row {example} among them"
        remedy = "an id must be the same study and reference in both"
        if candidates:
            remedy = "metrics are compared over the same reports; two systems are compared with `of=systems`"
        raise InputError(str(second), problem, remedy=remedy)


def read_pairs_of(path: Path | str, ids: Iterable[str]) -> dict[str, ReportPair]:
    """The pairs of some ids with their reports; those that the file lacks are left out.

    Raises:
        InputError: if the file cannot be read or lacks a column.
    """
    wanted = set(ids)
    return {
        row.id: row for row in read_pairs(path, on_error="skip") if isinstance(row, ReportPair) and row.id in wanted
    }


def _readable(path: Path | str, columns: Sequence[str]) -> Iterable[Record]:
    """Rows whose ids can be used; what is wrong with others is told where they are needed."""
    for record in with_ids(read_records(Path(path), (), ("id", *columns))):
        try:
            _name(record)
        except RowError:
            continue
        yield record


def _digests(record: Record, columns: Sequence[str]) -> tuple[bytes, ...]:
    """Digest of each column's content, in 8 bytes; empty where there is none."""
    digests = []
    for column in columns:
        value = record.fields.get(column)
        cell = "" if is_missing(value) else " ".join(str(value).split())
        digests.append(blake2b(cell.encode(errors="surrogatepass"), digest_size=8).digest() if cell else b"")
    return tuple(digests)


def _name(record: Record, column: str = _ID) -> str:
    if record.problem:
        raise RowError(record.problem)
    return identifier(record.fields.get(column), column)


def _count(found: set[str], kind: str, column: str) -> None:
    found.add(kind)
    if len(found) > _MOST_KINDS:
        raise RowError(f"{column} has more than {_MOST_KINDS} kinds; name a column with fewer")


def _kind(value: object, column: str) -> str:
    if is_missing(value):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    kind = words(value, column) or ""
    if len(kind) > _LONGEST_KIND or not kind.isprintable():
        raise RowError(f"{column} is longer than {_LONGEST_KIND} characters, so it is not a kind of pair")
    return kind
