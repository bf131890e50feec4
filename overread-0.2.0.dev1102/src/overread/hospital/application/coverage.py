"""Coverage: what came by which door, from which site and when, and what seems to be missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from attrs import evolve, field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.near_misses import KeyDifference, are_near, key_difference

__all__ = [
    "LONGEST_WINDOW",
    "MOST_MISSES",
    "Coverage",
    "FeedCounts",
    "FeedHour",
    "FeedState",
    "HalfPair",
    "NearMiss",
    "RefusedHour",
    "hours_in_zones",
    "near_misses_of",
]

LONGEST_WINDOW: Final = timedelta(days=92)
MOST_MISSES: Final = 200
"""Near misses that are listed at most."""


@frozen(kw_only=True)
class FeedHour:
    """Numbers of one hour of a feed.

    Attributes:
        door: way by which it came: "hl7", "fhir", "folder", "http", or what a host calls its own.
        site: of the examinations that were reported on.
        hour: its beginning, in the site's zone.
        messages: that were taken and were new. Resent ones are not stored, so that they are not counted.
        versions: of reports in them.
        pairs: whose reference came in that hour by that door.
    """

    door: str
    site: str
    hour: datetime
    messages: int = 0
    versions: int = 0
    pairs: int = 0


@frozen(kw_only=True)
class RefusedHour:
    """Messages of one hour that were refused for one reason.

    Attributes:
        door: way by which they came.
        hour: its beginning, in the zone of the service: what is refused often names no site that could be read.
        reason: the short code of the refusal.
        messages: number of them.
    """

    door: str
    hour: datetime
    reason: str
    messages: int


@frozen(kw_only=True)
class FeedState:
    """A feed in the window, and its last message of all.

    Attributes:
        door, site: of the feed.
        zone: IANA name of the site's zone.
        last: when its last message came, in UTC.
        silent_since: when the last message before the silence came of which an alert was raised; None without one.
        messages, versions, pairs: in the window, as of `FeedHour`.
        finals_alone: examinations of which a final report came in the window, and neither a draft nor a preliminary
            report ever: nothing is there to compare.
        preliminaries_open: examinations of which a draft or a preliminary report came in the window, longer ago than
            asked, and no final or cancelled one since.
    """

    door: str
    site: str
    zone: str
    last: datetime
    silent_since: datetime | None = None
    messages: int = 0
    versions: int = 0
    pairs: int = 0
    finals_alone: int = 0
    preliminaries_open: int = 0


@frozen(kw_only=True)
class NearMiss:
    """Two examinations of one patient, modality and day that may be one, with keys written in two ways.

    Nothing is joined: somebody has to look.

    Attributes:
        unfinished: key of the one with a draft or a preliminary report and no final one.
        final: key of the one with a final report and nothing before it.
        modality: of both.
        difference: between the keys.
    """

    unfinished: ExaminationKey
    final: ExaminationKey
    modality: str
    difference: KeyDifference


@frozen(kw_only=True)
class Coverage:
    """Account of a window of time: what came, and what seems to be missing.

    Attributes:
        since, until: the window, half-open, in UTC.
        feeds: by door and site; those of which nothing came in the window too.
        hours: of feeds in which anything came, in order.
        refused: hours in which anything was refused, in order.
        near_misses: the first 200.
        near_misses_total: number of all, counted up to 1,000.
    """

    since: datetime
    until: datetime
    feeds: tuple[FeedState, ...] = field(converter=in_tuple)
    hours: tuple[FeedHour, ...] = field(converter=in_tuple)
    refused: tuple[RefusedHour, ...] = field(converter=in_tuple)
    near_misses: tuple[NearMiss, ...] = field(converter=in_tuple)
    near_misses_total: int = 0


@frozen(kw_only=True)
class FeedCounts:
    """Numbers of a quarter of an hour of a feed; ``quarter`` begins it, in UTC. `Feeds.counts` gives them."""

    feed: Feed
    quarter: datetime
    messages: int = 0
    versions: int = 0
    pairs: int = 0


@frozen(kw_only=True)
class HalfPair:
    """An examination that lacks what another may have; ``at`` is when it was performed, or else first reported on."""

    key: ExaminationKey
    modality: str
    at: datetime


def hours_in_zones(counts: Iterable[FeedCounts], zones: Mapping[str, ZoneInfo], default: ZoneInfo) -> list[FeedHour]:
    """Hours of feeds, each in its site's zone, of quarters in UTC: zones are a number of quarters apart.

    An hour that a clock shows twice in autumn is two hours: the offset tells them apart.
    """
    hours: dict[tuple[str, str, datetime], FeedHour] = {}
    for count in counts:
        zone = zones.get(count.feed.site, default)
        hour = count.quarter.astimezone(zone).replace(minute=0, second=0, microsecond=0)
        key = (count.feed.door, count.feed.site, hour.astimezone(UTC))
        known = hours.get(key) or FeedHour(door=count.feed.door, site=count.feed.site, hour=hour)
        hours[key] = evolve(
            known,
            messages=known.messages + count.messages,
            versions=known.versions + count.versions,
            pairs=known.pairs + count.pairs,
        )
    return [hours[key] for key in sorted(hours)]


def near_misses_of(twins: Iterable[tuple[HalfPair, HalfPair]]) -> list[NearMiss]:
    """Near misses among examinations of one patient and modality: within a day, with keys written in two ways.

    Args:
        twins: an examination with a draft or a preliminary report and no final one, beside one with a final report and
            nothing before it.
    """
    return [
        NearMiss(unfinished=one.key, final=other.key, modality=one.modality, difference=difference)
        for one, other in twins
        if are_near(one.at, other.at) and (difference := key_difference(one.key, other.key)) is not None
    ]
