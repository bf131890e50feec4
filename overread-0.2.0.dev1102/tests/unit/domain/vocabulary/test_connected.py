"""Things that hang together by what they share."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overread.domain.vocabulary.connected import group_connected


@given(st.lists(st.lists(st.integers(0, 8), min_size=1, max_size=3).map(tuple), max_size=12))
def test_groups_share_no_name_and_hold_together(things: list[tuple[int, ...]]) -> None:
    """Every thing is in one group; groups have no name in common, and none can be parted."""
    groups = group_connected(things, lambda thing: thing)
    assert sorted(thing for group in groups for thing in group) == sorted(things)
    names = [{name for thing in group for name in thing} for group in groups]
    assert sum(map(len, names)) == len(set().union(*names))
    for group in groups:
        reached = set(group[0])
        for _ in group:
            reached |= {name for thing in group if reached & set(thing) for name in thing}
        assert all(reached & set(thing) for thing in group)
