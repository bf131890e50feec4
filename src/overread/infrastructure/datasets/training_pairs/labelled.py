"""Files of labelled pairs, for fitting a readout: pairs with the errors that people counted in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from overread.application.training.fit_readout import LabelledPair
from overread.domain.readout import TARGETS
from overread.domain.report import ReportPair
from overread.infrastructure.datasets.training_pairs.annotated import read_annotated
from overread.infrastructure.files.cells import RowError, finite_number, identifier, is_missing
from overread.infrastructure.files.tables import Columns

__all__ = ["error_count", "read_labelled", "study_of"]

_STUDY: Final = "study"
_STYLE: Final = "style"
_COLUMNS: Final = Columns()


def read_labelled(path: Path | str) -> list[LabelledPair]:
    """The labelled pairs of a file, in order.

    The columns are id, study, reference, candidate, total, significant and insignificant; those of the clinical
    context and the style of the reports are used where they are there. Counts may be fractions, as means of several
    readers are.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson (each also gzipped) or .parquet.

    Raises:
        InputError: if the file cannot be read, lacks a column or holds no pair, and at the first row that lacks a
            report, a study or a count, repeats an id, or has a count that is no number or a negative one.
    """
    return read_annotated(Path(path), (_STUDY, *TARGETS), _labelled, optional=(*_COLUMNS.optional, _STYLE))


def _labelled(pair: ReportPair, fields: Mapping[str, Any]) -> LabelledPair:
    counts = {target: error_count(fields.get(target), target) for target in TARGETS}
    return LabelledPair(pair=pair, study=study_of(fields), style=_style(fields), **counts)


def study_of(fields: Mapping[str, Any]) -> str:
    """The study of a row. Raises `RowError` where it has none."""
    try:
        return identifier(fields.get(_STUDY))
    except RowError as error:
        raise RowError(f"{_STUDY} {error}") from None


def _style(fields: Mapping[str, Any]) -> str:
    value = fields.get(_STYLE)
    return value.strip() if isinstance(value, str) else ""


_MOST_ERRORS: Final = 1e6


def error_count(value: object, column: str) -> float:
    """A number of errors, 0 or more, maybe a fraction. Raises `RowError` for anything else."""
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        raise RowError(f"{column} is missing")
    number = finite_number(value, column)
    if number < 0:
        raise RowError(f"{column} is negative; it is a number of errors")
    if number > _MOST_ERRORS:
        raise RowError(f"{column} is more than {_MOST_ERRORS:,.0f}; it is a number of errors")
    return number
