"""Files of pairs with what people said of them: counts, ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from overread.application.scoring.corpus import BadRow
from overread.domain.report import ReportPair
from overread.exceptions import InputError
from overread.infrastructure.files.cells import RowError
from overread.infrastructure.files.records import Record, read_records
from overread.infrastructure.files.tables import Columns, read_row

__all__ = ["read_annotated"]

T = TypeVar("T")
Make = Callable[[ReportPair, Mapping[str, Any]], T]
"""What a row comes to; raises `RowError` where a cell cannot be used."""

_COLUMNS: Final = Columns()


def read_annotated(path: Path, annotations: Sequence[str], make: Make[T], *, optional: Sequence[str] = ()) -> list[T]:
    """The pairs of a file with their annotations, in order.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson (each also gzipped) or .parquet.
        annotations: columns that must be there beside id, reference and candidate.
        make: turns a pair and its row into the answer.
        optional: columns that are used where they are there.

    Raises:
        InputError: if the file cannot be read, lacks a column or holds no pair, and at the first row that cannot be
            used.
    """
    required = (*_COLUMNS.required, *annotations)
    remedy = f"the columns must be named {', '.join(required)}"
    made = list(_made(path, read_records(path, required, optional, remedy=remedy), make))
    if not made:
        raise InputError(str(path), "holds no pairs")
    return made


def _made(path: Path, records: Iterator[Record], make: Make[T]) -> Iterator[T]:
    seen: dict[str, int] = {}
    for record in records:
        pair = read_row(record, _COLUMNS, seen)
        if isinstance(pair, BadRow):
            raise InputError(str(path), pair.problem, row=record.row)
        try:
            yield make(pair, record.fields)
        except RowError as error:
            raise InputError(str(path), str(error), row=record.row) from None
