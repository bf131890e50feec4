"""The comparison that Python callers reach."""

from __future__ import annotations

from typing import Any

import pytest

import overread
from overread.application.statistics.tabulation import Table, Tabulation
from overread.exceptions import InputError, NotFoundError


@pytest.mark.parametrize(
    ("first", "names", "told"),
    [([], ("a",), "names: are not those of two"), ([], "ab", "names"), ("a.jsonl", ("a", "b"), "overread.score_many")],
)
def test_a_comparison_of_what_is_no_two_systems_says_what_to_give(first: Any, names: Any, told: str) -> None:
    """Before anything is read of them."""
    with pytest.raises(InputError, match=told):
        overread.compare(first, [], names=names)


def test_a_table_that_there_is_not_is_told_with_those_there_are() -> None:
    """The repr names them, too, and not their cells."""
    table = Table(name="wins", title="Wins", columns=(), rows=(("cell",),))
    found = Tabulation(name="study", title="Study", tables=(table,))
    with pytest.raises(NotFoundError, match="choose from wins"):
        found.table("nope")
    assert "wins" in repr(found)
    assert "cell" not in repr(found)
