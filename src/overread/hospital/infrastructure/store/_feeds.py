"""Feeds in a database: what came by which door from which site, what lacks its counterpart, and who is silent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from attrs import define
from sqlalchemy import ColumnElement, Connection, and_, case, delete, func, literal, select, tuple_

from overread.hospital.application.coverage import FeedCounts, HalfPair, RefusedHour
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.feeds import Feed
from overread.hospital.infrastructure.store._feed_counts import (
    QUARTER_S,
    live_pairs,
    live_versions,
    moment_of,
    quarter_column,
    quarter_of,
)
from overread.hospital.infrastructure.store._hospital_tables import (
    EXAMINATIONS,
    FEED_COUNTS,
    LONE_VERSIONS,
    REFUSALS,
    SILENCES,
    VERSION_EXAMINATIONS,
    VERSIONS,
)
from overread.infrastructure.store.columns import plain
from overread.infrastructure.store.statements import add_new

__all__ = ["SqlFeeds"]


@define
class SqlFeeds:
    """The feeds within one transaction."""

    connection: Connection

    def counts(self, since: datetime, until: datetime, steps: Mapping[str, int] | None = None) -> Sequence[FeedCounts]:
        """Numbers of each feed by quarters of an hour, or longer steps: of messages, versions, and pairs."""
        first, end = -(-since.timestamp() // QUARTER_S), quarter_of(until)
        if first >= end:
            return list(self._live_counts(since, until))
        first_moment, end_moment = moment_of(int(first)), moment_of(end)
        return [
            *self._live_counts(since, first_moment),
            *self._kept_counts(int(first), end, steps or {}),
            *self._live_counts(end_moment, until),
        ]

    def _kept_counts(self, first: int, end: int, steps: Mapping[str, int]) -> Iterator[FeedCounts]:
        """Numbers of whole quarters of an hour."""
        table = FEED_COUNTS.c
        long = [(table.site == site, step) for site, step in steps.items() if step > 1]
        step = case(*long, else_=1) if long else literal(1)
        rows = select((table.quarter - table.quarter % step).label("at"), *table)
        each = rows.where(table.quarter >= first, table.quarter < end).subquery().c
        sums = (func.sum(each[name]) for name in ("messages", "versions", "pairs"))
        names = (each.source, each.site, each.at)
        query = select(*names, *sums).group_by(*names)
        for door, site, at, messages, versions, pairs in self.connection.execute(query).all():
            if messages or versions or pairs:
                yield FeedCounts(
                    feed=Feed(door, site), quarter=moment_of(at), messages=messages, versions=versions, pairs=pairs
                )

    def _live_counts(self, since: datetime, until: datetime) -> Iterator[FeedCounts]:
        if since >= until:
            return
        for door, site, at, messages, count in self.connection.execute(live_versions(self.connection, since, until)):
            yield FeedCounts(feed=Feed(door, site), quarter=moment_of(at), messages=messages, versions=count)
        for door, site, at, count in self.connection.execute(live_pairs(self.connection, since, until)):
            yield FeedCounts(feed=Feed(door, site), quarter=moment_of(at), pairs=count)

    def refused(self, since: datetime, until: datetime) -> Sequence[RefusedHour]:
        """Refused messages by door, reason and quarter of an hour."""
        quarter = quarter_column(self.connection, REFUSALS.c.made)
        query = (
            select(REFUSALS.c.source, REFUSALS.c.reason, quarter, func.count())
            .where(REFUSALS.c.made >= since, REFUSALS.c.made < until)
            .group_by(REFUSALS.c.source, REFUSALS.c.reason, quarter)
        )
        return [
            RefusedHour(door=door, hour=moment_of(at), reason=reason, messages=count)
            for door, reason, at, count in self.connection.execute(query)
        ]

    def last(self) -> Mapping[Feed, datetime]:
        """The last message of each feed: the index is looked into once for each, and not gone through."""
        last: dict[Feed, datetime] = {}
        at = ("", "")
        names, is_beyond = (VERSIONS.c.source, VERSIONS.c.site), tuple_(VERSIONS.c.source, VERSIONS.c.site) >= at
        while row := self.connection.execute(select(*names).where(is_beyond).order_by(*names).limit(1)).first():
            here = (VERSIONS.c.source == row.source, VERSIONS.c.site == row.site)
            newest = select(func.max(VERSIONS.c.arrived)).where(*here)
            last[Feed(row.source, row.site)] = self.connection.execute(newest).scalar_one()
            is_beyond = tuple_(*names) > (row.source, row.site)
        return last

    def finals_alone(self, since: datetime, until: datetime) -> Mapping[Feed, int]:
        """Numbers of examinations with a final report in the window and neither a draft nor a preliminary one."""
        return self._count_lone(_is_lone(since, until, is_final=True))

    def preliminaries_open(self, since: datetime, until: datetime) -> Mapping[Feed, int]:
        """Numbers of examinations with a draft or preliminary report in the window and no final or cancelled one."""
        return self._count_lone(_is_lone(since, until, is_final=False))

    def twins(self, since: datetime, until: datetime, limit: int) -> Sequence[tuple[HalfPair, HalfPair]]:
        """Two examinations of one patient and modality each, the first without a final, the second with nothing else.

        Either was reported on in the window; so many pairs at most.
        """
        one, other = EXAMINATIONS.alias("one"), EXAMINATIONS.alias("other")
        early, final = (
            select(LONE_VERSIONS.c.examination).where(*_is_lone(since, until, is_final=is_final)).distinct().subquery()
            for is_final in (False, True)
        )
        query = (
            select(
                *(
                    table.c[name].label(f"{label}_{name}")
                    for table, label in ((one, "a"), (other, "b"))
                    for name in _KEPT
                ),
                _first_arrival(one).label("a_arrived"),
                _first_arrival(other).label("b_arrived"),
            )
            .select_from(early)
            .join(one, one.c.id == early.c.examination)
            .join(other, and_(one.c.patient == other.c.patient, one.c.modality == other.c.modality))
            .join(final, final.c.examination == other.c.id)
            .where(one.c.patient != "", one.c.modality != "", one.c.id != other.c.id)
            .limit(limit)
        )
        rows = self.connection.execute(query).mappings()
        twins = [(_half(row, "a"), _half(row, "b")) for row in rows]
        return sorted(twins, key=lambda twin: (twin[0].key, twin[1].key))

    def arrivals(self, feed: Feed, since: datetime) -> Sequence[datetime]:
        """Moments since one at which messages of a feed came, in order."""
        query = (
            select(VERSIONS.c.arrived)
            .where(VERSIONS.c.source == plain(feed.door), VERSIONS.c.site == plain(feed.site))
            .where(VERSIONS.c.arrived >= since)
            .distinct()
            .order_by(VERSIONS.c.arrived)
        )
        return list(self.connection.execute(query).scalars())

    def silences(self) -> Mapping[Feed, datetime]:
        """Feeds that are silent, each with when its last message came."""
        return {Feed(row.door, row.site): row.since for row in self.connection.execute(select(SILENCES))}

    def begin_silence(self, feed: Feed, *, since: datetime, noticed: datetime) -> bool:
        """Keep that a feed is silent; False if that is known."""
        row = {"door": feed.door, "site": feed.site, "since": since, "noticed": noticed}
        return add_new(self.connection, SILENCES, [row]) > 0

    def end_silence(self, feed: Feed) -> datetime | None:
        """Forget that a feed is silent; when the silence began, None if it was not."""
        here = (SILENCES.c.door == plain(feed.door), SILENCES.c.site == plain(feed.site))
        return self.connection.execute(delete(SILENCES).where(*here).returning(SILENCES.c.since)).scalar()

    def _count_lone(self, wanted: Sequence[ColumnElement[bool]]) -> Mapping[Feed, int]:
        table = LONE_VERSIONS.c
        query = select(table.source, table.site, func.count(table.examination.distinct())).where(*wanted)
        rows = self.connection.execute(query.group_by(table.source, table.site))
        return {Feed(door, site): count for door, site, count in rows}


_KEPT: Final = ("site", "accession", "modality", "performed")


def _is_lone(since: datetime, until: datetime, *, is_final: bool) -> list[ColumnElement[bool]]:
    """Conditions that versions came in a window and lack their counterpart."""
    table = LONE_VERSIONS.c
    return [table.is_final.is_(is_final), table.arrived >= since, table.arrived < until]


def _first_arrival(examinations: Any) -> ColumnElement[Any]:
    link, version = VERSION_EXAMINATIONS.alias(), VERSIONS.alias()
    query = select(func.min(version.c.arrived)).join(link, link.c.version == version.c.id)
    return query.where(link.c.examination == examinations.c.id).scalar_subquery()


def _half(row: Any, side: str) -> HalfPair:
    performed = row[f"{side}_performed"]
    return HalfPair(
        key=ExaminationKey(row[f"{side}_site"], row[f"{side}_accession"]),
        modality=row[f"{side}_modality"],
        at=datetime.fromisoformat(performed) if performed else row[f"{side}_arrived"],
    )
