"""Funnel plots: limits by the definition, dispersion by hand, and groups outside."""

from __future__ import annotations

from math import comb

import pytest

from overread.hospital.application.funnels import FUNNEL_LIMITS, binomial_limit, dispersion, draw_funnel


def _cumulated(count: int, rows: int, target: float) -> float:
    return sum(comb(rows, k) * target**k * (1 - target) ** (rows - k) for k in range(count + 1))


@pytest.mark.parametrize(("target", "rows", "below"), [(0.1, 50, 0.975), (0.1, 50, 0.999), (0.03, 400, 0.025)])
def test_limits_are_interpolated_between_the_values_of_a_binomial(target: float, rows: int, below: float) -> None:
    """Spiegelhalter (2005), appendix A.1.1, with sums of binomial probabilities written out."""
    least = next(count for count in range(rows + 1) if _cumulated(count, rows, target) > below)
    above, under = _cumulated(least, rows, target), _cumulated(least - 1, rows, target)
    expected = (least - (above - below) / (above - under)) / rows
    assert binomial_limit(target, rows, below) == pytest.approx(expected)


def test_limits_near_two_and_three_standard_errors_for_many_rows() -> None:
    """Of 10,000 rows at 20 %: 0.2 -+ 1.96 and 3.09 times 0.004."""
    funnel = draw_funnel({"all": (10_000, 2_000)})
    for inside, errors in zip(FUNNEL_LIMITS, (1.96, 3.09), strict=True):
        low, high = funnel.limits(10_000, inside)
        assert low == pytest.approx(0.2 - errors * 0.004, abs=3e-4)
        assert high == pytest.approx(0.2 + errors * 0.004, abs=3e-4)


def test_only_what_chance_does_not_explain_is_outside() -> None:
    """Among small and large groups around 10 % the one of 20 % in 400 rows stands out, and none of few rows does."""
    funnel = draw_funnel({"a": (400, 80), "b": (10, 2), "c": (2_000, 190), "none": (0, 0)}, target=0.1)
    assert {point.name: point.outside for point in funnel.points} == {"a": 0.998, "b": 0.0, "c": 0.0}
    assert funnel.dispersion is None


def test_groups_that_all_differ_widen_the_limits() -> None:
    """Ten groups of 1,000 rows at 8 % and 12 % around 10 %: z = -+2.108, phi = 4.444; none is then an outlier."""
    groups = {f"g{place}": (1_000, 80 if place % 2 else 120) for place in range(10)}
    funnel = draw_funnel(groups)
    assert funnel.dispersion == pytest.approx(4.0 / 0.9)
    assert funnel.widened
    assert {point.outside for point in funnel.points} == {0.0}
    plain = draw_funnel(dict(list(groups.items())[:2]))
    assert (plain.widened, [point.outside for point in plain.points]) == (False, [0.95, 0.95])


def test_one_outlier_does_not_hide_itself() -> None:
    """Winsorised, the z-score of one group in ten counts as the next one's: the dispersion stays that of the others."""
    groups = [(1_000, 100 + shift) for shift in (-9, 9, -9, 9, -9, 9, -9, 9, -9)] + [(1_000, 300)]
    assert dispersion(groups, 0.1) == pytest.approx(81 / 90)
    funnel = draw_funnel({str(place): group for place, group in enumerate(groups)}, target=0.1)
    assert (funnel.widened, funnel.points[-1].outside) == (False, 0.998)


def test_a_target_that_cannot_vary_has_limits() -> None:
    """No event at all in any group: everything is at the target."""
    funnel = draw_funnel({"a": (10, 0), "b": (20, 0)})
    assert (funnel.target, {point.outside for point in funnel.points}) == (0.0, {0.0})
    assert draw_funnel({}).points == ()
