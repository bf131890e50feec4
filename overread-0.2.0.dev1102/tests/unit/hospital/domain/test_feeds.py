"""Hours in which a feed is expected, and silences that are unusual."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from overread.hospital.domain.feeds import ExpectedFeed, HourClass, Weekday, active_time, hour_class, learnt_limits

_BERLIN = ZoneInfo("Europe/Berlin")
_MINUTE = timedelta(minutes=1)
_WEEK = (Weekday.MON, Weekday.TUE, Weekday.WED, Weekday.THU, Weekday.FRI)


def _feed(**told: Any) -> ExpectedFeed:
    return ExpectedFeed(door="hl7", site="north", **told)


def _at(day: int, hour: int, minute: int = 0) -> datetime:
    """A moment of November 2026 in Berlin, where the 2nd is a Monday."""
    return datetime(2026, 11, day, hour, minute, tzinfo=_BERLIN)


@pytest.mark.parametrize(
    ("told", "since", "until", "minutes"),
    [
        ({}, _at(2, 10), _at(3, 10), 24 * 60),
        ({"first_hour": 7, "last_hour": 19}, _at(2, 18, 50), _at(3, 7, 15), 25),
        ({"first_hour": 7, "last_hour": 19, "weekdays": _WEEK}, _at(6, 18, 30), _at(9, 7, 5), 35),
        ({"first_hour": 7, "last_hour": 19}, _at(2, 20), _at(2, 23), 0),
        ({"first_hour": 22, "last_hour": 6}, _at(2, 23), _at(3, 5), 6 * 60),
        ({"first_hour": 22, "last_hour": 6}, _at(2, 5), _at(2, 23), 2 * 60),
        ({"first_hour": 22, "last_hour": 6, "weekdays": (Weekday.MON,)}, _at(3, 1), _at(4, 12), 5 * 60),
        ({"weekdays": (Weekday.SAT, Weekday.SUN)}, _at(2, 0), _at(7, 0), 0),
        ({"last_hour": 24, "first_hour": 23}, _at(2, 22), _at(3, 22), 60),
    ],
)
def test_silence_counts_in_the_hours_of_the_site(
    told: dict[str, Any], since: datetime, until: datetime, minutes: int
) -> None:
    """Nights and weekends without messages are none; a night belongs to the day on which it begins."""
    assert active_time(since.astimezone(UTC), until, _feed(**told), _BERLIN) == minutes * _MINUTE


def test_a_year_of_silence_is_added_up_in_a_moment() -> None:
    """Of the last three months."""
    assert active_time(_at(2, 0) - timedelta(days=3650), _at(2, 0), _feed(), UTC) == timedelta(days=92)


@pytest.mark.parametrize("told", [{"first_hour": -1}, {"last_hour": 25}, {"longest": timedelta(0)}])
def test_a_feed_that_cannot_be_is_refused(told: dict[str, Any]) -> None:
    """Hours are 0 to 24, and a silence is longer than nothing."""
    with pytest.raises(ValueError, match=r"."):
        _feed(**told)


def test_hours_have_their_class_in_the_zone_of_the_site() -> None:
    """Seven in the morning in Berlin is day, where it is six in UTC."""
    assert hour_class(datetime(2026, 11, 2, 6, tzinfo=UTC), _BERLIN) is HourClass.DAY
    assert hour_class(datetime(2026, 11, 2, 5, 59, tzinfo=UTC), _BERLIN) is HourClass.NIGHT
    assert hour_class(_at(2, 19), _BERLIN) is HourClass.NIGHT
    assert hour_class(_at(7, 12), _BERLIN) is HourClass.WEEKEND


def test_usual_silences_are_learnt_by_class() -> None:
    """The 199th of 200 gaps in order is no shorter than 99.5 %: the one longest gap is unusual by itself."""
    gaps = [1] * 198 + [17, 90]
    moments = [_at(2, 7)]
    for gap in gaps[:198]:
        moments.append(moments[-1] + gap * _MINUTE)
    moments += [moments[-1] + 17 * _MINUTE, moments[-1] + 107 * _MINUTE]
    limits = learnt_limits(moments, _feed(), _BERLIN, least=5 * _MINUTE)
    assert limits == {HourClass.DAY: 17 * _MINUTE}
    assert learnt_limits(moments, _feed(), _BERLIN, least=30 * _MINUTE) == {HourClass.DAY: 30 * _MINUTE}


def test_nothing_is_learnt_of_few_messages() -> None:
    """Forty-nine gaps are too few to know what is usual; fifty are enough."""
    moments = [_at(2, 7) + number * _MINUTE for number in range(51)]
    assert learnt_limits(moments[:50], _feed(), _BERLIN, least=_MINUTE) == {}
    assert learnt_limits(moments, _feed(), _BERLIN, least=_MINUTE) == {HourClass.DAY: _MINUTE}
