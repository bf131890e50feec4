"""Grades and counts of errors as RaTE-Eval's tables hold them: one for a pair, or one for each radiologist."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from overread.studies.infrastructure.datasets.annotated_sets._files import Row, TableFile, plain
from overread.studies.infrastructure.datasets.annotated_sets._rows import Aliases, number, to_number

__all__ = ["GRADES", "grades_in", "rater_columns"]

GRADES: Final[Aliases] = {
    "rating": ("score", "human_rating", "human_score", "rating_score", "mean", "avg", "average", "human"),
    "ratings": ("scores", "human_ratings", "human_scores"),
    "errors": ("error_count", "total_errors", "num_errors", "total_error"),
    "potential": ("potential_errors", "potential_error", "potential_count", "num_potential_errors"),
}
_WHO: Final = r"(?:rater|radiologist|reader|annotator|doctor)_?(?P<who>\d{1,2})"
_PER_RATER: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<what>rating|score)_?(?P<who>\d{1,2})",
        rf"(?P<what>rating|score|errors|potential)_{_WHO}",
        rf"{_WHO}(?:_(?P<what>rating|score|errors|potential))?",
    )
)
_BEST: Final = 5.0
_MEAN: Final = "mean"


def rater_columns(table: TableFile) -> dict[str, tuple[str, str]]:
    """Columns of a single radiologist: who and what, "rating", "errors" or "potential", by name of the column."""
    columns = {}
    for name in table.names:
        match = next(filter(None, (pattern.fullmatch(plain(name)) for pattern in _PER_RATER)), None)
        if match:
            what = match["what"] or "rating"
            columns[name] = (f"radiologist {int(match['who'])}", "rating" if what == "score" else what)
    return columns


def grades_in(
    row: Row, by_rater: Mapping[str, tuple[str, str]], level: str, sentence_grades: str
) -> tuple[dict[str, float], dict[str, float]]:
    """Grade and number of errors by rater; a grade is NaN where there is none, or nothing to divide by.

    Args:
        row: with the columns of `GRADES` and those of ``by_rater``.
        by_rater: of `rater_columns`.
        level: "sentence", of which a grade is 1 less errors per potential error, or "paragraph".
        sentence_grades: whether a rating of a sentence is a share of "errors", or "quality", 1 less that.

    Raises:
        InputError: if a number is none, or out of its range.
    """
    given = {(who, what): number(row, column) for column, (who, what) in by_rater.items()}
    if not given:
        listed = _listed_grades(row)
        given = {(f"radiologist {place}", "rating"): grade for place, grade in enumerate(listed, start=1)}
    if not given:
        given = {(_MEAN, what): number(row, what) for what in ("rating", "errors", "potential")}
    grades: dict[str, float] = {}
    errors: dict[str, float] = {}
    shared = number(row, "potential")
    for who in dict.fromkeys(who for who, _ in given):
        count = given.get((who, "errors"), math.nan)
        if math.isfinite(count):
            _check_range(row, count, "errors", math.inf)
            errors[who] = count
        potential = given.get((who, "potential"), shared)
        rating = given.get((who, "rating"), math.nan)
        if level == "paragraph":
            _check_range(row, rating, "rating", _BEST)
            grades[who] = rating
        elif math.isfinite(count) and math.isfinite(potential):
            _check_range(row, potential, "potential", math.inf)
            grades[who] = 1.0 - count / potential if potential else math.nan
        elif math.isfinite(rating):
            _check_range(row, rating, "rating", math.inf if sentence_grades == "errors" else 1.0)
            grades[who] = 1.0 - rating if sentence_grades == "errors" else rating
        else:
            grades[who] = math.nan
    return grades, errors


def _listed_grades(row: Row) -> list[float]:
    """Grades in a JSON list, one a radiologist, null for none."""
    value = row.cells.get("ratings")
    if value is None:
        return []
    if not isinstance(value, list):
        raise row.fault("ratings is not a list of numbers", "a column of one number is named rating")
    return [math.nan if entry is None else to_number(row, entry, "ratings") for entry in value]


def _check_range(row: Row, value: float, name: str, most: float) -> None:
    if value < 0 or value > most:
        limits = f"0 to {most:g}" if math.isfinite(most) else "0 or more"
        raise row.fault(f"{name} is not {limits}", "is it of another level?")
