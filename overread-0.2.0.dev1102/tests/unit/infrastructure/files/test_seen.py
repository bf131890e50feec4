"""Ids that were met before."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from overread.infrastructure.files.seen import SeenIds


@given(st.lists(st.tuples(st.text(max_size=3), st.integers(1, 2**32 - 1)), max_size=40))
def test_it_knows_what_a_dictionary_knows(pairs: list[tuple[str, int]]) -> None:
    """Also when a row is replaced."""
    seen, known = SeenIds(), dict[str, int]()
    for name, row in pairs:
        assert (name in seen) == (name in known)
        seen[name] = known[name] = row
    assert {name: seen[name] for name in known} == known


def test_it_grows_and_stays_small() -> None:
    """100,000 ids in less than 40 bytes each, wherever they end up."""
    seen = SeenIds()
    for row in range(1, 100_001):
        seen[f"study-{row}"] = row
    assert all(seen[f"study-{row}"] == row for row in range(1, 100_001))
    assert "study-100001" not in seen
    assert sum(sys.getsizeof(part) for part in (seen._hashes, seen._rows)) < 40 * 100_000
