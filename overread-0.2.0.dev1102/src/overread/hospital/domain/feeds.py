"""Feeds: the ways by which a site's messages come, when they are expected, and when one is silent for too long."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from itertools import pairwise
from typing import Final

from attrs import field, frozen, validators

from overread.domain.vocabulary.equality import in_tuple

__all__ = [
    "LEARNT_FROM",
    "ExpectedFeed",
    "Feed",
    "HourClass",
    "Weekday",
    "active_time",
    "hour_class",
    "learnt_limits",
]

LEARNT_FROM: Final = timedelta(weeks=4)
"""Time of which gaps are learnt from."""

_SHARE: Final = 0.995
"""Share of the gaps of a class of hours that are no longer than its limit."""

_FEWEST: Final = 50
"""Gaps from which a limit is learnt; of fewer, the largest says nothing. Ours."""

_LONGEST_LOOK: Final = timedelta(days=92)
"""Time before now of which active hours are added up: a longer silence is no less one."""

_MIDNIGHT: Final = 24


class Weekday(StrEnum):
    """Days of the week, in order."""

    MON = "mon"
    TUE = "tue"
    WED = "wed"
    THU = "thu"
    FRI = "fri"
    SAT = "sat"
    SUN = "sun"


class HourClass(StrEnum):
    """Hours of a week in which a feed is alike, in the site's zone."""

    DAY = "day"
    """Monday to Friday, 7 to 19."""

    NIGHT = "night"
    """Monday to Friday otherwise."""

    WEEKEND = "weekend"


_DAY: Final = range(7, 19)
_FRIDAY: Final = 4


@frozen(order=True)
class Feed:
    """A way by which messages of a site come: ``door`` is their source, such as "hl7", "fhir", "folder" or "http"."""

    door: str
    site: str


def _is_hour(_: object, about: object, value: int) -> None:
    if not 0 <= value <= _MIDNIGHT:
        raise ValueError(f"{getattr(about, 'name', 'the hour')} must be 0 to 24")


@frozen(kw_only=True)
class ExpectedFeed:
    """A feed that must not be silent.

    Attributes:
        door: its source: "hl7", "fhir", "folder" or "http", or what a host calls its own.
        site: of its messages, as they name it.
        first_hour, last_hour: hours of the day within which messages are expected, in the site's zone; the last is not
            included. 22 and 6 are a night.
        weekdays: on which they are expected; all where none is named. A night belongs to the day on which it begins.
        longest: silence within those hours after which an alert is raised; learnt from the last four weeks where None.

    Raises:
        ValueError: if a value cannot be used.
    """

    door: str = field(validator=validators.min_len(1))
    site: str = field(validator=validators.min_len(1))
    first_hour: int = field(default=0, validator=_is_hour)
    last_hour: int = field(default=_MIDNIGHT, validator=_is_hour)
    weekdays: tuple[Weekday, ...] = field(default=(), converter=in_tuple)
    longest: timedelta | None = field(default=None, validator=validators.optional(validators.gt(timedelta(0))))

    @property
    def feed(self) -> Feed:
        """The feed."""
        return Feed(self.door, self.site)

    def is_on(self, day: date) -> bool:
        """Return whether messages are expected on a day."""
        return not self.weekdays or list(Weekday)[day.weekday()] in self.weekdays

    def hours_of(self, day: date, zone: tzinfo) -> tuple[datetime, datetime]:
        """The hours that begin on a day, in UTC."""
        begin = datetime.combine(day, time(), zone) + timedelta(hours=self.first_hour)
        overnight = self.last_hour <= self.first_hour
        last = datetime.combine(day + timedelta(days=1 if overnight else 0), time(), zone)
        return begin.astimezone(UTC), (last + timedelta(hours=self.last_hour)).astimezone(UTC)


def active_time(since: datetime, until: datetime, expected: ExpectedFeed, zone: tzinfo) -> timedelta:
    """Time between two moments in which messages of a feed were expected.

    >>> office = ExpectedFeed(door="hl7", site="north", first_hour=8, last_hour=16, weekdays=(Weekday.MON, Weekday.FRI))
    >>> friday, monday = datetime(2026, 11, 20, 15, tzinfo=UTC), datetime(2026, 11, 23, 8, 30, tzinfo=UTC)
    >>> active_time(friday, monday, office, UTC)
    datetime.timedelta(seconds=5400)
    """
    since, until = (moment.astimezone(UTC) for moment in (since, until))
    since = max(since, until - _LONGEST_LOOK)
    return sum(
        (max(timedelta(0), min(end, until) - max(begin, since)) for begin, end in _spans(since, until, expected, zone)),
        timedelta(0),
    )


def _spans(
    since: datetime, until: datetime, expected: ExpectedFeed, zone: tzinfo
) -> Iterator[tuple[datetime, datetime]]:
    day, last = since.astimezone(zone).date() - timedelta(days=1), until.astimezone(zone).date()
    while day <= last:
        if expected.is_on(day):
            yield expected.hours_of(day, zone)
        day += timedelta(days=1)


def hour_class(moment: datetime, zone: tzinfo) -> HourClass:
    """The class of hours that a moment is in."""
    local = moment.astimezone(zone)
    if local.weekday() > _FRIDAY:
        return HourClass.WEEKEND
    return HourClass.DAY if local.hour in _DAY else HourClass.NIGHT


def learnt_limits(
    arrivals: Iterable[datetime], expected: ExpectedFeed, zone: tzinfo, *, least: timedelta
) -> dict[HourClass, timedelta]:
    """Longest silences that are usual, by the class of the hour in which they begin.

    The 99.5th percentile (nearest rank) of the gaps between messages, of their time in active hours, and no less than
    ``least``. A class with fewer than 50 gaps has no limit.

    Args:
        arrivals: of messages, in order.
        expected: the feed.
        zone: of its site.
        least: shortest limit.
    """
    gaps: dict[HourClass, list[timedelta]] = {}
    for one, other in pairwise(arrivals):
        gap = active_time(one, other, expected, zone)
        if gap > timedelta(0):
            gaps.setdefault(hour_class(one, zone), []).append(gap)
    return {kind: max(least, _percentile(found)) for kind, found in gaps.items() if len(found) >= _FEWEST}


def _percentile(gaps: Sequence[timedelta]) -> timedelta:
    return sorted(gaps)[math.ceil(_SHARE * len(gaps)) - 1]
