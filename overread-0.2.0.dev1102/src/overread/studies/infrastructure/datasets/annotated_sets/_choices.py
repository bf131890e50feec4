"""Radiologists' statements on two candidates, as tables hold them: choices, confidences and ratings, by rater."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from attrs import frozen

from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets._files import Row, TableFile, plain
from overread.studies.infrastructure.datasets.annotated_sets._rows import to_number
from overread.tables.cells import is_blank, type_words

__all__ = [
    "ALONE",
    "CHOICE",
    "CONFIDENCE",
    "SIDES",
    "SIDE_WORDS",
    "SaidColumn",
    "by_rater",
    "check_codes",
    "finite_or_nan",
    "said_columns",
    "to_vote",
]

SIDES: Final = ("a", "b")
"""The first and the second candidate."""

SIDE_WORDS: Final[Mapping[str, str]] = {"a": "a", "first": "a", "left": "a", "b": "b", "second": "b", "right": "b"}
"""Words for the candidates."""

CHOICE: Final = "choice"
CONFIDENCE: Final = "confidence"
_RATING: Final = "rating"
_ROLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("choice", "choices", "preference", "preferences", "preferred", "vote", "votes", "winner"), CHOICE),
    **dict.fromkeys(("confidence", "confidences", "conf", "certainty"), CONFIDENCE),
    **dict.fromkeys(("rating", "ratings", "grade", "grades"), _RATING),
}
_FILLERS: Final = frozenset({"candidate", "report", "rater", "radiologist", "reader", "annotator", "of", "by"})
_CHOICES: Final[Mapping[str, float]] = {
    **dict.fromkeys(("a", "left", "first", "candidatea", "reporta", "candidate1", "report1"), 1.0),
    **dict.fromkeys(("b", "right", "second", "candidateb", "reportb", "candidate2", "report2"), -1.0),
    **dict.fromkeys(("tie", "tied", "equal", "same", "neither", "both", "nopreference"), 0.0),
}
_CODES: Final[Mapping[float, float]] = {1.0: 1.0, 2.0: -1.0, -1.0: -1.0, 0.0: 0.0}
ALONE: Final = "1"
"""Name of a rater who is not named."""


@frozen
class SaidColumn:
    """Content of a column: choices, confidences, or ratings of one side; of one rater, or a list over raters."""

    role: str
    side: str
    rater: str


def said_columns(table: TableFile, taken: Collection[str]) -> dict[str, SaidColumn]:
    """Content of each column that holds what a radiologist said; columns in ``taken`` hold something else.

    Raises:
        InputError: if there are none, or two hold the same.
    """
    meanings = {name: _meaning(name) for name in table.names if name not in taken}
    columns = {name: column for name, column in meanings.items() if column is not None}
    if len(set(columns.values())) < len(columns):
        names = ", ".join(columns)
        raise InputError(str(table.path), f"two columns say the same of one rater, among {names}", remedy="rename one")
    if not any(column.role != CONFIDENCE for column in columns.values()):
        remedy = "name the column choice, or choice_1, choice_2 and so on"
        raise InputError(str(table.path), "has neither choices nor ratings", remedy=remedy)
    return columns


def _meaning(name: str) -> SaidColumn | None:
    words = plain(name).split("_")
    roles = [word for word in words if word in _ROLES]
    if len(roles) != 1:
        return None
    role = _ROLES[roles[0]]
    words.remove(roles[0])
    side = ""
    if role == _RATING:
        sides = [word for word in words if word in SIDE_WORDS]
        if len(sides) != 1:
            return None
        side = SIDE_WORDS[sides[0]]
        words.remove(sides[0])
    who = "_".join(word for word in words if word not in _FILLERS)
    return SaidColumn(role, side, re.sub(r"^(rater|radiologist|reader|annotator)(?=\w)", "", who))


def by_rater(row: Row, name: str, column: SaidColumn) -> Iterator[tuple[str, Any]]:
    """The raters of a cell and what each said: one, or in JSON all in a list or an object."""
    value = row.cells.get(name)
    if isinstance(value, list):
        yield from ((str(place), entry) for place, entry in enumerate(value, start=1))
    elif isinstance(value, dict):
        yield from ((str(who), entry) for who, entry in value.items())
    else:
        yield column.rater or ALONE, value


def finite_or_nan(row: Row, value: object, name: str) -> float:
    """A number, NaN where there is none. Raises `InputError` for anything else."""
    return math.nan if is_blank(value) else to_number(row, value, name)


def to_vote(row: Row, value: object, name: str, codes: set[float]) -> float:
    """1 for A, -1 for B, 0 for neither, NaN where there is no choice.

    Args:
        row: of the cell.
        value: in the cell.
        name: of the column.
        codes: to which a choice that is a number is added, for `check_codes`.

    Raises:
        InputError: if the cell holds no choice.
    """
    if is_blank(value):
        return math.nan
    remedy = "use A, B or tie"
    if isinstance(value, str):
        word = re.sub(r"[\W_]+", "", value).lower()
        if word in _CHOICES:
            return _CHOICES[word]
        if not re.fullmatch(r"\s*-?\d(\.0)?\s*", value):
            raise row.fault(f"{name} is not a known choice", remedy)
    elif isinstance(value, bool):
        raise row.fault(f"{name} is {type_words(value)}, not a choice", remedy)
    code = to_number(row, value, name)
    if code not in _CODES:
        raise row.fault(f"{name} is not a known choice", remedy)
    codes.add(code)
    return _CODES[code]


def check_codes(codes: set[float], table: TableFile) -> None:
    """Raises `InputError` where numbers may count candidates from 0, so that 0 would not be a tie."""
    if 0.0 in codes and not codes & {2.0, -1.0}:
        problem = "has choices of 0 and 1 but none of 2, so that 0 may be the first candidate or a tie"
        raise InputError(str(table.path), problem, remedy="write A, B or tie")
