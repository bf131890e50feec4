"""Where findings lie, and which places are at odds."""

from __future__ import annotations

import pytest

from overread.domain.vocabulary.anatomy import FIRST_RIB, Place


def _place(*labels: str) -> Place:
    return Place.of(frozenset(labels))


@pytest.mark.parametrize(
    ("anatomy", "name"),
    [([], ""), (["base"], ""), (["left", "base"], "left"), (["right"], "right"), (["left", "right"], "both")],
)
def test_the_side_a_place_names(anatomy: list[str], name: str) -> None:
    """Left, right, both, or none."""
    assert _place(*anatomy).side == name


def test_sides_are_gathered_over_places() -> None:
    """The sides of several places are those any of them names."""
    assert Place.joined([_place("left", "base"), _place("right"), _place()]).sides == {"left", "right"}
    assert Place.joined([]).sides == frozenset()


@pytest.mark.parametrize(
    ("a", "b", "conflict"),
    [
        (["left"], ["right"], True),
        (["left"], ["left"], False),
        (["left"], [], False),
        ([], [], False),
        (["left"], ["left", "right"], False),
    ],
)
def test_sides_conflict_only_if_both_are_named(a: list[str], b: list[str], *, conflict: bool) -> None:
    """A side left open conflicts with none, and both sides hold either."""
    assert _place(*a).is_across_from(_place(*b)) is conflict


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ({"upper_lobe"}, {"apex"}, 0),
        ({"upper_lobe"}, {"mid_zone"}, 1),
        ({"apex"}, {"base"}, 2),
        ({"upper_lobe", "lower_lobe"}, {"base"}, 0),
        ({"lower_lobe"}, {"left"}, 0),
        (set(), set(), 0),
    ],
)
def test_zones_lie_as_far_apart_as_their_heights(a: set[str], b: set[str], distance: int) -> None:
    """The nearest two zones count, and a place that is no zone is near everything."""
    assert _place(*a).heights_apart(_place(*b)) == _place(*b).heights_apart(_place(*a)) == distance


@pytest.mark.parametrize(
    ("a", "b", "opposite"),
    [
        (["anterior"], ["posterior"], True),
        (["anterior", "posterior"], ["posterior"], False),
        (["anterior"], ["lateral"], False),
    ],
)
def test_front_and_back_are_opposite(a: list[str], b: list[str], *, opposite: bool) -> None:
    """A place in front is opposite to one behind only if it names nothing of it."""
    assert _place(*a).is_opposite_in_depth(_place(*b)) is opposite


def test_vertebrae_count_from_the_neck_and_ribs_apart_from_them() -> None:
    """C1 is 1, L5 is 24, and ribs have numbers of their own."""
    assert _place("c1", "t1", "l5").levels == {1, 8, 24}
    assert _place("rib_1", "rib_12").levels == {FIRST_RIB, FIRST_RIB + 11}
