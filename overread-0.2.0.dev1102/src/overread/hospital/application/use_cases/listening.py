"""Watch over feeds: one that falls silent raises an alert, once, and another when it is heard again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from threading import Event
from typing import Final, Protocol

from attrs import define, field

from overread.exceptions import StoreError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.ports import HospitalStore, NoticeKind, UnitOfWork
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.domain.feeds import (
    LEARNT_FROM,
    ExpectedFeed,
    Feed,
    HourClass,
    active_time,
    hour_class,
    learnt_limits,
)

__all__ = ["FeedWatch"]

_LEARN_EVERY: Final = timedelta(hours=1)


class _Log(Protocol):
    def warning(self, event: str, **values: object) -> object: ...

    def info(self, event: str, **values: object) -> object: ...


@define(eq=False)
class FeedWatch:
    """Looks again and again whether a feed that is expected has been silent for too long.

    Several processes may watch the same feeds: what is silent is kept in the store, and the process that keeps it first
    tells of it. A feed of which no message ever came is not silent: it has not begun.

    Attributes:
        store: where messages and silences are kept.
        configuration: of the service; it names targets and zones.
        feeds: that are expected.
        every: between two looks.
        least: shortest silence that can raise an alert where it is learnt what is usual.
        clock: tells the time in UTC.
        log: told of silences, by the place of the feed in the settings and without the site's name.
    """

    store: HospitalStore
    configuration: HospitalConfiguration
    feeds: Sequence[ExpectedFeed]
    every: timedelta
    least: timedelta
    clock: Callable[[], datetime]
    log: _Log
    problem: str = field(default="", init=False)
    _limits: dict[ExpectedFeed, dict[HourClass, timedelta]] = field(factory=dict, init=False)
    _learnt: datetime | None = field(default=None, init=False)

    def run(self, stop: Event) -> None:
        """Look until the event is set. To be called in a thread of its own."""
        while not stop.is_set():
            try:
                self.check()
                self.problem = ""
            except StoreError as error:
                self.problem = "alerts"
                self.log.warning("feeds_not_watched", error=error)
            stop.wait(self.every.total_seconds())

    @again_if_busy
    def check(self) -> None:
        """Look once at each feed. Raises `StoreError` for a fault of the store."""
        now = self.clock()
        with self.store.reading() as unit:
            self._learn(unit, now)
            last = unit.feeds.last()
            known = unit.feeds.silences()
        for number, expected in enumerate(self.feeds, 1):
            since = last.get(expected.feed)
            was = known.get(expected.feed)
            if since is None:
                continue
            if was is not None and since > was:
                self._end(number, expected.feed, now)
                was = None
            if was is None and self._is_silent(expected, since, now):
                self._begin(number, expected.feed, since, now)

    def _is_silent(self, expected: ExpectedFeed, since: datetime, now: datetime) -> bool:
        zone = self.configuration.zone_of(expected.site)
        limit = expected.longest
        if limit is None:
            limit = self._limits.get(expected, {}).get(hour_class(since, zone))
        return limit is not None and active_time(since, now, expected, zone) > limit

    def _learn(self, unit: UnitOfWork, now: datetime) -> None:
        if self._learnt is not None and now - self._learnt < _LEARN_EVERY:
            return
        for expected in self.feeds:
            if expected.longest is None:
                arrivals = unit.feeds.arrivals(expected.feed, now - LEARNT_FROM)
                zone = self.configuration.zone_of(expected.site)
                self._limits[expected] = learnt_limits(arrivals, expected, zone, least=self.least)
        self._learnt = now

    def _begin(self, number: int, feed: Feed, since: datetime, now: datetime) -> None:
        with self.store.transaction() as unit:
            is_first = unit.feeds.begin_silence(feed, since=since, noticed=now)
            if is_first:
                self._queue(unit, NoticeKind.SILENT, feed, since, now)
        if is_first:
            self.log.warning("feed_silent", source=feed.door, number=number, seconds=_seconds(since, now))

    def _end(self, number: int, feed: Feed, now: datetime) -> None:
        with self.store.transaction() as unit:
            since = unit.feeds.end_silence(feed)
            if since is not None:
                self._queue(unit, NoticeKind.HEARD, feed, since, now)
        if since is not None:
            self.log.info("feed_heard", source=feed.door, number=number, seconds=_seconds(since, now))

    def _queue(self, unit: UnitOfWork, kind: NoticeKind, feed: Feed, since: datetime, now: datetime) -> None:
        unit.notices.add(kind, feed, since=since, at=now, targets=self.configuration.deliver_to)


def _seconds(since: datetime, now: datetime) -> int:
    return round((now - since).total_seconds())
