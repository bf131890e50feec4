"""Files of rated pairs, for fitting RaTEScore's table: pairs with the grade, or the errors, that people gave them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from overread.application.training.fit_ratescore import RatedPair
from overread.domain.report import ReportPair
from overread.infrastructure.datasets.training_pairs.annotated import read_annotated
from overread.infrastructure.datasets.training_pairs.labelled import study_of
from overread.infrastructure.files.cells import RowError, finite_number, is_missing
from overread.infrastructure.files.tables import Columns

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

    def rated(pair: ReportPair, fields: Mapping[str, Any]) -> RatedPair:
        return RatedPair(pair=pair, rating=_rating(fields.get(rating), rating), study=_study(fields))

    return read_annotated(Path(path), (rating,), rated, optional=(*_COLUMNS.optional, _STUDY))


def _study(fields: Mapping[str, Any]) -> str:
    value = fields.get(_STUDY)
    return "" if is_missing(value) or (isinstance(value, str) and not value.strip()) else study_of(fields)


def _rating(value: object, column: str) -> float:
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        raise RowError(f"{column} is missing")
    return finite_number(value, column)
