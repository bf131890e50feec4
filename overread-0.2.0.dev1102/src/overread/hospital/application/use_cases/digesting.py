"""Weekly digests to authors: that something is new for them, and nothing of what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from attrs import field, frozen, validators

from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.learning import OwnQuery
from overread.hospital.application.ports import HospitalStore
from overread.hospital.domain.audit_trail import AuditEvent

__all__ = ["DigestRound", "Digester", "Postman", "Schedule", "Weekday"]

_WEEK: Final = timedelta(days=7)
_ACTOR: Final = "digests"
_LAST_HOUR: Final = 23


class Weekday(IntEnum):
    """Day of the week, as `datetime.weekday` counts it."""

    MONDAY = 0
    TUESDAY = 1
    WEDNESDAY = 2
    THURSDAY = 3
    FRIDAY = 4
    SATURDAY = 5
    SUNDAY = 6


@frozen(kw_only=True)
class Schedule:
    """Moments at which digests are due.

    Attributes:
        weekday, hour: when they are, by the clocks of ``zone``.
        zone: name of the time zone.
        late: how long after it is due a digest is still sent: a service that was down sends what was due meanwhile.
        again: wait after one could not be sent.
        lease: time for which a process claims one.
    """

    weekday: Weekday = Weekday.MONDAY
    hour: int = field(default=7, validator=[validators.ge(0), validators.le(_LAST_HOUR)])
    zone: str = "UTC"
    late: timedelta = timedelta(days=2)
    again: timedelta = timedelta(minutes=15)
    lease: timedelta = timedelta(minutes=10)

    def last_due(self, now: datetime) -> datetime:
        """Return the last moment, up to now, at which digests were due; in UTC.

        >>> Schedule(hour=7, zone="Europe/Berlin").last_due(datetime(2026, 11, 4, 12, tzinfo=UTC)).isoformat()
        '2026-11-02T06:00:00+00:00'
        """
        local = now.astimezone(ZoneInfo(self.zone))
        day = local.date() - timedelta(days=(local.weekday() - self.weekday) % _WEEK.days)
        due = self._moment(day.year, day.month, day.day)
        if due > now:
            day -= _WEEK
            due = self._moment(day.year, day.month, day.day)
        return due

    def _moment(self, year: int, month: int, day: int) -> datetime:
        return datetime(year, month, day, self.hour, tzinfo=ZoneInfo(self.zone)).astimezone(UTC)


class Postman(Protocol):
    """Carries digests to their authors."""

    def send(self, author: str, pairs: int) -> bool:
        """Send word to an author of how many pairs have something new; whether it went out. It raises nothing."""
        ...


@frozen(kw_only=True)
class DigestRound:
    """Numbers of one round by outcome; authors without news get no digest."""

    sent: int = 0
    failed: int = 0


@frozen(eq=False)
class Digester:
    """Sends each author one digest a week, however many processes do so on one store.

    A digest is claimed before it is sent. If the process ends between sending and noting that, another sends it once
    more when the claim ends; that is the only way for one to come twice.

    Attributes:
        store: has the pairs, and the claims.
        configuration: of the service, with the names that reports give authors.
        addresses: of authors, by the names that they sign in with.
        postman: carries them.
        schedule: of the digests.
        clock: tells the time in UTC.
    """

    store: HospitalStore
    configuration: HospitalConfiguration
    addresses: Mapping[str, str]
    postman: Postman
    schedule: Schedule
    clock: Callable[[], datetime]

    def work(self, worker: str) -> DigestRound:
        """One round: what is due now and has not been sent.

        Args:
            worker: whose claims they are; unique among all that run.

        Raises:
            StoreError: for a fault of the store.
        """
        due = self.schedule.last_due(self.clock())
        if self.clock() - due > self.schedule.late:
            return DigestRound()
        outcomes = [self._send(author, due, worker) for author in sorted(self.addresses)]
        return DigestRound(sent=outcomes.count(True), failed=outcomes.count(False))

    def _send(self, author: str, due: datetime, worker: str) -> bool | None:
        """Sends a digest, unless it is another's or there is no news (None); returns whether it went out."""
        now = self.clock()
        with self.store.transaction() as unit:
            if not unit.digests.claim(author, due, worker=worker, now=now, lease=self.schedule.lease):
                return None
            query = OwnQuery(
                author=self.configuration.author(author), news=True, since=due - _WEEK, until=due, limit=None
            )
            news = len(unit.learning.own_pairs(query))
            if not news:
                unit.digests.finish(author, due, worker=worker)
                return None
        has_gone = self.postman.send(author, news)
        with self.store.transaction() as unit:
            if not has_gone:
                unit.digests.release(author, due, worker=worker, again=self.clock() + self.schedule.again)
                return False
            unit.digests.finish(author, due, worker=worker)
            details = (("author", author), ("pairs", str(news)))
            unit.trail.append(
                AuditEvent(number=0, at=self.clock(), actor=_ACTOR, action="digest", subject="", details=details)
            )
        return True
