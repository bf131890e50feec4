"""Queues of jobs and of deliveries: what is claimed has one claimant until its lease ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from attrs import define
from sqlalchemy import ColumnElement, Connection, Table, delete, func, or_, select, update

from overread.hospital.application.ports import Delivery, FeedNotice, Job, NoticeKind
from overread.hospital.domain.feeds import Feed
from overread.hospital.infrastructure.store._hospital_tables import DELIVERIES, JOBS, NOTICES
from overread.infrastructure.store.columns import plain
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.statements import add_all, add_new

__all__ = ["SqlDeliveries", "SqlJobs", "SqlNotices", "take_back"]

_OPEN: Final = "open"
_SENT: Final = "sent"
_GIVEN_UP: Final = "given up"


@define
class SqlJobs:
    """The queue of pairs to be scored.

    Attributes:
        connection: of the transaction.
        finished: takes the pairs whose jobs are taken off the queue.
    """

    connection: Connection
    finished: set[int]

    def add(self, pairs: Sequence[int], *, profile: str = "") -> None:
        """Queue pairs; one that is queued for the same profile is not queued again."""
        add_new(self.connection, JOBS, [{"pair": p, "profile": profile, "attempts": 0} for p in dict.fromkeys(pairs)])

    def claim(self, worker: str, *, limit: int, now: datetime, lease: timedelta, profile: str) -> Sequence[Job]:
        """Jobs for a worker to do until its lease ends; those of its profile or of any, the oldest first."""
        wanted = JOBS.c.profile.in_(("", profile))
        rows = _claim_rows(self.connection, JOBS, wanted, worker=worker, limit=limit, now=now, until=now + lease)
        return [Job(number=row.id, pair=row.pair, profile=row.profile, attempts=row.attempts) for row in rows]

    def extend(self, worker: str, jobs: Sequence[int], *, until: datetime) -> Sequence[int]:
        """Lengthen the lease of jobs; the numbers of those that the worker still has."""
        return _change_rows(self.connection, JOBS, worker, jobs, free=until)

    def finish(self, worker: str, jobs: Sequence[int]) -> Sequence[int]:
        """Take done jobs off the queue; the numbers of those that the worker still had."""
        had: list[int] = []
        for chunk in chunks(jobs):
            statement = delete(JOBS).where(_has(JOBS, worker, chunk)).returning(JOBS.c.id, JOBS.c.pair)
            for number, pair in self.connection.execute(statement).all():
                had.append(number)
                self.finished.add(pair)
        return _in_order(jobs, had)

    def release(self, worker: str, jobs: Sequence[int], *, again: datetime) -> None:
        """Give jobs back, to be claimed from a moment on; this attempt does not count."""
        attempts = JOBS.c.attempts - 1
        _change_rows(self.connection, JOBS, worker, jobs, worker=None, free=again, attempts=attempts)

    def waiting(self) -> int:
        """Number of jobs on the queue, claimed ones included."""
        return self.connection.execute(select(func.count()).select_from(JOBS)).scalar_one()


@define
class SqlDeliveries:
    """The queue of word that is to be sent."""

    connection: Connection

    def add(self, pairs: Sequence[int], target: str) -> None:
        """Queue word of pairs to a target; a pair that was queued for it before, sent or not, is not queued again."""
        rows = [{"pair": pair, "target": target, "state": _OPEN, "attempts": 0} for pair in dict.fromkeys(pairs)]
        add_new(self.connection, DELIVERIES, rows)

    def claim(self, worker: str, *, limit: int, now: datetime, lease: timedelta) -> Sequence[Delivery]:
        """Deliveries to make until the lease ends, the oldest first."""
        wanted = DELIVERIES.c.state == _OPEN
        rows = _claim_rows(self.connection, DELIVERIES, wanted, worker=worker, limit=limit, now=now, until=now + lease)
        return [Delivery(number=row.id, pair=row.pair, target=row.target, attempts=row.attempts) for row in rows]

    def finish(self, worker: str, deliveries: Sequence[int]) -> None:
        """They have arrived."""
        _change_rows(self.connection, DELIVERIES, worker, deliveries, worker=None, state=_SENT)

    def release(self, worker: str, deliveries: Sequence[int], *, again: datetime | None) -> None:
        """They have not; to be tried again from a moment on, or given up for good where that is None."""
        state = _GIVEN_UP if again is None else _OPEN
        _change_rows(self.connection, DELIVERIES, worker, deliveries, worker=None, free=again, state=state)

    def waiting(self) -> int:
        """Number of deliveries that have neither arrived nor been given up."""
        query = select(func.count()).select_from(DELIVERIES).where(DELIVERIES.c.state == _OPEN)
        return self.connection.execute(query).scalar_one()


@define
class SqlNotices:
    """The queue of word about feeds."""

    connection: Connection

    def add(self, kind: NoticeKind, feed: Feed, *, since: datetime, at: datetime, targets: Sequence[str]) -> None:
        """Queue word of a feed to each target."""
        about = {"type": kind.value, "door": feed.door, "site": feed.site, "since": since, "at": at}
        rows = [{**about, "target": target, "state": _OPEN, "attempts": 0} for target in targets]
        add_all(self.connection, NOTICES, rows)

    def claim(self, worker: str, *, limit: int, now: datetime, lease: timedelta) -> Sequence[FeedNotice]:
        """Notices to send until the lease ends, the oldest first."""
        wanted = NOTICES.c.state == _OPEN
        rows = _claim_rows(self.connection, NOTICES, wanted, worker=worker, limit=limit, now=now, until=now + lease)
        return [
            FeedNotice(
                number=row.id,
                kind=NoticeKind(row.type),
                feed=Feed(row.door, row.site),
                since=row.since,
                at=row.at,
                target=row.target,
                attempts=row.attempts,
            )
            for row in rows
        ]

    def finish(self, worker: str, notices: Sequence[int]) -> None:
        """They have arrived."""
        _change_rows(self.connection, NOTICES, worker, notices, worker=None, state=_SENT)

    def release(self, worker: str, notices: Sequence[int], *, again: datetime | None) -> None:
        """They have not; to be tried again from a moment on, or given up for good where that is None."""
        state = _GIVEN_UP if again is None else _OPEN
        _change_rows(self.connection, NOTICES, worker, notices, worker=None, free=again, state=state)

    def waiting(self) -> int:
        """Number of notices that have neither arrived nor been given up."""
        query = select(func.count()).select_from(NOTICES).where(NOTICES.c.state == _OPEN)
        return self.connection.execute(query).scalar_one()


def take_back(connection: Connection) -> int:
    """Free all that is claimed, for whoever claims next; the number. Tries that were begun count as such."""
    taken = 0
    for table in (JOBS, DELIVERIES, NOTICES):
        claimed = table.c.worker.is_not(None) & table.c.free.is_not(None)
        taken += len(connection.execute(update(table).where(claimed).values(free=None).returning(table.c.id)).all())
    return taken


def _claim_rows(
    connection: Connection,
    table: Table,
    wanted: ColumnElement[bool],
    *,
    worker: str,
    limit: int,
    now: datetime,
    until: datetime,
) -> list[Any]:
    """Claims the oldest free rows. Others claim beside it without waiting: they pass over rows that are being claimed.

    SQLite knows no such locks and needs none, since it has one writer at a time.
    """
    free = or_(table.c.free.is_(None), table.c.free <= now)
    query = select(table.c.id).where(wanted, free).order_by(table.c.id).limit(limit).with_for_update(skip_locked=True)
    numbers = connection.execute(query).scalars().all()
    rows: list[Any] = []
    for chunk in chunks(numbers):
        taken = {"worker": plain(worker), "free": until, "attempts": table.c.attempts + 1}
        rows += connection.execute(update(table).where(table.c.id.in_(chunk)).values(taken).returning(table)).all()
    return sorted(rows, key=lambda row: row.id)


def _change_rows(connection: Connection, table: Table, whose: str, numbers: Sequence[int], **values: Any) -> list[int]:
    """Changes the rows that a worker has; their numbers."""
    had: list[int] = []
    for chunk in chunks(numbers):
        statement = update(table).where(_has(table, whose, chunk)).values(values).returning(table.c.id)
        had += connection.execute(statement).scalars()
    return _in_order(numbers, had)


def _has(table: Table, worker: str, numbers: Iterable[int]) -> ColumnElement[bool]:
    """Condition that a worker has claimed these rows, and nobody else since."""
    return (table.c.worker == plain(worker)) & table.c.id.in_(list(numbers))


def _in_order(asked: Iterable[int], had: Iterable[int]) -> list[int]:
    known = set(had)
    return [number for number in dict.fromkeys(asked) if number in known]
