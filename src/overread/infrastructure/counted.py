"""Files of pairs with the errors of each category, for training an error counter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from overread.application.corpus import BadRow
from overread.application.counting import CountedPair
from overread.exceptions import InputError
from overread.infrastructure.cells import RowError
from overread.infrastructure.labelled import error_count, study_of
from overread.infrastructure.records import Record, read_records
from overread.infrastructure.tables import Columns, read_row

__all__ = ["read_counted"]

_COLUMNS: Final = Columns()


def read_counted(path: Path | str, heads: Sequence[str]) -> list[CountedPair]:
    """The pairs of a file with their errors, in order.

    The columns are id, study, reference, candidate, and one of counts for each of ``heads``: A to F for the six
    categories, or total, or significant and insignificant. Counts may be fractions.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson (each also gzipped) or .parquet.
        heads: names of the columns of counts.

    Raises:
        InputError: if the file cannot be read, lacks a column or holds no pair, and at the first row that lacks a
            report, a study or a count, repeats an id, or has a count that is no number or a negative one.
    """
    path = Path(path)
    required = (*_COLUMNS.required, "study", *heads)
    records = read_records(path, required, (), remedy=f"the columns must be named {', '.join(required)}")
    counted = list(_counted(path, records, heads))
    if not counted:
        raise InputError(str(path), "holds no pairs")
    return counted


def _counted(path: Path, records: Iterator[Record], heads: Sequence[str]) -> Iterator[CountedPair]:
    seen: dict[str, int] = {}
    for record in records:
        pair = read_row(record, _COLUMNS, seen)
        if isinstance(pair, BadRow):
            raise InputError(str(path), pair.problem, row=record.row)
        try:
            counts = {head: error_count(record.fields.get(head), head) for head in heads}
            yield CountedPair(pair=pair, study=study_of(record.fields), counts=counts)
        except RowError as error:
            raise InputError(str(path), str(error), row=record.row) from None
