"""The hospital's store in a database, behind the ports of its service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Final

from attrs import define, field
from sqlalchemy import Connection, text
from sqlmodel import Session

from overread.exceptions import StoreError
from overread.hospital.application.ports import (
    AccessKeys,
    Assignments,
    AuthorResponses,
    Batches,
    Cases,
    Deliveries,
    Digests,
    EndedSessions,
    Feeds,
    Jobs,
    LearningPoints,
    Notices,
    PairActions,
    Pairs,
    ReadingProtocols,
    Refusals,
    Reviews,
    Samples,
    Trail,
    Versions,
)
from overread.hospital.application.requests import Erased
from overread.hospital.domain.patient_merge import MergeKind, PatientMerge
from overread.hospital.infrastructure.store._cases import SqlCases
from overread.hospital.infrastructure.store._erasing import erase, given_before, versions_before, versions_of_patient
from overread.hospital.infrastructure.store._feeds import SqlFeeds
from overread.hospital.infrastructure.store._forgetting import forget_scored
from overread.hospital.infrastructure.store._learning import (
    SqlAuthorResponses,
    SqlDigests,
    SqlLearningPoints,
    SqlPairActions,
)
from overread.hospital.infrastructure.store._merging import forget_merges
from overread.hospital.infrastructure.store._merging import merge as merge_rows
from overread.hospital.infrastructure.store._merging import merge_kind as kind_of_merge
from overread.hospital.infrastructure.store._pairs import SqlPairs
from overread.hospital.infrastructure.store._protocols import SqlAssignments, SqlReadingProtocols
from overread.hospital.infrastructure.store._queues import SqlDeliveries, SqlJobs, SqlNotices, take_back
from overread.hospital.infrastructure.store._registers import (
    SqlAccessKeys,
    SqlBatches,
    SqlEndedSessions,
    SqlRefusals,
    SqlReviews,
    SqlSamples,
)
from overread.hospital.infrastructure.store._seals import Seals
from overread.hospital.infrastructure.store._texts import Texts, open_some, reseal_some, secret_of
from overread.hospital.infrastructure.store._trail import SqlTrail
from overread.hospital.infrastructure.store._versions import SqlVersions, patient_digest
from overread.infrastructure.logs import get_logger
from overread.infrastructure.store.database import Database, StoreInDatabase
from overread.infrastructure.store.statements import Lock, lock

__all__ = ["SqlHospitalStore"]

_log: Final = get_logger("store")
_RESEALED: Final = 500
_LOOK_EVERY: Final = timedelta(minutes=1)


@define
class _Unit:
    """The store within one transaction."""

    session: Session
    texts: Texts
    secret: bytes | None
    keeps_words: bool
    finished: set[int] = field(factory=set, init=False)
    versions: Versions = field(init=False)
    pairs: Pairs = field(init=False)
    jobs: Jobs = field(init=False)
    batches: Batches = field(init=False)
    reviews: Reviews = field(init=False)
    protocols: ReadingProtocols = field(init=False)
    assignments: Assignments = field(init=False)
    learning: LearningPoints = field(init=False)
    actions: PairActions = field(init=False)
    responses: AuthorResponses = field(init=False)
    digests: Digests = field(init=False)
    samples: Samples = field(init=False)
    cases: Cases = field(init=False)
    refusals: Refusals = field(init=False)
    trail: Trail = field(init=False)
    keys: AccessKeys = field(init=False)
    sessions: EndedSessions = field(init=False)
    deliveries: Deliveries = field(init=False)
    feeds: Feeds = field(init=False)
    notices: Notices = field(init=False)

    def __attrs_post_init__(self) -> None:
        connection = self.session.connection()
        self.versions = SqlVersions(connection, self.texts, self.secret)
        self.pairs = SqlPairs(self.session, self.texts)
        self.jobs = SqlJobs(connection, self.finished)
        self.batches = SqlBatches(connection)
        self.reviews = SqlReviews(connection, self.texts, self.keeps_words)
        self.protocols = SqlReadingProtocols(connection)
        self.assignments = SqlAssignments(connection)
        self.learning = SqlLearningPoints(connection, self.texts, self.keeps_words)
        self.actions = SqlPairActions(connection)
        self.responses = SqlAuthorResponses(connection, self.texts, self.keeps_words)
        self.digests = SqlDigests(connection)
        self.samples = SqlSamples(connection)
        self.cases = SqlCases(connection, self.texts, self.keeps_words)
        self.refusals = SqlRefusals(connection)
        self.trail = SqlTrail(connection)
        self.keys = SqlAccessKeys(connection)
        self.sessions = SqlEndedSessions(connection)
        self.deliveries = SqlDeliveries(connection)
        self.feeds = SqlFeeds(connection)
        self.notices = SqlNotices(connection)

    def merge_kind(self, merge: PatientMerge) -> MergeKind:
        """Return what `merge_patients` would do."""
        return kind_of_merge(self.session.connection(), merge.site, *self._digests(merge))

    def merge_patients(self, merge: PatientMerge) -> int:
        """Keep under the surviving identifier what was, and will be, kept under the merged one."""
        return merge_rows(self.session.connection(), merge.site, *self._digests(merge))

    def _digests(self, merge: PatientMerge) -> tuple[str, str]:
        return patient_digest(self.secret, merge.surviving), patient_digest(self.secret, merge.merged)

    def erase_patient(self, site: str | None, patient: str) -> Erased:
        """Delete every examination of a patient with all that hangs on it; audit events stay, they name nobody."""
        connection = self._alone()
        digest = patient_digest(self.secret, patient)
        versions = versions_of_patient(connection, site, digest)
        for where, stood in forget_merges(connection, site, digest).items():
            versions |= versions_of_patient(connection, where, stood)
        return erase(connection, self.texts, versions, ())

    def erase_before(self, before: datetime) -> Erased:
        """Delete every examination whose last version arrived, and every given pair made, before a moment."""
        connection = self._alone()
        return erase(connection, self.texts, versions_before(connection, before), given_before(connection, before))

    def _alone(self) -> Connection:
        """The connection, while nobody else adds versions: of what is erased, none comes in unseen."""
        connection = self.session.connection()
        lock(connection, Lock.PATIENTS)
        return connection


class SqlHospitalStore(StoreInDatabase):
    """Keeps everything the hospital service knows in a database, for any number of threads and processes.

    Args:
        database: that is open.
        seals: for the texts.
        hold: for which a text is held that a later pair may need; None where texts are kept until they are told to be
            forgotten.
        now: the time.
    """

    def __init__(
        self,
        database: Database,
        seals: Seals,
        *,
        hold: timedelta | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._database = database
        self._seals = seals
        self._hold = hold
        self._now = now
        self._looked = datetime.min.replace(tzinfo=UTC)
        self._unclean = True  # whoever had the file before may have been killed while they erased
        with database.transaction(write=True) as session:
            self._secret = None if seals.is_locked else secret_of(session.connection(), seals)
        self._clean()

    @contextmanager
    def transaction(self) -> Iterator[_Unit]:
        """A unit of work: all of it is kept when the block ends, durably, or nothing where it raises.

        Raises:
            StoreError: for a fault of the database; `StoreBusyError` where doing the same again may succeed.
        """
        with self._database.transaction(write=True) as session:
            unit = self._unit(session)
            yield unit
            self._settle(unit)
        self._unclean |= unit.texts.erased
        self._clean()

    @contextmanager
    def reading(self) -> Iterator[_Unit]:
        """A unit of work that only reads, of one moment; it waits for no writer."""
        with self._database.transaction() as session:
            yield self._unit(session)

    def check(self) -> None:
        """Raises `StoreError` if the store cannot be read and written now."""
        with self._database.transaction(write=True) as session:
            session.connection().execute(text("UPDATE schema_version SET version = version"))
            session.rollback()

    def check_texts(self) -> None:
        """Raises `StoreError` if a text does not open with the keys that there are, or is another than was kept.

        It is named. By which digests versions and pairs are known stands in their rows, which the audit trail tells of.
        """
        at: tuple[str, int] | None = ("", 0)
        with self._database.transaction() as session:
            while at is not None:
                at = open_some(session.connection(), self._seals, at, _RESEALED)
            texts = Texts(session.connection(), self._seals)
            versions, pairs = SqlVersions(session.connection(), texts, self._secret), SqlPairs(session, texts)
            for name, rows in (("version", versions), ("pair", pairs)):
                last: int | None = 0
                while last is not None:
                    last, changed = rows.rewritten(last, _RESEALED)
                    if changed:
                        problem = f"{name} {changed[0]}: its text is not the one that was stored"
                        raise StoreError(f"{problem} (use an earlier copy, and find out who could write to this one)")

    def has_room(self) -> bool:
        """Return whether the store can grow for a while, as far as can be known from here."""
        return self._database.has_room()

    def rotate(self) -> int:
        """Seal every text with the newest key that is sealed otherwise, some at a time; how many they were.

        Where texts are kept plain, sealed ones are opened for good. It can be broken off and begun again, and the store
        be used meanwhile.
        """
        done = 0
        while True:
            with self._database.transaction(write=True) as session:
                some = reseal_some(session.connection(), self._seals, _RESEALED)
            if not some:
                break
            self._unclean, done = True, done + some
        self._clean()
        return done

    def join(self) -> None:
        """Work off the queues from now on, until the store is closed; see `HospitalStore.join`."""
        self._database.join(self._take_back)

    def close(self) -> None:
        """Let go of files and connections. They are taken up again on next use."""
        self._clean()
        super().close()

    def _unit(self, session: Session) -> _Unit:
        texts = Texts(session.connection(), self._seals)
        return _Unit(session, texts, self._secret, keeps_words=self._hold is None)

    def _take_back(self) -> None:
        with self._database.transaction(write=True) as session:
            taken = take_back(session.connection())
        if taken:
            _log.info("claims_taken_back", count=taken)

    def _settle(self, unit: _Unit) -> None:
        """Erases, if texts are not kept, those that this unit was the last to need and those held too long."""
        if self._hold is None:
            return
        if unit.finished:
            forget_scored(unit.session.connection(), unit.texts, unit.finished)
        now = self._now()
        if now - self._looked >= _LOOK_EVERY:
            self._looked = now
            unit.versions.forget_texts(now - self._hold)
            unit.pairs.forget_texts(now - self._hold)

    def _clean(self) -> None:
        """Leaves no bytes of what was erased, as far as nobody reads at this moment.

        A fault is none of the unit of work before it, which is kept: it is tried again after the next one.
        """
        if self._unclean:
            with suppress(StoreError):
                self._unclean = not self._database.erase_for_good()
