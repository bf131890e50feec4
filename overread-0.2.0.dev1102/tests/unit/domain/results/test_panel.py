"""A panel's verdict, against numbers worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.results.panel import DISAGREEMENT, PanelMember, PanelTable


def table(**weights: float) -> PanelTable:
    """Members whose score from 0 to 4 is a rating from 1 to 5."""
    members = {name: PanelMember(weight=w, scores=(0.0, 4.0), ratings=(1.0, 5.0)) for name, w in weights.items()}
    return PanelTable(name="try", members=members)


def test_a_score_between_two_known_ones_stands_for_a_rating_between_theirs() -> None:
    """A quarter of the way from 2 to 4 is 2.5; beyond the ends the end's rating holds."""
    member = PanelMember(weight=1.0, scores=(0.0, 1.0, 2.0), ratings=(5.0, 4.0, 2.0))
    assert [member.rating(score) for score in (-1.0, 0.5, 1.75, 9.0)] == [5.0, 4.5, 2.5, 2.0]


def test_the_verdict_is_the_weighted_mean_and_deviation() -> None:
    """Ratings 2 and 4 with weights 3 and 1: mean 2.5, variance (3 x 0.25 + 2.25) / 4 = 0.75."""
    verdict, opinions = table(a=3.0, b=1.0).verdict({"a": 1.0, "b": 3.0})
    assert verdict.rating == pytest.approx(2.5)
    assert verdict.spread == pytest.approx(math.sqrt(0.75))
    assert {name: opinion.rating for name, opinion in opinions.items()} == {"a": 2.0, "b": 4.0}
    assert verdict.is_split


def test_the_weight_of_a_member_without_a_score_falls_to_the_others() -> None:
    """Two of three members speak; between them their shares are as before."""
    verdict, _ = table(a=2.0, b=1.0, c=1.0).verdict({"a": 0.0, "c": 3.0})
    assert verdict.rating == pytest.approx((2 * 1.0 + 1 * 4.0) / 3)


def test_members_of_no_weight_at_all_count_alike() -> None:
    """A fit may give a lone member no weight; it is then still the only one there is."""
    verdict, _ = table(a=0.0).verdict({"a": 2.0})
    assert (verdict.rating, verdict.spread, verdict.is_split) == (3.0, 0.0, False)


@given(st.dictionaries(st.sampled_from("abc"), st.floats(0, 4), min_size=1))
def test_a_panel_is_within_its_members(scores: dict[str, float]) -> None:
    """No mean lies outside what it is of, and no spread is beyond half of their range."""
    verdict, opinions = table(a=1.0, b=2.0, c=0.5).verdict(scores)
    ratings = [opinion.rating for opinion in opinions.values()]
    assert min(ratings) - 1e-9 <= verdict.rating <= max(ratings) + 1e-9
    assert verdict.spread <= (max(ratings) - min(ratings)) / 2 + 1e-9
    assert verdict.is_split == (verdict.spread >= DISAGREEMENT)


@pytest.mark.parametrize(
    ("scores", "ratings", "weight"),
    [
        ((0.0, 1.0), (1.0,), 1.0),
        ((0.0,), (1.0,), 1.0),
        ((1.0, 0.0), (1.0, 2.0), 1.0),
        ((0.0, 1.0, 2.0), (1.0, 3.0, 2.0), 1.0),
        ((0.0, 1.0), (1.0, 2.0), -0.1),
    ],
)
def test_what_is_no_monotone_curve_is_refused(
    scores: tuple[float, ...], ratings: tuple[float, ...], weight: float
) -> None:
    """More of a score must always mean better, or always worse."""
    with pytest.raises(ValueError, match="a panel's member needs"):
        PanelMember(weight=weight, scores=scores, ratings=ratings)
