"""A store in memory behind the ports of the hospital service."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final, TypeVar

from attrs import define, evolve, field, frozen

from overread.domain.differences.edits import Edits, EditType
from overread.domain.reports.pair_digest import pair_digest
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import EvaluationResult
from overread.exceptions import ConfigurationError, NotFoundError
from overread.forking import lock_for_forks
from overread.hospital.application.cases import Case, CaseOutcome, CaseState
from overread.hospital.application.charts import Alarm
from overread.hospital.application.grouping import Drawable, Grouping, Tally, drawables_of, tallies_of
from overread.hospital.application.observations import Observation, observations_of
from overread.hospital.application.ports import (
    AccessKeys,
    Assignments,
    AuthorResponses,
    Batches,
    Cases,
    Deliveries,
    Delivery,
    Digests,
    EditTally,
    EndedSessions,
    FeedNotice,
    Feeds,
    Job,
    Jobs,
    KeptPair,
    KeptReview,
    LearningPoints,
    NoticeKind,
    Notices,
    PairActions,
    Pairs,
    ReadingProtocols,
    Refusals,
    Reviews,
    Sampled,
    Samples,
    Stated,
    Trail,
    UnitOfWork,
    Versions,
)
from overread.hospital.application.requests import (
    BatchState,
    Erased,
    PairState,
    Refusal,
    Search,
    WorklistPage,
    WorklistRow,
)
from overread.hospital.domain.access import AccessKey
from overread.hospital.domain.audit_trail import BEFORE_THE_FIRST, AuditEvent, seal_event
from overread.hospital.domain.examination import Examination, ExaminationKey
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.patient_merge import MergeKind, PatientMerge
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.hospital.domain.review import Radpeer, Review, Verdict, standing_score
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.testing import _learning, _protocols
from overread.hospital.testing._feeds import MemoryFeeds
from overread.hospital.testing._protocols import hidden_pairs
from overread.hospital.testing._rows import examination_of, numbers_of, page_of, row_of, rows_found, state_of
from overread.hospital.testing._state import BatchRow, DeliveryRow, JobRow, NoticeRow, PairRow, State, VersionRow

__all__ = ["MemoryHospitalStore"]

T = TypeVar("T")
R = TypeVar("R")

_BLANK: Final = Report("")


class MemoryHospitalStore:
    """Keeps everything in memory, under the promises of `HospitalStore`; for tests, since it ends with the process.

    A unit of work writes to a copy, which becomes the store when it ends. Report text is kept plain.

    >>> store = MemoryHospitalStore()
    >>> with store.transaction() as unit:
    ...     batch, new = unit.batches.add("night", owner="pacs", key="", made=datetime(2026, 11, 1))
    >>> with store.reading() as unit:
    ...     unit.batches.state(batch)[0].is_done
    True
    """

    def __init__(self) -> None:
        self._state = State()
        self._writing = lock_for_forks()

    @contextmanager
    def transaction(self) -> Iterator[UnitOfWork]:
        """One writer at a time; what it writes is kept when the block ends, and nothing where it raises."""
        with self._writing:
            unit = _Unit(self._state.copy())
            yield unit
            self._state = unit.tables

    @contextmanager
    def reading(self) -> Iterator[UnitOfWork]:
        """A unit of work on what is kept now. Raises `TypeError` or `AttributeError` where it is written to."""
        yield _Unit(self._state.make_read_only())

    def check(self) -> None:
        """It can always be read and written."""

    def has_room(self) -> bool:
        """Always true, as far as there is memory."""
        return True

    def join(self) -> None:
        """Claims end with the process, as all does."""

    def close(self) -> None:
        """Nothing is held open."""


@frozen
class _Versions:
    tables: State

    def lock(self, keys: Sequence[ExaminationKey]) -> None:
        """One unit of work writes at a time anyway."""

    def resent(self, version: ReportVersion) -> int | None:
        digest = _text_digest(version.text)
        known = list(self.tables.versions.values())
        same = [row for row in known if _is_same_message(row.kept.version, version) and row.text_digest == digest]
        newest = [row for row in known if _is_same_report(row.kept.version, version)][-1:]
        repeated = same or [
            row for row in newest if row.text_digest == digest and not _is_reversed(version, row.kept, known)
        ]
        if not repeated or not self._knows_patients(repeated[0].kept.version, version):
            return None
        return repeated[0].kept.number

    def add(self, version: ReportVersion, arrived: datetime) -> KeptVersion:
        digest = _text_digest(version.text)
        entry = KeptVersion(number=self.tables.next("version"), arrived=arrived, version=version, digest=digest)
        self.tables.versions[entry.number] = VersionRow(kept=entry, text_digest=digest)
        return self._with_patients(entry)

    def stated(self, after: int = 0, limit: int = 1000) -> Sequence[Stated]:
        entries = [row.kept for number, row in sorted(self.tables.versions.items()) if number > after]
        return [
            Stated(number=entry.number, said=[f"{entry.number} {entry.digest} {evolve(entry.version, text=_BLANK)!r}"])
            for entry in entries[:limit]
        ]

    def of_patient(self, site: str, patient: str) -> Sequence[ExaminationKey]:
        stands = self._standing(site, patient)
        every = [examination for row in self.tables.versions.values() for examination in row.kept.version.examinations]
        keys = [
            examination.key
            for examination in every
            if examination.site == site and self._standing(site, examination.patient) == stands
        ]
        return list(dict.fromkeys(keys))

    def _with_patients(self, kept: KeptVersion) -> KeptVersion:
        return evolve(kept, patients=self._patients(kept.version))

    def _patients(self, version: ReportVersion) -> list[str]:
        return [self._standing(examination.site, examination.patient) for examination in version.examinations]

    def _standing(self, site: str, patient: str) -> str:
        return self.tables.merged.get((site, patient), patient)

    def _knows_patients(self, known: ReportVersion, version: ReportVersion) -> bool:
        pairs = zip(self._patients(version), self._patients(known), strict=True)
        return all(new in ("", old) for new, old in pairs)

    def related(self, keys: Sequence[ExaminationKey]) -> Sequence[KeptVersion]:
        known = [row.kept for row in self.tables.versions.values()]
        wanted, before = set(keys), -1
        while len(wanted) > before:
            before = len(wanted)
            wanted.update(
                key for entry in known if wanted.intersection(entry.version.keys) for key in entry.version.keys
            )
        return [self._with_patients(entry) for entry in known if wanted.intersection(entry.version.keys)]

    def get(self, numbers: Sequence[int]) -> Sequence[KeptVersion]:
        return [_row(self.tables.versions, number, "version").kept for number in numbers]

    def examination(self, key: ExaminationKey) -> Examination:
        return examination_of(self.tables, key)

    def forget_texts(self, before: datetime) -> int:
        old = [row for row in self.tables.versions.values() if row.kept.arrived < before and row.kept.has_text]
        for row in old:
            blank = evolve(row.kept, version=evolve(row.kept.version, text=_BLANK), has_text=False)
            self.tables.versions[row.kept.number] = evolve(row, kept=blank)
        return len(old)


@frozen
class _Pairs:
    tables: State

    def add(self, pair: VersionPair, report_pair: ReportPair | None, *, made: datetime) -> tuple[int, bool]:
        for row in self.tables.pairs.values():
            if row.pair == pair:
                return row.number, False
        digest = pair_digest(report_pair) if report_pair is not None else _text_digest(Report(repr(pair)))
        name = report_pair.id if report_pair is not None else ""
        return self._keep(pair=pair, report_pair=report_pair, name=name, digest=digest, made=made), True

    def add_given(self, pairs: Sequence[ReportPair], *, owner: str, batch: int | None, made: datetime) -> Sequence[int]:
        given = VersionPair(kind=PairKind.GIVEN, candidate=(), reference=())
        return [
            self._keep(
                pair=given,
                report_pair=pair,
                name=pair.id,
                digest=pair_digest(pair),
                made=made,
                owner=owner,
                batch=batch,
            )
            for pair in pairs
        ]

    def _keep(
        self,
        *,
        pair: VersionPair,
        report_pair: ReportPair | None,
        name: str,
        digest: str,
        made: datetime,
        owner: str = "",
        batch: int | None = None,
    ) -> int:
        number = self.tables.next("pair")
        self.tables.pairs[number] = PairRow(
            number=number,
            pair=pair,
            report_pair=report_pair,
            name=name,
            digest=digest,
            made=made,
            owner=owner,
            batch=batch,
        )
        return number

    def get(self, numbers: Sequence[int]) -> Sequence[KeptPair]:
        return [self._as_kept_pair(_row(self.tables.pairs, number, "pair")) for number in numbers]

    def _as_kept_pair(self, row: PairRow) -> KeptPair:
        compared = (*row.pair.candidate, *row.pair.reference)
        whole = all(self.tables.versions[number].kept.has_text for number in compared)
        return KeptPair(
            number=row.number,
            pair=row.pair,
            report_pair=row.report_pair if whole else None,
            digest=row.digest,
            state=state_of(self.tables, row),
            owner=row.owner,
            batch=row.batch,
        )

    def of_versions(self, versions: Sequence[int]) -> Sequence[int]:
        wanted = set(versions)
        return [
            row.number
            for row in self.tables.pairs.values()
            if wanted.intersection((*row.pair.candidate, *row.pair.reference))
        ]

    def stated(self, after: int = 0, limit: int = 1000) -> Sequence[Stated]:
        rows = [row for number, row in sorted(self.tables.pairs.items()) if number > after]
        statements = (
            (row.number, f"{row.pair!r} {row.digest} {row.name} {row.owner} {row.batch}") for row in rows[:limit]
        )
        return [Stated(number=number, said=[statement]) for number, statement in statements]

    def misshown(self, after: int = 0, limit: int = 1000) -> tuple[int | None, Sequence[int]]:
        _ = limit
        return max((number for number in self.tables.pairs if number > after), default=None), ()

    def of_batch(self, batch: int) -> Sequence[int]:
        return [row.number for row in self.tables.pairs.values() if row.batch == batch]

    def withdraw(self, pairs: Sequence[int], *, withdrawn: bool = True) -> Sequence[int]:
        rows = [_row(self.tables.pairs, number, "pair") for number in pairs]
        changed = [row.number for row in rows if row.withdrawn is not withdrawn]
        self.tables.pairs.update((n, evolve(self.tables.pairs[n], withdrawn=withdrawn)) for n in changed)
        return sorted(changed)

    def add_results(self, results: Mapping[int, Mapping[str, EvaluationResult]]) -> None:
        for number, by_metric in results.items():
            row = _row(self.tables.pairs, number, "pair")
            for metric, result in by_metric.items():
                key = (row.digest, metric, str(result.signature))
                known = self.tables.results.get(key)
                if known is None or (result.is_scored and not known.is_scored):
                    self.tables.results[key] = evolve(result, outcome=evolve(result.outcome, evidence=None))

    def add_edits(self, edits: Mapping[int, Edits | None]) -> None:
        for pair, of_pair in edits.items():
            self.tables.edits.pop(pair, None)
            if of_pair is not None:
                self.tables.edits[pair] = of_pair

    def edit_tallies(self, search: Search, signatures: Sequence[str], *, hidden_from: str = "") -> Sequence[EditTally]:
        hidden = hidden_pairs(self.tables, hidden_from)
        rows = [row for row in rows_found(self.tables, search, signatures, hidden) if row.edits is not None]
        counted = [(row.weight, row.edits or {}) for row in rows]
        return [
            EditTally(
                type=kind,
                edits=sum(weight * edits[kind] for weight, edits in counted),
                pairs=sum(weight for weight, edits in counted if edits[kind]),
                near_copies=sum(weight for weight, _ in counted),
            )
            for kind in EditType
            if counted
        ]

    def results(self, numbers: Sequence[int]) -> Sequence[Sequence[EvaluationResult]]:
        rows = [_row(self.tables.pairs, number, "pair") for number in numbers]
        return [[result for key, result in self.tables.results.items() if key[0] == row.digest] for row in rows]

    def search(self, search: Search, signatures: Sequence[str], *, hidden_from: str = "") -> WorklistPage:
        return page_of(self.tables, search, signatures, hidden_pairs(self.tables, hidden_from))

    def rows(self, numbers: Sequence[int], signatures: Sequence[str]) -> Sequence[WorklistRow]:
        return [row_of(self.tables, _row(self.tables.pairs, number, "pair"), signatures) for number in numbers]

    def numbers(self, search: Search, signatures: Sequence[str], *, hidden_from: str = "") -> Sequence[int]:
        return numbers_of(self.tables, search, signatures, hidden_pairs(self.tables, hidden_from))

    def tallies(
        self, search: Search, signatures: Sequence[str], by: Sequence[Grouping], *, hidden_from: str = ""
    ) -> Sequence[Tally]:
        hidden = hidden_pairs(self.tables, hidden_from)
        return list(tallies_of(rows_found(self.tables, search, signatures, hidden), by))

    def observations(
        self, search: Search, signatures: Sequence[str], *, hidden_from: str = ""
    ) -> Sequence[Observation]:
        rows = rows_found(self.tables, search, signatures, hidden_pairs(self.tables, hidden_from))
        return sorted(observations_of(rows), key=lambda observation: observation.pair)

    def drawables(
        self, search: Search, signatures: Sequence[str], by: Grouping, *, hidden_from: str = ""
    ) -> Sequence[Drawable]:
        rows = rows_found(self.tables, search, signatures, hidden_pairs(self.tables, hidden_from))
        return sorted(drawables_of(rows, by), key=lambda drawable: drawable.pair)

    def forget_texts(self, before: datetime) -> int:
        waiting = {job.pair for job in self.tables.jobs.values()}
        old = [
            row
            for row in self.tables.pairs.values()
            if row.pair.kind is PairKind.GIVEN
            and row.made < before
            and row.report_pair is not None
            and row.number not in waiting
        ]
        self.tables.pairs.update((row.number, evolve(row, report_pair=None)) for row in old)
        return len(old)


@frozen
class _Jobs:
    tables: State

    def add(self, pairs: Sequence[int], *, profile: str = "") -> None:
        queued = {(job.pair, job.profile) for job in self.tables.jobs.values()}
        for pair in dict.fromkeys(pairs):
            if (pair, profile) not in queued:
                number = self.tables.next("job")
                self.tables.jobs[number] = JobRow(number=number, pair=pair, profile=profile)

    def claim(self, worker: str, *, limit: int, now: datetime, lease: timedelta, profile: str) -> Sequence[Job]:
        free = [job for job in self.tables.jobs.values() if _is_free(job, now) and job.profile in ("", profile)]
        claimed = [evolve(job, worker=worker, free_from=now + lease, attempts=job.attempts + 1) for job in free[:limit]]
        self.tables.jobs.update((job.number, job) for job in claimed)
        return [Job(number=job.number, pair=job.pair, profile=job.profile, attempts=job.attempts) for job in claimed]

    def extend(self, worker: str, jobs: Sequence[int], *, until: datetime) -> Sequence[int]:
        had = self._had(worker, jobs)
        self.tables.jobs.update((job.number, evolve(job, free_from=until)) for job in had)
        return [job.number for job in had]

    def finish(self, worker: str, jobs: Sequence[int]) -> Sequence[int]:
        had = self._had(worker, jobs)
        for job in had:
            del self.tables.jobs[job.number]
        return [job.number for job in had]

    def release(self, worker: str, jobs: Sequence[int], *, again: datetime) -> None:
        for job in self._had(worker, jobs):
            self.tables.jobs[job.number] = evolve(job, worker="", free_from=again, attempts=job.attempts - 1)

    def waiting(self) -> int:
        return len(self.tables.jobs)

    def _had(self, worker: str, jobs: Sequence[int]) -> list[JobRow]:
        existing = [self.tables.jobs[number] for number in jobs if number in self.tables.jobs]
        return [job for job in existing if job.worker == worker]


@frozen
class _Batches:
    tables: State

    def add(self, name: str, *, owner: str, key: str, made: datetime) -> tuple[int, bool]:
        _ = made
        for number, row in self.tables.batches.items():
            if key and (row.owner, row.key) == (owner, key):
                return number, False
        number = self.tables.next("batch")
        self.tables.batches[number] = BatchRow(name=name, owner=owner, key=key)
        return number, True

    def state(self, batch: int) -> tuple[BatchState, str]:
        row = _row(self.tables.batches, batch, "batch")
        states = [state_of(self.tables, pair) for pair in self.tables.pairs.values() if pair.batch == batch]
        counts = {state.value: states.count(state) for state in PairState}
        return BatchState(number=batch, name=row.name, pairs=len(states), **counts), row.owner


@frozen
class _Reviews:
    tables: State

    def add(self, pair: int, review: Review) -> None:
        _row(self.tables.pairs, pair, "pair")
        self.tables.reviews[pair] = (*self.tables.reviews.get(pair, ()), review)

    def of(self, pairs: Sequence[int]) -> Sequence[Sequence[Review]]:
        return [self.tables.reviews.get(pair, ()) for pair in pairs]

    def stated(self, after: int = 0, limit: int = 1000) -> Sequence[KeptReview]:
        every = [(pair, review) for pair, reviews in self.tables.reviews.items() for review in reviews]
        bare = [(pair, evolve(review, comment="", verdicts=_wordless(review))) for pair, review in every]
        entries = [KeptReview(number=number, pair=pair, review=review) for number, (pair, review) in enumerate(bare, 1)]
        return entries[after : after + limit]

    def shown(self) -> Mapping[int, Radpeer | None]:
        return {pair: standing_score(reviews) for pair, reviews in self.tables.reviews.items()}


def _wordless(review: Review) -> tuple[Verdict, ...]:
    return tuple(evolve(verdict, reason="") for verdict in review.verdicts)


@frozen
class _Samples:
    tables: State

    def add(self, drawn: Sequence[Sampled], *, description: str, by: str, made: datetime) -> int:
        _ = description, by, made
        number = self.tables.next("sample")
        self.tables.samples[number] = tuple(drawn)
        return number

    def get(self, sample: int) -> Sequence[Sampled]:
        return _row(self.tables.samples, sample, "sample")


@frozen
class _Cases:
    tables: State

    def add(self, alarms: Sequence[Alarm], *, opened: datetime) -> Sequence[int]:
        numbers = []
        for alarm in alarms:
            if (alarm.chart, alarm.pair) not in {(each.alarm.chart, each.alarm.pair) for each in self._all()}:
                numbers.append(self.tables.next("case"))
                self.tables.cases[numbers[-1]] = Case(number=numbers[-1], alarm=alarm, opened=opened)
        return numbers

    def get(self, number: int) -> Case:
        return _row(self.tables.cases, number, "case")

    def every(self) -> Sequence[Case]:
        return self._all()[::-1]

    def close(self, number: int, *, outcome: CaseOutcome, why: str, by: str, at: datetime) -> None:
        case = self.tables.cases.get(number)
        if case is None or case.state is CaseState.CLOSED:
            raise NotFoundError(f"there is no open case {number}")
        self.tables.cases[number] = evolve(
            case, state=CaseState.CLOSED, closed=at, closed_by=by, outcome=outcome, why=why
        )

    def _all(self) -> list[Case]:
        return list(self.tables.cases.values())


@frozen
class _Refusals:
    tables: State

    def add(self, refusal: Refusal) -> None:
        self.tables.refusals[self.tables.next("refusal")] = refusal

    def newest(self, limit: int) -> Sequence[Refusal]:
        return list(reversed(self.tables.refusals.values()))[:limit]

    def forget(self, before: datetime) -> int:
        old = [number for number, refusal in self.tables.refusals.items() if refusal.at < before]
        for number in old:
            del self.tables.refusals[number]
        return len(old)


@frozen
class _Trail:
    tables: State

    def append(self, event: AuditEvent) -> AuditEvent:
        number = self.tables.next("event")
        before = self.tables.events.get(number - 1)
        entry = seal_event(event, number=number, previous=before.digest if before else BEFORE_THE_FIRST)
        self.tables.events[number] = entry
        return entry

    def events(self, after: int = 0, limit: int = 1000) -> Sequence[AuditEvent]:
        return [event for number, event in self.tables.events.items() if number > after][:limit]


@frozen
class _AccessKeys:
    tables: State

    def add(self, key: AccessKey) -> None:
        if key.name in self.tables.keys:
            raise ConfigurationError([f"a key named {key.name!r} already exists"])
        self.tables.keys[key.name] = key

    def by_prefix(self, prefix: str) -> AccessKey | None:
        return next((key for key in self.tables.keys.values() if key.prefix == prefix), None)

    def every(self) -> Sequence[AccessKey]:
        return list(self.tables.keys.values())

    def revoke(self, name: str, at: datetime) -> None:
        key = _row(self.tables.keys, name, "key")
        self.tables.keys[name] = evolve(key, revoked=key.revoked or at)


@frozen
class _EndedSessions:
    tables: State

    def add(self, session: str, *, now: datetime, until: datetime) -> bool:
        for past in [key for key, end in self.tables.sessions.items() if end <= now]:
            del self.tables.sessions[past]
        earlier = self.tables.sessions.get(session)
        if earlier is not None and earlier >= until:
            return False
        self.tables.sessions[session] = until
        return True

    def has(self, sessions: Collection[str], *, until: datetime) -> bool:
        ends = (self.tables.sessions.get(session) for session in sessions)
        return any(end is not None and end >= until for end in ends)


@frozen
class _Deliveries:
    tables: State

    def add(self, pairs: Sequence[int], target: str) -> None:
        known = {row.pair for row in self.tables.deliveries.values() if row.target == target}
        for pair in dict.fromkeys(pairs):
            if pair not in known:
                number = self.tables.next("delivery")
                self.tables.deliveries[number] = DeliveryRow(number=number, pair=pair, target=target)

    def claim(self, worker: str, *, limit: int, now: datetime, lease: timedelta) -> Sequence[Delivery]:
        free = [row for row in self.tables.deliveries.values() if not row.done and _is_free(row, now)]
        claimed = [evolve(row, worker=worker, free_from=now + lease, attempts=row.attempts + 1) for row in free[:limit]]
        self.tables.deliveries.update((row.number, row) for row in claimed)
        return [Delivery(number=row.number, pair=row.pair, target=row.target, attempts=row.attempts) for row in claimed]

    def finish(self, worker: str, deliveries: Sequence[int]) -> None:
        for row in self._had(worker, deliveries):
            self.tables.deliveries[row.number] = evolve(row, done=True)

    def release(self, worker: str, deliveries: Sequence[int], *, again: datetime | None) -> None:
        for row in self._had(worker, deliveries):
            self.tables.deliveries[row.number] = evolve(row, worker="", free_from=again, done=again is None)

    def waiting(self) -> int:
        return sum(not row.done for row in self.tables.deliveries.values())

    def _had(self, worker: str, deliveries: Sequence[int]) -> list[DeliveryRow]:
        existing = [self.tables.deliveries[number] for number in deliveries if number in self.tables.deliveries]
        return [row for row in existing if row.worker == worker and not row.done]


@frozen
class _Notices:
    tables: State

    def add(self, kind: NoticeKind, feed: Feed, *, since: datetime, at: datetime, targets: Sequence[str]) -> None:
        for target in targets:
            number = self.tables.next("notice")
            notice = FeedNotice(number=number, kind=kind, feed=feed, since=since, at=at, target=target, attempts=0)
            self.tables.notices[number] = NoticeRow(number=number, notice=notice)

    def claim(self, worker: str, *, limit: int, now: datetime, lease: timedelta) -> Sequence[FeedNotice]:
        free = [row for row in self.tables.notices.values() if not row.done and _is_free(row, now)]
        claimed = [
            evolve(
                row,
                worker=worker,
                free_from=now + lease,
                notice=evolve(row.notice, attempts=row.notice.attempts + 1),
            )
            for row in free[:limit]
        ]
        self.tables.notices.update((row.number, row) for row in claimed)
        return [row.notice for row in claimed]

    def finish(self, worker: str, notices: Sequence[int]) -> None:
        for row in self._had(worker, notices):
            self.tables.notices[row.number] = evolve(row, done=True)

    def release(self, worker: str, notices: Sequence[int], *, again: datetime | None) -> None:
        for row in self._had(worker, notices):
            self.tables.notices[row.number] = evolve(row, worker="", free_from=again, done=again is None)

    def waiting(self) -> int:
        return sum(not row.done for row in self.tables.notices.values())

    def _had(self, worker: str, notices: Sequence[int]) -> list[NoticeRow]:
        existing = [self.tables.notices[number] for number in notices if number in self.tables.notices]
        return [row for row in existing if row.worker == worker and not row.done]


@define
class _Unit:
    """A unit of work over tables of its own."""

    tables: State
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
        self.versions = _Versions(self.tables)
        self.pairs = _Pairs(self.tables)
        self.jobs = _Jobs(self.tables)
        self.batches = _Batches(self.tables)
        self.reviews = _Reviews(self.tables)
        self.protocols = _protocols.ReadingProtocols(self.tables)
        self.assignments = _protocols.Assignments(self.tables)
        self.learning = _learning.LearningPoints(self.tables)
        self.actions = _learning.PairActions(self.tables)
        self.responses = _learning.AuthorResponses(self.tables)
        self.digests = _learning.Digests(self.tables)
        self.samples = _Samples(self.tables)
        self.cases = _Cases(self.tables)
        self.refusals = _Refusals(self.tables)
        self.trail = _Trail(self.tables)
        self.keys = _AccessKeys(self.tables)
        self.sessions = _EndedSessions(self.tables)
        self.deliveries = _Deliveries(self.tables)
        self.feeds = MemoryFeeds(self.tables)
        self.notices = _Notices(self.tables)

    def merge_kind(self, merge: PatientMerge) -> MergeKind:
        stands = self._standing(merge.site, merge.surviving)
        if stands != self._standing(merge.site, merge.merged):
            return MergeKind.MERGED
        return MergeKind.REVERSED if stands == merge.merged else MergeKind.KNOWN

    def merge_patients(self, merge: PatientMerge) -> int:
        surviving, merged = self._standing(merge.site, merge.surviving), self._standing(merge.site, merge.merged)
        if surviving == merged:
            return 0
        moved = self._examinations_of(merge.site, merged)
        for key in [key for key, stands in self.tables.merged.items() if (key[0], stands) == (merge.site, merged)]:
            self.tables.merged[key] = surviving
        self.tables.merged[merge.site, merged] = surviving
        return len(moved)

    def erase_patient(self, site: str | None, patient: str) -> Erased:
        gone = self._examinations_of(site, patient)
        versions = [n for n, row in self.tables.versions.items() if gone.intersection(row.kept.version.keys)]
        one = {(at, self._standing(at, patient)) for at, _ in self.tables.merged if site in (None, at)}
        _drop(self.tables.merged, [key for key, stands in self.tables.merged.items() if (key[0], stands) in one])
        return self._erase(versions, [])

    def _examinations_of(self, site: str | None, patient: str) -> set[ExaminationKey]:
        return {
            examination.key
            for row in self.tables.versions.values()
            for examination in row.kept.version.examinations
            if site in (None, examination.site)
            and self._standing(examination.site, examination.patient) == self._standing(examination.site, patient)
        }

    def _standing(self, site: str, patient: str) -> str:
        return self.tables.merged.get((site, patient), patient)

    def erase_before(self, before: datetime) -> Erased:
        recent = {
            key for row in self.tables.versions.values() if row.kept.arrived >= before for key in row.kept.version.keys
        }
        versions = [n for n, row in self.tables.versions.items() if not recent.intersection(row.kept.version.keys)]
        given = [n for n, row in self.tables.pairs.items() if row.pair.kind is PairKind.GIVEN and row.made < before]
        return self._erase(versions, given)

    def _erase(self, versions: Sequence[int], given: Sequence[int]) -> Erased:
        """Erases these versions and given pairs, and all that hangs on them."""
        tables = self.tables
        before = {key for row in tables.versions.values() for key in row.kept.version.keys}
        texts = sum(tables.versions[number].kept.has_text for number in versions)
        texts += sum(tables.pairs[number].report_pair is not None for number in given)
        pairs = {*given, *self.pairs.of_versions(versions)}
        reviews = sum(len(tables.reviews.pop(pair, ())) for pair in pairs)
        _drop(tables.versions, versions)
        _drop(tables.pairs, pairs)
        _drop(tables.edits, pairs & tables.edits.keys())
        _drop(tables.jobs, [n for n, job in tables.jobs.items() if job.pair in pairs])
        _drop(tables.deliveries, [n for n, delivery in tables.deliveries.items() if delivery.pair in pairs])
        _drop(tables.assignments, [n for n, assignment in tables.assignments.items() if assignment.pair in pairs])
        _drop(tables.learning, [n for n, point in tables.learning.items() if point.pair in pairs])
        _drop(tables.actions, [n for n, action in tables.actions.items() if action.pair in pairs])
        _drop(tables.responses, [n for n, response in tables.responses.items() if response.pair in pairs])
        for number, read in tables.protocol_pairs.items():
            tables.protocol_pairs[number] = {pair: entry for pair, entry in read.items() if pair not in pairs}
        for number, case in tables.cases.items():
            if pairs.intersection(case.alarm.pairs):
                tables.cases[number] = evolve(case, why="")
        for number, drawn in tables.samples.items():
            tables.samples[number] = tuple(sampled for sampled in drawn if sampled.pair not in pairs)
        digests = {row.digest for row in tables.pairs.values()}
        results = [key for key in tables.results if key[0] not in digests]
        _drop(tables.results, results)
        after = {key for row in tables.versions.values() for key in row.kept.version.keys}
        return Erased(
            examinations=len(before - after),
            versions=len(versions),
            texts=texts,
            pairs=len(pairs),
            results=len(results),
            reviews=reviews,
        )


def _drop(table: dict[T, R], keys: Iterable[T]) -> None:
    for key in list(keys):
        del table[key]


def _row(table: Mapping[T, R], key: T, kind: str) -> R:
    if key not in table:
        raise NotFoundError(f"there is no {kind} {key}")
    return table[key]


def _is_free(row: JobRow | DeliveryRow | NoticeRow, now: datetime) -> bool:
    return row.free_from is None or row.free_from <= now


def _text_digest(text: Report) -> str:
    return hashlib.sha256(text.text.encode("utf-8", "surrogatepass")).hexdigest()


def _is_reversed(version: ReportVersion, before: KeptVersion, rows: Sequence[VersionRow]) -> bool:
    """Returns whether a report was cancelled after a version of it, or sent after it was cancelled."""
    later = [row.kept.version for row in rows if row.kept.number > before.number]
    about = [other for other in later if set(other.keys) & set(version.keys)]
    if version.status is ReportStatus.CANCELLED:
        return any(other.filler == version.filler or not version.filler for other in about)
    return any(other.filler in ("", version.filler) for other in about if other.status is ReportStatus.CANCELLED)


def _is_same_message(one: ReportVersion, other: ReportVersion) -> bool:
    if not one.message or (one.source, one.message) != (other.source, other.message):
        return False
    return (one.keys, one.status) == (other.keys, other.status)


def _is_same_report(one: ReportVersion, other: ReportVersion) -> bool:
    names = ("keys", "filler", "model", "status")
    return all(getattr(one, name) == getattr(other, name) for name in names)
