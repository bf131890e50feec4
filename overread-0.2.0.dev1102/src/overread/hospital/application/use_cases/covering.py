"""Coverage of the feeds: what came, and what seems to be missing."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from overread.exceptions import InputError
from overread.hospital.application.coverage import (
    LONGEST_WINDOW,
    MOST_MISSES,
    Coverage,
    FeedHour,
    FeedState,
    RefusedHour,
    hours_in_zones,
    near_misses_of,
)
from overread.hospital.application.use_cases.context import UseCase, is_storable_moment
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.feeds import Feed

__all__ = ["OPEN_AFTER", "WINDOW", "Covering"]

WINDOW: Final = timedelta(days=7)
"""Length of a window, unless told otherwise."""

OPEN_AFTER: Final = timedelta(days=3)
"""Age from which a preliminary report without a final one is counted, unless told otherwise."""

_MOST_TWINS: Final = 5000
_COUNTED: Final = 1000
_NUMBERS: Final = ("messages", "versions", "pairs")


class Covering(UseCase):
    """Counts what came and what lacks its counterpart; the database counts, no text is read."""

    @operation
    def coverage(
        self,
        *,
        by: Actor,
        since: datetime | None = None,
        until: datetime | None = None,
        lasting: timedelta = WINDOW,
        open_after: timedelta = OPEN_AFTER,
    ) -> Coverage:
        """Messages, versions, pairs and refusals by door, site and hour, and what seems to be missing. Reviewer.

        Args:
            by: on whose behalf.
            since: begin of the window; ``lasting`` before its end where omitted.
            until: its end, not included; now where omitted.
            lasting: length of the window where its begin is omitted.
            open_after: age from which a preliminary report without a final one is counted as open.

        Raises:
            InputError: if the window is empty or longer than 92 days, a time has no zone, or the age is below 0.
        """
        now = self._context.now()
        until = until or now
        _check_zoned(until)
        if since is not None:
            _check_zoned(since)
        since = since or until - min(lasting, 2 * LONGEST_WINDOW)
        if not timedelta(0) < until - since <= LONGEST_WINDOW:
            raise InputError(
                "coverage", f"the window must be longer than nothing and at most {LONGEST_WINDOW.days} days"
            )
        if open_after < timedelta(0):
            raise InputError("coverage", "open_after must be a duration of 0 or more")
        configuration = self._context.configuration
        with self._context.store.reading() as unit:
            counts = unit.feeds.counts(since, until)
            refused = unit.feeds.refused(since, until)
            last, silences = unit.feeds.last(), unit.feeds.silences()
            finals = unit.feeds.finals_alone(since, until)
            open_until = min(until, now - open_after)
            unfinished = unit.feeds.preliminaries_open(since, open_until) if open_until > since else {}
            twins = unit.feeds.twins(since, until, _MOST_TWINS)
        zones = {feed.site: configuration.zone_of(feed.site) for feed in last}
        hours = hours_in_zones(counts, zones, configuration.zone_of(""))
        misses = near_misses_of(twins)
        self._context.tell(by, "coverage", details={"since": since.isoformat(), "until": until.isoformat()})
        return Coverage(
            since=since.astimezone(UTC),
            until=until.astimezone(UTC),
            feeds=[
                FeedState(
                    door=feed.door,
                    site=feed.site,
                    zone=zones[feed.site].key,
                    last=last[feed],
                    silent_since=_silent_since(silences.get(feed), last[feed]),
                    **_sums(hours, feed),
                    finals_alone=finals.get(feed, 0),
                    preliminaries_open=unfinished.get(feed, 0),
                )
                for feed in sorted(last)
            ],
            hours=hours,
            refused=self._refused(refused),
            near_misses=misses[:MOST_MISSES],
            near_misses_total=min(len(misses), _COUNTED),
        )

    def _refused(self, quarters: Iterable[RefusedHour]) -> list[RefusedHour]:
        zone = self._context.configuration.zone_of("")
        sums: dict[tuple[datetime, str, str], int] = {}
        for quarter in quarters:
            hour = quarter.hour.astimezone(zone).replace(minute=0, second=0, microsecond=0)
            key = (hour.astimezone(UTC), quarter.door, quarter.reason)
            sums[key] = sums.get(key, 0) + quarter.messages
        return [
            RefusedHour(door=door, hour=hour.astimezone(zone), reason=reason, messages=count)
            for (hour, door, reason), count in sorted(sums.items())
        ]


def _sums(hours: Iterable[FeedHour], feed: Feed) -> dict[str, int]:
    mine = [hour for hour in hours if (hour.door, hour.site) == (feed.door, feed.site)]
    return {name: sum(getattr(hour, name) for hour in mine) for name in _NUMBERS}


def _silent_since(since: datetime | None, last: datetime) -> datetime | None:
    """Begin of a silence that lasts; a feed that is no longer watched may have been heard since."""
    return since if since is not None and last <= since else None


def _check_zoned(moment: datetime) -> None:
    if moment.tzinfo is None or not is_storable_moment(moment):
        raise InputError("coverage", "a time must have a time zone and exist in UTC", remedy="give it as of UTC")
