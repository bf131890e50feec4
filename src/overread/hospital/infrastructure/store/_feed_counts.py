"""Counts of what feeds brought, as it comes: by quarters of an hour, and what lacks its counterpart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Integer, and_, case, delete, func, insert, select
from sqlalchemy import cast as sql_cast
from sqlalchemy.sql.selectable import Select

from overread.hospital.domain.report_version import EARLY, FINISHED, ReportStatus
from overread.hospital.infrastructure.store._hospital_tables import (
    COMPARED,
    COMPARED_VERSIONS,
    FEED_COUNTS,
    LONE_VERSIONS,
    VERSION_EXAMINATIONS,
    VERSIONS,
)
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.statements import Lock, is_postgres, lock

__all__ = [
    "QUARTER_S",
    "count_anew",
    "count_arrival",
    "count_pair",
    "counted_quarters",
    "live_pairs",
    "live_versions",
    "moment_of",
    "note_lone",
    "quarter_column",
    "quarter_of",
]

QUARTER_S: Final = 900
"""Seconds of a quarter of an hour."""

_EARLY: Final = tuple(status.value for status in EARLY)
_FINAL: Final = tuple(status.value for status in FINISHED)
_HALVES: Final = ((True, _FINAL, _EARLY), (False, _EARLY, (*_FINAL, ReportStatus.CANCELLED.value)))
"""Whether a version is a final one, of which statuses it then is, and of which its counterparts are."""

_OF_LONE: Final = ("version", "examination", "source", "site", "arrived")
_MOST_SPANS: Final = 500

Quarter = tuple[int, str, str]
"""A quarter of an hour since 1970, and the feed."""


def quarter_of(moment: datetime) -> int:
    """Number of the quarter of an hour since 1970 that a moment is in.

    >>> quarter_of(datetime(1970, 1, 1, 1, 14, tzinfo=UTC))
    4
    """
    return int(moment.timestamp() // QUARTER_S)


def count_arrival(connection: Connection, *, source: str, site: str, message: str, arrived: datetime) -> None:
    """Count a version that is about to be kept; its message, if no other version of it came in that quarter."""
    quarter = quarter_of(arrived)
    known = False
    if message:
        begin, end = moment_of(quarter), moment_of(quarter + 1)
        same = (VERSIONS.c.message == message, VERSIONS.c.source == source, VERSIONS.c.site == site)
        within = select(VERSIONS.c.id).where(*same, VERSIONS.c.arrived >= begin, VERSIONS.c.arrived < end).limit(1)
        known = connection.execute(within).first() is not None
    _add(connection, (quarter, source, site), messages=0 if known else 1, versions=1)


def count_pair(connection: Connection, *, reference: int, arrived: datetime) -> None:
    """Count a pair where the first version of its reference came."""
    feed = connection.execute(select(VERSIONS.c.source, VERSIONS.c.site).where(VERSIONS.c.id == reference)).one()
    _add(connection, (quarter_of(arrived), feed.source, feed.site), pairs=1)


def counted_quarters(connection: Connection, versions: Collection[int], pairs: Collection[int]) -> set[int]:
    """The quarters in which any of these versions or pairs are counted."""
    queries = (
        *(select(VERSIONS.c.arrived).where(VERSIONS.c.id.in_(chunk)) for chunk in chunks(versions)),
        *(select(COMPARED.c.arrived).where(COMPARED.c.id.in_(chunk)) for chunk in chunks(pairs)),
    )
    return {quarter_of(moment) for query in queries for moment in connection.execute(query).scalars()}


def count_anew(connection: Connection, quarters: Collection[int]) -> None:
    """Count what came in these quarters of an hour anew, after something of them was deleted."""
    if not quarters:
        return
    lock(connection, Lock.COUNTS)
    ordered = sorted(quarters)
    spans = [(each, each + 1) for each in ordered]
    if len(spans) > _MOST_SPANS:
        spans = [(ordered[0], ordered[-1] + 1)]
    for first, end in spans:
        connection.execute(delete(FEED_COUNTS).where(FEED_COUNTS.c.quarter >= first, FEED_COUNTS.c.quarter < end))
        since, until = moment_of(first), moment_of(end)
        for source, site, at, messages, versions in connection.execute(live_versions(connection, since, until)).all():
            _add(connection, (at, source, site), messages=messages, versions=versions)
        for source, site, at, pairs in connection.execute(live_pairs(connection, since, until)).all():
            _add(connection, (at, source, site), pairs=pairs)


def live_versions(connection: Connection, since: datetime, until: datetime) -> Select[Any]:
    """Count messages and versions by source, site and quarter, from the versions themselves."""
    quarter = quarter_column(connection, VERSIONS.c.arrived)
    unnamed = func.sum(case((VERSIONS.c.message == "", 1), else_=0))
    named = func.count(func.nullif(VERSIONS.c.message, "").distinct())
    return (
        select(VERSIONS.c.source, VERSIONS.c.site, quarter, named + unnamed, func.count())
        .where(VERSIONS.c.arrived >= since, VERSIONS.c.arrived < until)
        .group_by(VERSIONS.c.source, VERSIONS.c.site, quarter)
    )


def live_pairs(connection: Connection, since: datetime, until: datetime) -> Select[Any]:
    """Count pairs by source, site and quarter, from the pairs themselves."""
    link, made = COMPARED_VERSIONS, quarter_column(connection, COMPARED.c.arrived)
    return (
        select(VERSIONS.c.source, VERSIONS.c.site, made, func.count())
        .select_from(COMPARED)
        .join(link, and_(link.c.pair == COMPARED.c.id, link.c.is_candidate.is_(False), link.c.place == 0))
        .join(VERSIONS, VERSIONS.c.id == link.c.version)
        .where(COMPARED.c.arrived >= since, COMPARED.c.arrived < until)
        .group_by(VERSIONS.c.source, VERSIONS.c.site, made)
    )


def note_lone(connection: Connection, examinations: Iterable[int]) -> None:
    """Note which versions of these examinations lack their counterpart now."""
    link, told = VERSION_EXAMINATIONS, (VERSIONS.c.status, VERSIONS.c.source, VERSIONS.c.site, VERSIONS.c.arrived)
    query = select(link.c.version, link.c.examination, *told).join(VERSIONS, VERSIONS.c.id == link.c.version)
    for chunk in chunks(examinations):
        connection.execute(delete(LONE_VERSIONS).where(LONE_VERSIONS.c.examination.in_(chunk)))
        rows = connection.execute(query.where(link.c.examination.in_(chunk))).mappings().all()
        statuses: defaultdict[int, set[str]] = defaultdict(set)
        for row in rows:
            statuses[row["examination"]].add(row["status"])
        lone = [
            {**{name: row[name] for name in _OF_LONE}, "is_final": is_final}
            for row in rows
            for is_final, own, other in _HALVES
            if row["status"] in own and statuses[row["examination"]].isdisjoint(other)
        ]
        if lone:
            connection.execute(insert(LONE_VERSIONS), lone)


def _add(connection: Connection, at: Quarter, *, messages: int = 0, versions: int = 0, pairs: int = 0) -> None:
    quarter, source, site = at
    numbers = {"messages": messages, "versions": versions, "pairs": pairs}
    row = {"quarter": quarter, "source": source, "site": site, **numbers, "settled": False}
    connection.execute(insert(FEED_COUNTS).values(row))


def quarter_column(connection: Connection, moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Number of the quarter of an hour since 1970 that a moment is in."""
    if is_postgres(connection):
        return sql_cast(func.floor(func.extract("epoch", moment) / QUARTER_S), Integer)
    return sql_cast(func.strftime("%s", moment), Integer).op("/")(QUARTER_S)


def moment_of(quarter: int) -> datetime:
    """Begin of a quarter of an hour."""
    return datetime.fromtimestamp(quarter * QUARTER_S, UTC)
