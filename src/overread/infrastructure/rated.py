"""Files of rated pairs, for fitting RaTEScore's table: pairs with the grade, or the errors, that people gave them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Final

from overread.application.corpus import BadRow
from overread.application.fit_ratescore import RatedPair
from overread.exceptions import InputError
from overread.infrastructure.cells import RowError, identifier, is_missing, type_words
from overread.infrastructure.records import Record, read_records
from overread.infrastructure.tables import Columns, read_row

__all__ = ["read_rated"]

_STUDY: Final = "study"
_COLUMNS: Final = Columns()


def read_rated(path: Path | str, *, rating: str = "rating") -> list[RatedPair]:
    """The rated pairs of a file, in order.

    The columns are id, reference, candidate and the rating's; study, which keeps pairs together, is used where it is
    there. A rating is any number, a grade or a count of errors.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson (each also gzipped) or .parquet.
        rating: name of the rating's column.

    Raises:
        InputError: if the file cannot be read, lacks a column or holds no pair, and at the first row that lacks a
            report or a rating, repeats an id, or has a rating that is no finite number.
    """
    path = Path(path)
    required = (*_COLUMNS.required, rating)
    remedy = f"the columns must be named {', '.join(required)}"
    rated = list(_rated(path, read_records(path, required, (*_COLUMNS.optional, _STUDY), remedy=remedy), rating))
    if not rated:
        raise InputError(str(path), "holds no pairs")
    return rated


def _rated(path: Path, records: Iterator[Record], column: str) -> Iterator[RatedPair]:
    seen: dict[str, int] = {}
    for record in records:
        pair = read_row(record, _COLUMNS, seen)
        if isinstance(pair, BadRow):
            raise InputError(str(path), pair.problem, row=record.row)
        try:
            yield RatedPair(
                pair=pair, rating=_rating(record.fields.get(column), column), study=_study(record.fields.get(_STUDY))
            )
        except RowError as error:
            raise InputError(str(path), str(error), row=record.row) from None


def _study(value: object) -> str:
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        return ""
    try:
        return identifier(value)
    except RowError as error:
        raise RowError(f"{_STUDY} {error}") from None


def _rating(value: object, column: str) -> float:
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        raise RowError(f"{column} is missing")
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise RowError(f"{column} is {type_words(value)}, not a number")
    try:
        number = float(value)
    except ValueError:
        # What is no number may be a report in the wrong column: it is not shown.
        raise RowError(f"{column} is not a number") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise RowError(f"{column} is not a finite number")
    return number
