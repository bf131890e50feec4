"""Cells of a table: ids, reports and what is known of the patient. No message quotes a cell."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Final

from overread.domain.reports.report import age_in_years

__all__ = [
    "RowError",
    "age_years",
    "finite_number",
    "identifier",
    "is_blank",
    "is_missing",
    "report_text",
    "type_words",
    "words",
]

_LONGEST_ID: Final = 200
_LARGEST_EXACT: Final = 2**53 - 1
"""Beyond it a float may stand for another whole number than was written."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_GIVEN: Final = frozenset({"", "___", "XXXX", "<unk>"})
_NO_VALUES: Final = frozenset(
    {"nan", "NaN", "-nan", "-NaN", "NaT", "<NA>", "None", "null", "NULL", "NA", "N/A", "n/a", "#N/A", "#NA", "#N/A N/A"}
)
"""What programs write for a missing cell and pandas reads as one (its ``na_values``). A name may well be NA."""
_TYPE_WORDS: Final = {int: "a number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}


class RowError(Exception):
    """A fault in a row, described without its text.

    Attributes:
        remedy: what to do about it, with which the message then ends; "" where it was not given.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        self.remedy = remedy
        super().__init__(f"{problem}; {remedy}" if remedy else problem)


def identifier(value: object, column: str) -> str:
    """The id: a name, or a number written out."""
    if isinstance(value, float) and abs(value) > _LARGEST_EXACT:
        raise RowError(f"{column} is a decimal number too long to be exact", "write it as text, or as a whole number")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if _is_null(value):
        raise RowError(f"{column} is missing")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RowError(f"{column} is {type_words(value)}, not a name or a number")
    name = str(value)
    if not name.strip():
        raise RowError(f"{column} is empty")
    if len(name) > _LONGEST_ID or not name.isprintable():
        raise RowError(f"{column} is longer than {_LONGEST_ID} characters or has some that cannot be shown")
    return name


def report_text(value: object, column: str) -> str:
    """The report, unchanged; an empty one is a report. NaN is none, nor is "nan" or what else stands for it."""
    if value is None:
        raise RowError(f"{column} is null, as pandas reads an empty cell", "an empty report is an empty text")
    if is_missing(value):
        written = value.strip() if isinstance(value, str) else "NaN"
        problem = f"{column} is {written}, which stands for a missing report"
        raise RowError(problem, "fill it in, leave the row out, or leave the cell empty for an empty report")
    if not isinstance(value, str):
        raise RowError(f"{column} is {type_words(value)}, not text")
    return _clean(value, column)


def _clean(text: str, column: str) -> str:
    if "\0" in text:
        raise RowError(f"{column} holds a NUL byte at character {text.index(chr(0)) + 1}")
    if not text.isascii() and (match := _SURROGATE.search(text)):
        raise RowError(f"{column} holds half a surrogate pair at character {match.start() + 1}")
    return text


def words(value: object, column: str) -> str | None:
    """A remark on the patient, None where it is not given."""
    if is_missing(value):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RowError(f"{column} is {type_words(value)}, not text")
    text = _clean(str(value), column).strip()
    return None if text in _NOT_GIVEN else text


def age_years(value: object, column: str) -> float | None:
    """Age in years; DICOM's "067Y", "018M", "003W" and "010D" are understood, and "67 years"."""
    text = words(value, column)
    try:
        return age_in_years(text)
    except ValueError as error:
        raise RowError(f"{column} is {error}") from None


def finite_number(value: object, column: str) -> float:
    """A number, or a text that is one. What is none is not shown: it may be a report in the wrong column."""
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value.strip()):
            raise RowError(f"{column} is not a number")
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise RowError(f"{column} is {type_words(value)}, not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise RowError(f"{column} is not a finite number")
    return number


def is_missing(value: object) -> bool:
    """Return whether a cell is null, the NaN that some writers put for it, or a word for either, as "nan" or "NA"."""
    return _is_null(value) or (isinstance(value, str) and value.strip() in _NO_VALUES)


def _is_null(value: object) -> bool:
    return value is None or (isinstance(value, float | Decimal) and math.isnan(value))


def is_blank(value: object) -> bool:
    """Return whether a cell is missing, or text without a word."""
    return is_missing(value) or (isinstance(value, str) and not value.strip())


def type_words(value: object) -> str:
    """The type of a value in words."""
    return _TYPE_WORDS.get(type(value), f"of type {type(value).__name__}")
