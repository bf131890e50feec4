"""Coverage of the feeds: what came, and what seems to be missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from attrs import frozen

from overread.exceptions import InputError
from overread.hospital.application.checking import check, moment_problems
from overread.hospital.application.coverage import (
    LONGEST_WINDOW,
    MOST_MISSES,
    Coverage,
    FeedCounts,
    FeedHour,
    FeedState,
    NearMiss,
    RefusedHour,
    hours_in_zones,
    near_misses_of,
    step_of,
)
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.use_cases.context import ServiceContext, UseCase
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.feeds import Feed

__all__ = ["OPEN_AFTER", "WINDOW", "Covering", "FeedsSeen", "coverage_of", "look_at_feeds"]

WINDOW: Final = timedelta(days=7)
"""Length of a window, unless told otherwise."""

OPEN_AFTER: Final = timedelta(days=3)
"""Age from which a preliminary report without a final one is counted, unless told otherwise."""

_BEGIN: Final = datetime.min.replace(tzinfo=UTC)
_MOST_TWINS: Final = 5000
_COUNTED: Final = 1000
_NUMBERS: Final = ("messages", "versions", "pairs")


@frozen(kw_only=True)
class FeedsSeen:
    """Account of feeds as a store gives it at one moment.

    Attributes:
        counts, refused: in the window, or in the time that was asked for.
        last: the last message of each feed.
        silent_since: when the last message before the silence came, of each feed that is silent, or was never heard.
        finals_alone, preliminaries_open: numbers of examinations that lack a counterpart.
        near_misses: all that were found.
    """

    counts: Sequence[FeedCounts]
    refused: Sequence[RefusedHour]
    last: Mapping[Feed, datetime]
    silent_since: Mapping[Feed, datetime]
    finals_alone: Mapping[Feed, int]
    preliminaries_open: Mapping[Feed, int]
    near_misses: Sequence[NearMiss]


def look_at_feeds(
    unit: UnitOfWork,
    since: datetime,
    until: datetime,
    *,
    open_until: datetime,
    zone_of: Callable[[str], ZoneInfo],
    counted_since: datetime | None = None,
) -> FeedsSeen:
    """Look up what came in a window, who is silent, and what seems to be missing.

    A feed is silent from the alert on until a message comes; also one that is no longer watched, of which nobody notes
    that the silence is over.

    Args:
        unit: of work that reads.
        since: begin of the window.
        until: its end.
        open_until: end of the time of which a preliminary report without a final one is open.
        zone_of: time zone of a site, whose hours are counted.
        counted_since: from when on messages are counted; the whole window where omitted.
    """
    last, begin = unit.feeds.last(), counted_since or since
    steps = {site: step_of(zone_of(site), begin, until) for site in {feed.site for feed in last}}
    return FeedsSeen(
        counts=unit.feeds.counts(begin, until, steps),
        refused=unit.feeds.refused(begin, until),
        last=last,
        silent_since={
            feed: began for feed, began in unit.feeds.silences().items() if feed not in last or last[feed] <= began
        },
        finals_alone=unit.feeds.finals_alone(since, until),
        preliminaries_open=unit.feeds.preliminaries_open(since, open_until) if open_until > since else {},
        near_misses=near_misses_of(unit.feeds.twins(since, until, _MOST_TWINS)),
    )


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
        until = until or self._context.now()
        check("coverage", *moment_problems(since, until))
        since = since or until - min(lasting, 2 * LONGEST_WINDOW, until - _BEGIN)
        coverage = coverage_of(self._context, since, until, open_after=open_after)
        self._context.tell(by, "coverage", details={"since": since.isoformat(), "until": until.isoformat()})
        return coverage


def coverage_of(
    context: ServiceContext, since: datetime, until: datetime, *, open_after: timedelta = OPEN_AFTER
) -> Coverage:
    """Account of a window, of which nothing is told in the audit trail; see `Covering.coverage`."""
    check("coverage", *moment_problems(since, until))
    if not timedelta(0) < until - since <= LONGEST_WINDOW:
        raise InputError("coverage", f"the window must be longer than nothing and at most {LONGEST_WINDOW.days} days")
    if open_after < timedelta(0):
        raise InputError("coverage", "open_after must be a duration of 0 or more")
    configuration, open_until = context.configuration, min(until, context.now() - open_after)
    with context.store.reading() as unit:
        seen = look_at_feeds(unit, since, until, open_until=open_until, zone_of=configuration.zone_of)
    zones = {feed.site: configuration.zone_of(feed.site) for feed in seen.last}
    everywhere = configuration.zone_of("")
    hours = hours_in_zones(seen.counts, zones, everywhere)
    sums = _sums(hours)
    return Coverage(
        since=since.astimezone(UTC),
        until=until.astimezone(UTC),
        feeds=[
            FeedState(
                door=feed.door,
                site=feed.site,
                zone=zones[feed.site].key,
                last=seen.last[feed],
                silent_since=seen.silent_since.get(feed),
                **{name: sums[feed][name] for name in _NUMBERS},
                finals_alone=seen.finals_alone.get(feed, 0),
                preliminaries_open=seen.preliminaries_open.get(feed, 0),
            )
            for feed in sorted(seen.last)
        ],
        hours=hours,
        refused=_refused_hours(seen.refused, everywhere),
        near_misses=seen.near_misses[:MOST_MISSES],
        near_misses_total=min(len(seen.near_misses), _COUNTED),
    )


def _refused_hours(quarters: Iterable[RefusedHour], zone: ZoneInfo) -> list[RefusedHour]:
    sums: dict[tuple[datetime, str, str], int] = {}
    for quarter in quarters:
        hour = quarter.hour.astimezone(zone).replace(minute=0, second=0, microsecond=0)
        key = (hour.astimezone(UTC), quarter.door, quarter.reason)
        sums[key] = sums.get(key, 0) + quarter.messages
    return [
        RefusedHour(door=door, hour=hour.astimezone(zone), reason=reason, messages=count)
        for (hour, door, reason), count in sorted(sums.items())
    ]


def _sums(hours: Iterable[FeedHour]) -> dict[Feed, Counter[str]]:
    """Numbers of each feed in all hours."""
    sums: defaultdict[Feed, Counter[str]] = defaultdict(Counter)
    for hour in hours:
        numbers = sums[Feed(hour.door, hour.site)]
        for name in _NUMBERS:
            numbers[name] += getattr(hour, name)
    return sums
