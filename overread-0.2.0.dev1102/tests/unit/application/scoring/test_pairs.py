"""Rows that hold no pair: named all together, or left in their places."""

from __future__ import annotations

import pytest

from overread.application.scoring.corpus import BadRow, Row
from overread.application.scoring.pairs import checked_rows
from overread.exceptions import ConfigurationError, InputError

from ..fakes import pair


def rows(*bad: int, total: int) -> list[Row]:
    return [
        BadRow(number, f"case-{number}", f"problem {number}") if number in bad else pair(f"case-{number}", "a", "b")
        for number in range(1, total + 1)
    ]


def test_a_single_bad_row_is_told_as_a_row_of_a_file_is() -> None:
    """With its number, what is wrong, and how to go on without it."""
    with pytest.raises(InputError, match=r"^pairs, row 2: problem 2 \(on_error=") as told:
        checked_rows(rows(2, total=3), "fail")
    assert (told.value.row, told.value.rows) == (2, (2,))


def test_every_bad_row_is_named() -> None:
    """The first five with what is wrong, all of them by number."""
    bad = (2, 3, 5, 7, 8, 9, 11)
    with pytest.raises(InputError, match="7 of 12 rows are bad: row 2: problem 2; row 3") as told:
        checked_rows(rows(*bad, total=12), "fail")
    assert told.value.rows == bad
    assert "row 8: problem 8; and 2 more" in str(told.value)


def test_bad_rows_may_keep_their_places() -> None:
    """Nothing is left out or moved."""
    given = rows(1, 3, total=4)
    assert checked_rows(given, "skip") is given


def test_a_third_way_there_is_not() -> None:
    """A mistyped choice is told where it would decide."""
    with pytest.raises(ConfigurationError, match="on_error must be fail or skip, not 'ignore'"):
        checked_rows(rows(1, total=1), "ignore")
