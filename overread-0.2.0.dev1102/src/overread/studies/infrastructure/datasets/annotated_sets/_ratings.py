"""Ratings as rows of the generic format hold them: of each rater by place in a list, or by name in a column or row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from overread.domain.vocabulary.json_text import RepeatedKeyError, parse_json
from overread.studies.infrastructure.datasets.annotated_sets._archives import suffix_of
from overread.studies.infrastructure.datasets.annotated_sets._files import Row
from overread.studies.infrastructure.datasets.annotated_sets._rows import to_number
from overread.tables.cells import RowError, identifier, is_missing, type_words

__all__ = ["RATER", "Raters", "numbers", "to_object", "told_name"]

RATER: Final = "rater"
"""Column that says whose the ratings of a row are."""

_CELLS_ARE_TEXT: Final = frozenset({".csv", ".tsv"})


class Raters:
    """The raters: as many as the lists are long, or those who are named.

    Args:
        header: the names that the header gives; without them, every name that comes up is one.
    """

    def __init__(self, header: Sequence[str] = ()) -> None:
        self._header = tuple(header)
        self._places = len(self._header)
        self._found: dict[str, None] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order of the header, of the lists, or of their first appearance."""
        return self._header or tuple(self._found) or _numbered_raters(self._places or 1)

    def by_place(self, row: Row, given: tuple[float, ...], name: str) -> dict[str, float]:
        """A list of ratings by rater."""
        self._places = self._places or len(given)
        if self._found and not self._header:
            raise row.fault(
                f"{name} identifies raters by position, but others are identified by name", "name all of them"
            )
        if len(given) != self._places:
            problem = f"{name} has {len(given)} numbers for {self._places} raters"
            raise row.fault(problem, "write one a rater in the same order, null for none")
        return dict(zip(self.names, given, strict=True))

    def by_name(self, row: Row, rater: str, given: tuple[float, ...] | None, name: str) -> dict[str, float]:
        """A rating of one rater; none of them is a rater all the same."""
        if self._header and rater not in self._header:
            raise row.fault(f"the header does not name {rater} among its raters")
        if self._places and not self._header:
            raise row.fault(f"{name} identifies {rater} by name, but other raters by position", "name all of them")
        self._found[rater] = None
        if given is not None and len(given) != 1:
            raise row.fault(f"{name} has {len(given)} numbers for one rater")
        return {} if given is None else {rater: given[0]}


def numbers(row: Row, value: object, name: str, *, cell: bool = False) -> tuple[float, ...] | None:
    """The numbers of a list or a single one, NaN for null; None where nothing is given.

    Args:
        row: where it stands.
        value: a list, also as JSON, a number or null.
        name: what it is, for messages.
        cell: whether it is a whole cell, which in a CSV is text, a number as well.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _json(row, value, name)
    if isinstance(value, list):
        return tuple(_number(row, entry, name) for entry in value)
    if cell and suffix_of(Path(row.source)) in _CELLS_ARE_TEXT:
        return (to_number(row, value, name),)
    return (_number(row, value, name),)


def to_object(row: Row, value: object, name: str) -> Mapping[str, Any]:
    """An object, or one that a cell of a table holds as JSON; an empty one for an empty cell."""
    if is_missing(value) or value == "":
        return {}
    if isinstance(value, str):
        value = _json(row, value, name)
    if not isinstance(value, Mapping):
        raise row.fault(f"{name} is {type_words(value)}, not an object")
    return value


def told_name(row: Row, name: str) -> str:
    """A key that can be told in messages and tables."""
    try:
        return identifier(name, "a key")
    except RowError as error:
        raise row.fault(str(error)) from None


def _number(row: Row, value: object, name: str) -> float:
    if isinstance(value, str):
        raise row.fault(f"{name} is not a number but text", "write numbers without quotes, null for none")
    return math.nan if value is None else to_number(row, value, name)


def _json(row: Row, text: str, name: str) -> object:
    try:
        return parse_json(text)
    except RepeatedKeyError as error:
        raise row.fault(f"{name}: {error}") from None
    except (ValueError, RecursionError):
        raise row.fault(f"{name} is text that is not valid JSON") from None


def _numbered_raters(number: int) -> tuple[str, ...]:
    return ("people",) if number == 1 else tuple(f"rater {place}" for place in range(1, number + 1))
