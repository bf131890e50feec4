"""Files of pairs with what people said of them: counts of errors, ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from overread.application.scoring.corpus import BadRow
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair
from overread.exceptions import InputError
from overread.infrastructure.files.tables import Columns, read_row
from overread.tables.cells import RowError, finite_number, identifier, is_blank
from overread.tables.records import Record, read_records

__all__ = ["error_count", "read_annotated", "read_counted", "read_rated", "study_of"]

T = TypeVar("T")
Make = Callable[[ReportPair, Mapping[str, Any]], T]
"""What a row comes to; raises `RowError` where a cell cannot be used."""

_COLUMNS: Final = Columns()
_STUDY: Final = "study"
_STYLE: Final = "style"
_MOST_ERRORS: Final = 1e6


def read_counted(path: Path | str, targets: Sequence[str]) -> list[AnnotatedPair]:
    """The pairs of a file with the errors that people counted in them, in order.

    The columns are id, study, reference, candidate and one of counts for each target, for example total, significant
    and insignificant, or A to F for the six categories; those of the clinical context, and the style of the reports,
    are used where they are there. Counts may be fractions, as means of several readers are.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson (each also gzipped) or .parquet.
        targets: names of the columns of counts.

    Raises:
        InputError: if the file cannot be read, lacks a column or holds no pair, and at the first row that lacks a
            report, a study or a count, repeats an id, or has a count that is no number or a negative one.
    """

    def make_counted_pair(pair: ReportPair, fields: Mapping[str, Any]) -> AnnotatedPair:
        ratings = {target: (error_count(fields.get(target), target),) for target in targets}
        return AnnotatedPair(pair=pair, study=study_of(fields), ratings=ratings, strata=_style(fields))

    return read_annotated(Path(path), (_STUDY, *targets), make_counted_pair, optional=(*_COLUMNS.optional, _STYLE))


def read_rated(path: Path | str, *, rating: str = "rating") -> list[AnnotatedPair]:
    """The pairs of a file with the grade, or the errors, that people gave them, in order.

    The columns are id, reference, candidate and the rating's; study, which keeps pairs together, is used where it is
    there. A rating is any number, a grade or a count of errors; its target is called "rating".

    Args:
        path: .csv, .tsv, .jsonl, .ndjson (each also gzipped) or .parquet.
        rating: name of the rating's column.

    Raises:
        InputError: if the file cannot be read, lacks a column or holds no pair, and at the first row that lacks a
            report or a rating, repeats an id, or has a rating that is no finite number.
    """

    def make_rated_pair(pair: ReportPair, fields: Mapping[str, Any]) -> AnnotatedPair:
        study = "" if is_blank(fields.get(_STUDY)) else study_of(fields)
        return AnnotatedPair(pair=pair, study=study, ratings={"rating": (_number(fields.get(rating), rating),)})

    return read_annotated(Path(path), (rating,), make_rated_pair, optional=(*_COLUMNS.optional, _STUDY))


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
    made = list(_make_pairs(path, read_records(path, required, optional, remedy=remedy), make))
    if not made:
        raise InputError(str(path), "holds no pairs")
    return made


def study_of(fields: Mapping[str, Any]) -> str:
    """The study of a row. Raises `RowError` where it has none."""
    return identifier(fields.get(_STUDY), _STUDY)


def error_count(value: object, column: str) -> float:
    """A number of errors, 0 or more, maybe a fraction. Raises `RowError` for anything else."""
    number = _number(value, column)
    if number < 0:
        raise RowError(f"{column} is negative; it is a number of errors")
    if number > _MOST_ERRORS:
        raise RowError(f"{column} is more than {_MOST_ERRORS:,.0f}; it is a number of errors")
    return number


def _make_pairs(path: Path, records: Iterator[Record], make: Make[T]) -> Iterator[T]:
    seen: dict[str, int] = {}
    for record in records:
        pair = read_row(record, _COLUMNS, seen)
        if isinstance(pair, BadRow):
            raise InputError(str(path), pair.problem, row=record.row)
        try:
            yield make(pair, record.fields)
        except RowError as error:
            raise InputError(str(path), str(error), row=record.row) from None


def _style(fields: Mapping[str, Any]) -> dict[str, str]:
    value = fields.get(_STYLE)
    return {_STYLE: value.strip()} if isinstance(value, str) and value.strip() else {}


def _number(value: object, column: str) -> float:
    if is_blank(value):
        raise RowError(f"{column} is missing")
    return finite_number(value, column)
