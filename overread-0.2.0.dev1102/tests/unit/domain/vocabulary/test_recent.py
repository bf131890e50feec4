"""A memory that holds no more than it is told to."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.vocabulary.recent import Recent


@given(limit=st.integers(1, 9), keys=st.lists(st.integers(0, 30)))
def test_it_holds_the_latest_and_no_more_than_its_limit(limit: int, keys: list[int]) -> None:
    """However much it is given, it holds what came last, at most as much as it may, and tells it truly."""
    memory: Recent[int, int] = Recent(limit)
    for key in keys:
        assert memory.keep(key, key * key) == key * key
        assert len(memory) <= limit
        assert memory.get(key) == key * key
    assert all(value == key * key for key, value in memory.items())


def test_what_is_full_forgets_the_older_half() -> None:
    """Room is made for many at once, so that to make it costs little an entry; what came lately stays."""
    memory: Recent[int, int] = Recent(4)
    for key in range(5):
        memory.keep(key, key)
    assert list(memory) == [2, 3, 4]


def test_what_is_known_takes_no_room() -> None:
    """To keep a known key again forgets nothing."""
    memory: Recent[str, int] = Recent(2)
    for key, value in (("a", 1), ("b", 2), ("a", 3)):
        memory.keep(key, value)
    assert memory == {"a": 3, "b": 2}


def test_without_room_it_is_not_made() -> None:
    """A memory that may hold nothing is a mistake of whoever makes it."""
    with pytest.raises(ValueError, match="limit must be 1 or more"):
        Recent(0)


def test_it_travels() -> None:
    """A copy in another process knows the same and has the same limit."""
    memory: Recent[str, int] = Recent(3)
    memory.keep("a", 1)
    twin = pickle.loads(pickle.dumps(memory))  # noqa: S301 - our own bytes
    assert (twin, twin.limit) == (memory, 3)
