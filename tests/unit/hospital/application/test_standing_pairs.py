"""The split in time: by the day at the site, and no patient on both sides."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from overread.exceptions import ConfigurationError
from overread.hospital.application.standing_pairs import Least, StandingPair, check_enough, split_by_day

from .standing import WRONG, standing

LEAST = Least(earlier=4, later=2, of_a_kind=1, sites=2, of_a_site=1)


def on(number: int, day: int, hour: int = 12, **more: object) -> StandingPair:
    return standing(number, performed=datetime(2026, 10, day, hour, tzinfo=UTC), **more)


def utc(_: str) -> ZoneInfo:
    return ZoneInfo("UTC")


def numbers(pairs: tuple[StandingPair, ...]) -> list[int]:
    return [pair.number for pair in pairs]


def test_a_third_is_later_and_a_day_is_not_divided() -> None:
    """Of nine pairs the last three; where the third begins within a day, that day is earlier as a whole."""
    split = split_by_day([on(number, number) for number in range(1, 10)], utc)
    assert (split.day, numbers(split.later)) == (date(2026, 10, 7), [7, 8, 9])
    days = [1, 2, 3, 4, 5, 6, 6, 8, 9]
    split = split_by_day([on(number, day) for number, day in enumerate(days, start=1)], utc)
    assert (split.day, numbers(split.later)) == (date(2026, 10, 8), [8, 9])


def test_the_day_is_that_of_the_site() -> None:
    """Half past ten in the evening in UTC is the next day in Berlin, and not in Lisbon."""
    zones = {"north": "Europe/Berlin", "coast": "Europe/Lisbon"}
    late = [on(1, 20, 22, site="north"), on(2, 20, 22, site="coast")]
    split = split_by_day(late, lambda site: ZoneInfo(zones[site]), date(2026, 10, 21))
    assert (numbers(split.earlier), numbers(split.later)) == ([2], [1])


def test_no_patient_is_on_both_sides() -> None:
    """Earlier pairs of patients who were examined later, too, are left out and counted."""
    pairs = [on(1, 1, patient="a"), on(2, 2, patient="b"), on(3, 20, patient="a"), on(4, 21, patient="c")]
    split = split_by_day(pairs, utc, date(2026, 10, 10))
    assert (numbers(split.earlier), numbers(split.later), split.crossing) == ([2], [3, 4], 1)


def test_too_little_is_refused_with_what_is_there_and_what_is_needed() -> None:
    """Every number that is too low is named, sites too."""
    pairs = [on(number, number, site="north") for number in range(1, 5)]
    with pytest.raises(ConfigurationError) as refusal:
        check_enough(split_by_day(pairs, utc), LEAST)
    assert list(refusal.value.problems) == [
        "too little to learn from in the pairs whose verdict stands, split at 2026-10-04",
        "pairs before that day: 3; at least 4 are needed",
        "pairs with a discrepancy before that day: 0; at least 1 are needed",
        "pairs from that day on: 1; at least 2 are needed",
        "pairs with a discrepancy from that day on: 0; at least 1 are needed",
        "sites with 1 pairs or more from that day on: 1; at least 2 are needed",
    ]
    with pytest.raises(ConfigurationError, match="no pair has a verdict that stands"):
        split_by_day([], utc)


def test_enough_is_let_pass() -> None:
    """With pairs of both kinds before and after, of two sites."""
    pairs = [
        standing(n, *([WRONG] if n % 2 else []), performed=datetime(2026, 10, n, tzinfo=UTC), site="ab"[n % 4 // 2])
        for n in range(1, 13)
    ]
    check_enough(split_by_day(pairs, utc), LEAST)
