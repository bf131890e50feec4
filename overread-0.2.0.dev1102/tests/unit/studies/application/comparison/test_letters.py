"""Letters that two items share if and only if they do not differ."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.studies.application.comparison import significance_letters


@pytest.mark.parametrize(
    ("count", "different", "letters"),
    [
        (0, [], []),
        (1, [], ["a"]),
        (3, [], ["a", "a", "a"]),
        (3, [(0, 1), (0, 2), (1, 2)], ["a", "b", "c"]),
        (3, [(2, 0)], ["a", "ab", "b"]),
        (4, [(0, 2), (0, 3), (1, 3)], ["a", "ab", "bc", "c"]),
        (4, [(0, 1), (2, 3)], ["ab", "cd", "ac", "bd"]),
    ],
)
def test_worked_by_hand(count: int, different: list[tuple[int, int]], letters: list[str]) -> None:
    """Chains and crossings of differences need letters that overlap."""
    assert significance_letters(count, different) == letters


@given(st.data())
def test_items_share_a_letter_if_and_only_if_they_do_not_differ(data: st.DataObject) -> None:
    """Whatever differs, the letters tell that and no more."""
    count = data.draw(st.integers(1, 9))
    twos = list(combinations(range(count), 2))
    different = data.draw(st.sets(st.sampled_from(twos))) if twos else set()
    letters = significance_letters(count, different)
    assert all(letters)
    for first, second in twos:
        shared = set(letters[first]) & set(letters[second])
        assert bool(shared) == ((first, second) not in different)


@given(st.sets(st.sampled_from(list(combinations(range(7), 2)))))
def test_no_letter_can_be_spared(different: set[tuple[int, int]]) -> None:
    """Without any one of the letters, two items that do not differ would share none, or an item have none."""
    letters = [set(found) for found in significance_letters(7, different)]
    alike = [two for two in combinations(range(7), 2) if two not in different]
    for letter in set().union(*letters):
        left = [found - {letter} for found in letters]
        assert not all(left) or any(not left[first] & left[second] for first, second in alike)


def test_the_first_item_has_an_a() -> None:
    """The best system begins the alphabet."""
    assert significance_letters(5, [(0, 1), (0, 4)])[0].startswith("a")
