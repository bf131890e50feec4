"""Figures of the feeds for Prometheus: worked out once in a while, whoever asks, and named after settings alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final

from attrs import define, field, frozen

from overread.hospital.application.coverage import near_misses_of
from overread.hospital.application.service import HospitalService
from overread.hospital.application.use_cases.covering import OPEN_AFTER, WINDOW
from overread.hospital.domain.feeds import Feed

__all__ = ["OTHER", "FeedFigures", "FeedLook"]

OTHER: Final = "other"
"""Label of a door or site that no setting names, and of a reason that is no code: a message may say anything."""

_DOORS: Final = frozenset({"hl7", "fhir", "folder", "http", "webhook"})
_REASON: Final = re.compile(r"[a-z][a-z0-9-]{0,40}")
_HOUR: Final = timedelta(hours=1)
_TWINS: Final = 5000
_AGAIN: Final = timedelta(minutes=1)


@frozen(kw_only=True)
class FeedFigures:
    """Figures of the feeds.

    Attributes:
        last: moment of the last message of each feed.
        messages, versions, pairs: of each feed in the last hour.
        refused: messages in the last hour, by door and reason.
        silent: whether each feed that is watched is silent.
        unmatched: examinations of the last seven days, by what they lack.
    """

    last: Mapping[Feed, datetime]
    messages: Mapping[Feed, int]
    versions: Mapping[Feed, int]
    pairs: Mapping[Feed, int]
    refused: Mapping[tuple[str, str], int]
    silent: Mapping[Feed, bool]
    unmatched: Mapping[str, int]


@define(eq=False)
class FeedLook:
    """Looks at the feeds once a minute at most: a look takes a while in a large store.

    Attributes:
        hospital: whose feeds they are.
        watched: feeds that raise alerts; they and the sites of ``hospital.site_zones`` are told by their names.
        clock: tells the time in UTC.
    """

    hospital: HospitalService
    watched: Sequence[Feed] = ()
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _lock: Lock = field(factory=Lock, init=False, repr=False)
    _figures: FeedFigures | None = field(default=None, init=False, repr=False)
    _looked: datetime | None = field(default=None, init=False)

    def figures(self) -> FeedFigures:
        """Return the figures of now, or of less than a minute ago. Raises `StoreError` for a fault of the store."""
        with self._lock:
            now = self.clock()
            if self._figures is None or self._looked is None or now - self._looked >= _AGAIN:
                self._figures, self._looked = self._look(now), now
            return self._figures

    def _look(self, now: datetime) -> FeedFigures:
        with self.hospital.store.reading() as unit:
            counts = unit.feeds.counts(now - _HOUR, now)
            refused = unit.feeds.refused(now - _HOUR, now)
            last, silences = unit.feeds.last(), unit.feeds.silences()
            since = now - WINDOW
            finals = unit.feeds.finals_alone(since, now)
            unfinished = unit.feeds.preliminaries_open(since, now - OPEN_AFTER)
            misses = near_misses_of(unit.feeds.twins(since, now, _TWINS))
        sites = frozenset({*self.hospital.configuration.site_zones, *(feed.site for feed in self.watched)})
        doors = _DOORS | {feed.door for feed in self.watched}
        latest: dict[Feed, datetime] = {}
        for feed, moment in last.items():
            named = _named(feed, doors, sites)
            latest[named] = max(moment, latest.get(named, moment))
        sums: dict[str, Counter[Feed]] = {name: Counter(dict.fromkeys(latest, 0)) for name in _NUMBERS}
        for count in counts:
            for name in _NUMBERS:
                sums[name][_named(count.feed, doors, sites)] += getattr(count, name)
        reasons: Counter[tuple[str, str]] = Counter()
        for refusal in refused:
            door = refusal.door if refusal.door in doors else OTHER
            reasons[door, refusal.reason if _REASON.fullmatch(refusal.reason) else OTHER] += refusal.messages
        return FeedFigures(
            last=latest,
            **sums,
            refused=reasons,
            silent={feed: feed in silences for feed in self.watched},
            unmatched={
                "finals_alone": sum(finals.values()),
                "preliminaries_open": sum(unfinished.values()),
                "near_misses": len(misses),
            },
        )


_NUMBERS: Final = ("messages", "versions", "pairs")


def _named(feed: Feed, doors: Collection[str], sites: Collection[str]) -> Feed:
    return Feed(feed.door if feed.door in doors else OTHER, feed.site if feed.site in sites else OTHER)
