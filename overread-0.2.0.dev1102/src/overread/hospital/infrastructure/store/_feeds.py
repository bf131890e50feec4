"""Feeds in a database: what came by which door from which site, what lacks its counterpart, and who is silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from attrs import define
from sqlalchemy import ColumnElement, Connection, Integer, and_, case, delete, func, not_, select, tuple_
from sqlalchemy import cast as sql_cast
from sqlalchemy.sql.selectable import Select

from overread.hospital.application.coverage import FeedCounts, HalfPair, RefusedHour
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.store._hospital_tables import (
    COMPARED,
    COMPARED_VERSIONS,
    EXAMINATIONS,
    REFUSALS,
    SILENCES,
    VERSION_EXAMINATIONS,
    VERSIONS,
)
from overread.infrastructure.store.columns import plain
from overread.infrastructure.store.statements import add_new, is_postgres

__all__ = ["SqlFeeds"]

_QUARTER: Final = 900
"""Seconds of a quarter of an hour."""

_EARLY: Final = tuple(status.value for status in (ReportStatus.DRAFT, ReportStatus.PRELIMINARY, ReportStatus.PARTIAL))
_FINAL: Final = tuple(status.value for status in (ReportStatus.FINAL, ReportStatus.CORRECTED))
_ENDED: Final = (*_FINAL, ReportStatus.CANCELLED.value)


@define
class SqlFeeds:
    """The feeds within one transaction."""

    connection: Connection

    def counts(self, since: datetime, until: datetime) -> Sequence[FeedCounts]:
        """Numbers of each feed by quarters of an hour: of messages and versions, and of pairs by their reference."""
        quarter = self._quarter(VERSIONS.c.arrived)
        unnamed = func.sum(case((VERSIONS.c.message == "", 1), else_=0))
        named = func.count(func.nullif(VERSIONS.c.message, "").distinct())
        versions = (
            select(VERSIONS.c.source, VERSIONS.c.site, quarter, named + unnamed, func.count())
            .where(VERSIONS.c.arrived >= since, VERSIONS.c.arrived < until)
            .group_by(VERSIONS.c.source, VERSIONS.c.site, quarter)
        )
        link, made = COMPARED_VERSIONS, self._quarter(COMPARED.c.arrived)
        pairs = (
            select(VERSIONS.c.source, VERSIONS.c.site, made, func.count())
            .select_from(COMPARED)
            .join(link, and_(link.c.pair == COMPARED.c.id, link.c.is_candidate.is_(False), link.c.place == 0))
            .join(VERSIONS, VERSIONS.c.id == link.c.version)
            .where(COMPARED.c.arrived >= since, COMPARED.c.arrived < until)
            .group_by(VERSIONS.c.source, VERSIONS.c.site, made)
        )
        return [
            *(
                FeedCounts(feed=Feed(door, site), quarter=_moment(at), messages=messages, versions=count)
                for door, site, at, messages, count in self.connection.execute(versions)
            ),
            *(
                FeedCounts(feed=Feed(door, site), quarter=_moment(at), pairs=count)
                for door, site, at, count in self.connection.execute(pairs)
            ),
        ]

    def refused(self, since: datetime, until: datetime) -> Sequence[RefusedHour]:
        """Refused messages by door, reason and quarter of an hour."""
        quarter = self._quarter(REFUSALS.c.made)
        query = (
            select(REFUSALS.c.source, REFUSALS.c.reason, quarter, func.count())
            .where(REFUSALS.c.made >= since, REFUSALS.c.made < until)
            .group_by(REFUSALS.c.source, REFUSALS.c.reason, quarter)
        )
        return [
            RefusedHour(door=door, hour=_moment(at), reason=reason, messages=count)
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
        return self._counted(_of_status(_FINAL, since, until), _EARLY)

    def preliminaries_open(self, since: datetime, until: datetime) -> Mapping[Feed, int]:
        """Numbers of examinations with a draft or preliminary report in the window and no final or cancelled one."""
        return self._counted(_of_status(_EARLY, since, until), _ENDED)

    def twins(self, since: datetime, until: datetime, limit: int) -> Sequence[tuple[HalfPair, HalfPair]]:
        """Two examinations of one patient and modality each, the first without a final, the second with nothing else.

        Either was reported on in the window; so many pairs at most.
        """
        one, other = EXAMINATIONS.alias("one"), EXAMINATIONS.alias("other")
        early = _examinations(_EARLY, since, until).distinct().subquery()
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
            .where(
                one.c.patient != "",
                one.c.modality != "",
                one.c.id != other.c.id,
                not_(_has_version(one.c.id, _ENDED)),
                other.c.id.in_(_examinations(_FINAL, since, until)),
                not_(_has_version(other.c.id, _EARLY)),
            )
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

    def _quarter(self, moment: ColumnElement[Any]) -> ColumnElement[int]:
        """Number of the quarter of an hour since 1970 that a moment is in."""
        if is_postgres(self.connection):
            return sql_cast(func.floor(func.extract("epoch", moment) / _QUARTER), Integer)
        return sql_cast(func.strftime("%s", moment), Integer).op("/")(_QUARTER)

    def _counted(self, query: Select[Any], without: Sequence[str]) -> Mapping[Feed, int]:
        lacking = query.where(not_(_has_version(VERSION_EXAMINATIONS.c.examination, without)))
        rows = self.connection.execute(lacking.group_by(VERSIONS.c.source, VERSIONS.c.site))
        return {Feed(door, site): count for door, site, count in rows}


_KEPT: Final = ("site", "accession", "modality", "performed")


def _of_status(statuses: Sequence[str], since: datetime, until: datetime) -> Select[Any]:
    """Numbers of examinations of which versions of these statuses came."""
    link = VERSION_EXAMINATIONS
    return (
        select(VERSIONS.c.source, VERSIONS.c.site, func.count(link.c.examination.distinct()))
        .join(link, link.c.version == VERSIONS.c.id)
        .where(VERSIONS.c.status.in_(statuses), VERSIONS.c.arrived >= since, VERSIONS.c.arrived < until)
    )


def _examinations(statuses: Sequence[str], since: datetime, until: datetime) -> Select[Any]:
    link = VERSION_EXAMINATIONS
    return (
        select(link.c.examination)
        .join(VERSIONS, VERSIONS.c.id == link.c.version)
        .where(VERSIONS.c.status.in_(statuses), VERSIONS.c.arrived >= since, VERSIONS.c.arrived < until)
    )


def _has_version(examination: ColumnElement[Any], statuses: Sequence[str]) -> ColumnElement[bool]:
    """Condition that an examination has a version of any of these statuses, whenever it came."""
    link, version = VERSION_EXAMINATIONS.alias(), VERSIONS.alias()
    query = select(version.c.id).join(link, link.c.version == version.c.id)
    return query.where(link.c.examination == examination, version.c.status.in_(statuses)).exists()


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


def _moment(quarter: int) -> datetime:
    return datetime.fromtimestamp(quarter * _QUARTER, UTC)
