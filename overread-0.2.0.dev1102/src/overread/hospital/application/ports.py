"""Ports of the hospital service: what it asks of a store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from attrs import field, frozen

from overread.domain.differences.edits import Edits, EditType
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.cases import Case, CaseOutcome
from overread.hospital.application.charts import Alarm
from overread.hospital.application.coverage import FeedCounts, HalfPair, RefusedHour
from overread.hospital.application.grouping import Drawable, Grouping, Tally
from overread.hospital.application.learning import OwnQuery, PointQuery
from overread.hospital.application.observations import Observation
from overread.hospital.application.protocols import AssignmentQuery, ProtocolPair
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
from overread.hospital.domain.audit_trail import AuditEvent
from overread.hospital.domain.examination import Examination, ExaminationKey
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.learning import AuthorResponse, LearningPoint, PairAction
from overread.hospital.domain.patient_merge import MergeKind, PatientMerge
from overread.hospital.domain.reading import Assignment, PairProgress, ReadingProtocol, ReadingTask
from overread.hospital.domain.report_version import KeptVersion, ReportVersion
from overread.hospital.domain.review import Radpeer, Review
from overread.hospital.domain.version_pairs import VersionPair

__all__ = [
    "AccessKeys",
    "Assignments",
    "AuthorResponses",
    "Batches",
    "Cases",
    "Deliveries",
    "Delivery",
    "Digests",
    "EditTally",
    "EndedSessions",
    "FeedNotice",
    "Feeds",
    "HospitalStore",
    "Job",
    "Jobs",
    "KeptPair",
    "LearningPoints",
    "NoticeKind",
    "Notices",
    "PairActions",
    "Pairs",
    "ReadingProtocols",
    "Refusals",
    "Reviews",
    "Sampled",
    "Samples",
    "Stated",
    "Trail",
    "UnitOfWork",
    "Versions",
]


@frozen(kw_only=True)
class KeptPair:
    """A pair that is stored.

    Attributes:
        number: the store's.
        pair: which versions it compares; no versions for a pair that was given as two texts.
        report_pair: the texts as compared, None once they are no longer kept.
        digest: of the report pair, known although the texts are not.
        owner: name of who submitted it; "" for one that was made of versions.
        batch: number of the batch it was submitted in.
    """

    number: int
    pair: VersionPair
    report_pair: ReportPair | None
    digest: str
    state: PairState
    owner: str = ""
    batch: int | None = None


@frozen(kw_only=True)
class Job:
    """A pair to be scored.

    Attributes:
        number: of the job.
        pair: number of the pair.
        profile: digest of the signatures it must be scored under; "" for whatever those of the worker are.
        attempts: how often it was claimed and not given back, this time included: more than 1 after a worker that had
            it died.
    """

    number: int
    pair: int
    profile: str = ""
    attempts: int = 1


@frozen(kw_only=True)
class Delivery:
    """Word of a scored pair that is to be sent to a target; ``attempts`` counts this one too."""

    number: int
    pair: int
    target: str
    attempts: int = 1


class NoticeKind(StrEnum):
    """Kinds of word about a feed, as messages name them."""

    SILENT = "feed.silent"
    HEARD = "feed.heard"
    """It was silent, and a message came."""


@frozen(kw_only=True)
class FeedNotice:
    """Word about a feed that is to be sent to a target; ``attempts`` counts this one too.

    Attributes:
        number: of the notice.
        kind: of word.
        feed: that it is about.
        since: when the last message before the silence came.
        at: when the silence was noticed, or was seen to be over.
        target: name of the target.
    """

    number: int
    kind: NoticeKind
    feed: Feed
    since: datetime
    at: datetime
    target: str
    attempts: int = 1


@frozen(kw_only=True)
class EditTally:
    """Edits of one type in the pairs that a search finds; those of a sample with their weights.

    Attributes:
        type: of the edits.
        edits: number of them.
        pairs: number of pairs with one or more.
        near_copies: number of pairs in which edits were looked for; the same for each type.
    """

    type: EditType
    edits: float
    pairs: float
    near_copies: float


@frozen(kw_only=True)
class KeptReview:
    """A review as it is kept, without its words: its number, that of its pair, and what was said."""

    number: int
    pair: int
    review: Review


@frozen(kw_only=True)
class Stated:
    """A row as events of the trail tell of it.

    Attributes:
        number: of the row.
        said: all that it says, in a text without report text; first as it stands, then as it would have stood before
            identifiers of its patients were merged.
    """

    number: int
    said: tuple[str, ...] = field(converter=in_tuple, repr=False)


@frozen(kw_only=True)
class Sampled:
    """A pair of a drawn sample, with the number of pairs that it stands for."""

    pair: int
    weight: float


class Versions(Protocol):
    """The versions of reports, each kept as it arrived."""

    def lock(self, keys: Sequence[ExaminationKey]) -> None:
        """Keep everybody else from adding versions of these examinations until the unit of work ends.

        What is read of them afterwards is as it stands then, not as it stood when the unit of work began.
        """
        ...

    def resent(self, version: ReportVersion) -> int | None:
        """Number of the version that this one repeats, None where it is new.

        It repeats one of the same source, message, examinations, status and text; else the newest of the same
        examinations, filler number, model and status, if that has the same text. One control number for two texts, as
        some senders give it, makes two versions; a text that comes back after another was there does so too. So does
        one that tells of another patient, or tells of whom it is for the first time: it would not be found by them.
        """
        ...

    def add(self, version: ReportVersion, arrived: datetime) -> KeptVersion:
        """Keep a version and what it tells of its examinations."""
        ...

    def stated(self, after: int = 0, limit: int = 1000) -> Sequence[Stated]:
        """Versions as they were told, oldest first, from the one after a number on; no key of texts is needed."""
        ...

    def of_patient(self, site: str, patient: str) -> Sequence[ExaminationKey]:
        """The examinations at a site that any version says are of a patient, under any identifier that was merged."""
        ...

    def related(self, keys: Sequence[ExaminationKey]) -> Sequence[KeptVersion]:
        """All versions of these examinations and of those that share a report with them, oldest first, with text."""
        ...

    def get(self, numbers: Sequence[int]) -> Sequence[KeptVersion]:
        """The versions of these numbers, in that order. Raises `NotFoundError` if one is not there."""
        ...

    def examination(self, key: ExaminationKey) -> Examination:
        """Return what is known of an examination. Raises `NotFoundError` if it is not there."""
        ...

    def forget_texts(self, before: datetime) -> int:
        """Drop the texts of versions that arrived before a moment; their digests stay. The number dropped."""
        ...


class Pairs(Protocol):
    """The pairs that are compared, and their results."""

    def add(self, pair: VersionPair, report_pair: ReportPair | None, *, made: datetime) -> tuple[int, bool]:
        """Keep a pair of versions; its number, and whether it is new. The same versions make one pair.

        Args:
            pair: of versions.
            report_pair: the texts as they are to be compared; None if one is no longer kept.
            made: when, in UTC.
        """
        ...

    def add_given(self, pairs: Sequence[ReportPair], *, owner: str, batch: int | None, made: datetime) -> Sequence[int]:
        """Keep pairs that were given as texts; their numbers."""
        ...

    def get(self, numbers: Sequence[int]) -> Sequence[KeptPair]:
        """The pairs of these numbers, in that order. Raises `NotFoundError` if one is not there."""
        ...

    def of_versions(self, versions: Sequence[int]) -> Sequence[int]:
        """Numbers of the pairs that any of these versions is part of."""
        ...

    def stated(self, after: int = 0, limit: int = 1000) -> Sequence[Stated]:
        """Pairs as events tell of them, oldest first, from the one after a number on; no key of texts is needed."""
        ...

    def misshown(self, after: int = 0, limit: int = 1000) -> tuple[int | None, Sequence[int]]:
        """Pairs of which lists show something else than their results tell, among so many after a number.

        Returns:
            The last number that was looked at, None where there was none; and the pairs.
        """
        ...

    def of_batch(self, batch: int) -> Sequence[int]:
        """Numbers of the pairs of a batch, in the order submitted."""
        ...

    def withdraw(self, pairs: Sequence[int], *, withdrawn: bool = True) -> Sequence[int]:
        """Mark pairs as withdrawn, or as standing again; the numbers of those that were not marked so before.

        Results, reviews and samples stay. What is withdrawn is found by a search that asks for it alone.
        """
        ...

    def add_results(self, results: Mapping[int, Mapping[str, EvaluationResult]]) -> None:
        """Keep the results of pairs by metric. The same pair under the same signature is kept once.

        A score takes the place of an earlier reason why there was none; nothing else is replaced.
        """
        ...

    def add_edits(self, edits: Mapping[int, Edits | None]) -> None:
        """Keep the numbers of edits of pairs by type, in place of earlier ones; none of one that is no near copy."""
        ...

    def edit_tallies(self, search: Search, signatures: Sequence[str], *, hidden_from: str = "") -> Sequence[EditTally]:
        """Edits by type in all pairs that a search finds, in the order of the types; as of `tallies`."""
        ...

    def results(self, numbers: Sequence[int]) -> Sequence[Sequence[EvaluationResult]]:
        """All results of each pair, oldest first."""
        ...

    def search(self, search: Search, signatures: Sequence[str], *, hidden_from: str = "") -> WorklistPage:
        """A page of the worklist.

        Args:
            search: whose criteria must hold.
            signatures: the present ones, of radot and notation among them.
            hidden_from: name of who asks; pairs that are blinded to them, see `ReadingProtocols.blinded`, are not
                found. So in the methods below.
        """
        ...

    def rows(self, numbers: Sequence[int], signatures: Sequence[str]) -> Sequence[WorklistRow]:
        """The worklist's rows of these pairs, in that order."""
        ...

    def numbers(self, search: Search, signatures: Sequence[str], *, hidden_from: str = "") -> Sequence[int]:
        """Numbers of all pairs that a search finds, in number order; ``after`` and ``limit`` do not count."""
        ...

    def tallies(
        self, search: Search, signatures: Sequence[str], by: Sequence[Grouping], *, hidden_from: str = ""
    ) -> Sequence[Tally]:
        """All pairs that a search finds, counted by what is alike in them; a sample's with their weights.

        ``after`` and ``limit`` do not count.
        """
        ...

    def observations(
        self, search: Search, signatures: Sequence[str], *, hidden_from: str = ""
    ) -> Sequence[Observation]:
        """All pairs that a search finds, in number order, as charts take them; a sample's with their weights.

        ``after`` and ``limit`` do not count; ``hidden_from`` as in `search`.
        """
        ...

    def drawables(
        self, search: Search, signatures: Sequence[str], by: Grouping, *, hidden_from: str = ""
    ) -> Sequence[Drawable]:
        """All pairs that a search finds, in number order, with what samples are drawn by; as of `tallies`."""
        ...

    def forget_texts(self, before: datetime) -> int:
        """Drop the texts of given pairs that were made before a moment and do not wait. The number dropped."""
        ...


class Jobs(Protocol):
    """The queue of pairs to be scored. Several processes may claim at once; each job has one claimant."""

    def add(self, pairs: Sequence[int], *, profile: str = "") -> None:
        """Queue pairs; one that is queued for the same profile is not queued again."""
        ...

    def claim(self, worker: str, *, limit: int, now: datetime, lease: timedelta, profile: str) -> Sequence[Job]:
        """Jobs for a worker to do until its lease ends; those of its profile or of any, the oldest first."""
        ...

    def extend(self, worker: str, jobs: Sequence[int], *, until: datetime) -> Sequence[int]:
        """Lengthen the lease of jobs; the numbers of those that the worker still has."""
        ...

    def finish(self, worker: str, jobs: Sequence[int]) -> Sequence[int]:
        """Take done jobs off the queue; the numbers of those that the worker still had."""
        ...

    def release(self, worker: str, jobs: Sequence[int], *, again: datetime) -> None:
        """Give jobs back untried, to be claimed from a moment on; the attempt does not count."""
        ...

    def waiting(self) -> int:
        """Number of jobs on the queue, claimed ones included."""
        ...


class Batches(Protocol):
    """Batches that were submitted."""

    def add(self, name: str, *, owner: str, key: str, made: datetime) -> tuple[int, bool]:
        """A new batch's number and True; or that of the one ``owner`` submitted with the same key, and False."""
        ...

    def state(self, batch: int) -> tuple[BatchState, str]:
        """Progress of a batch, and its owner. Raises `NotFoundError` if it is not there."""
        ...


class Reviews(Protocol):
    """Reviews that people gave."""

    def add(self, pair: int, review: Review) -> None:
        """Keep a review; earlier ones stay."""
        ...

    def of(self, pairs: Sequence[int]) -> Sequence[Sequence[Review]]:
        """The reviews of each pair, oldest first."""
        ...

    def stated(self, after: int = 0, limit: int = 1000) -> Sequence[KeptReview]:
        """Reviews of all pairs, oldest first, from the one after a number on; no key of texts is needed."""
        ...

    def shown(self) -> Mapping[int, Radpeer | None]:
        """The score that lists and rates show of each pair that they show as reviewed, or with a score."""
        ...


class Samples(Protocol):
    """Samples that were drawn, with the weights that keep rates unbiased."""

    def add(self, drawn: Sequence[Sampled], *, description: str, by: str, made: datetime) -> int:
        """Keep a sample; its number."""
        ...

    def get(self, sample: int) -> Sequence[Sampled]:
        """A sample. Raises `NotFoundError` if it is not there."""
        ...


class ReadingProtocols(Protocol):
    """Protocols by which pairs are read."""

    def add(self, protocol: ReadingProtocol, pairs: Sequence[ProtocolPair]) -> int:
        """Keep a protocol, whatever its number, and its pairs; the number that it is given."""
        ...

    def get(self, number: int) -> ReadingProtocol:
        """A protocol. Raises `NotFoundError` if it is not there."""
        ...

    def page(self, after: int = 0, limit: int = 50) -> Sequence[ReadingProtocol]:
        """Protocols, oldest first, from the one after a number."""
        ...

    def pairs(self, number: int, pair: int | None = None) -> Sequence[ProtocolPair]:
        """The pairs of a protocol by their numbers, or the one that is named; without those that were deleted."""
        ...

    def settle(self, number: int, pair: int, progress: PairProgress, reason: str = "") -> None:
        """Note the progress of a pair, and why nobody can adjudicate it."""
        ...

    def close(self, number: int, at: datetime) -> None:
        """Let a protocol end; one that has ended before did so then."""
        ...

    def blinded(self, name: str, pairs: Sequence[int]) -> frozenset[int]:
        """Those of these pairs that are blinded to somebody.

        They are those of an active blinded protocol that they read for, and have not kept a review of in it, or that
        they adjudicate for, and which are not settled; and all others that share an examination with one of these.
        """
        ...

    def withheld(self, pairs: Sequence[int]) -> frozenset[int]:
        """Those of these pairs that anybody may be blinded to, and that are shown to no wider circle until then.

        They are those of active blinded protocols, and all others that share an examination with one of these.
        """
        ...


class Assignments(Protocol):
    """Tasks of reading protocols."""

    def add(
        self, protocol: int, slots: Sequence[tuple[int, str]], *, task: ReadingTask, due: datetime | None
    ) -> Sequence[int]:
        """Keep assignments, each of a pair and a reader, "" for none; their numbers."""
        ...

    def get(self, number: int) -> Assignment:
        """An assignment. Raises `NotFoundError` if it is not there."""
        ...

    def of(self, protocol: int, pair: int | None = None) -> Sequence[Assignment]:
        """Assignments of a protocol, or of one of its pairs, in order of their numbers."""
        ...

    def page(self, query: AssignmentQuery) -> Sequence[Assignment]:
        """Assignments by a query, in order of their numbers; those of closed protocols only if they are done."""
        ...

    def awaited(self, reader: str, pair: int) -> Sequence[Assignment]:
        """Somebody's own readings of a pair that are not done, in active protocols."""
        ...

    def claim(self, number: int, name: str, *, now: datetime, until: datetime) -> bool:
        """Keep others away until a moment; False where one of them has a claim, or the assignment is done."""
        ...

    def free(self, number: int, *, reader: str = "") -> bool:
        """Take an assignment from its reader and its claimant, and give it to another; False where it is done."""
        ...

    def finish(self, number: int, name: str, at: datetime) -> bool:
        """Mark an assignment as done by somebody, whose it is from then on; False where it was done before."""
        ...


class Cases(Protocol):
    """Cases that alarms of charts opened."""

    def add(self, alarms: Sequence[Alarm], *, opened: datetime) -> Sequence[int]:
        """Keep a case for each alarm; their numbers, without those of alarms that have one."""
        ...

    def get(self, number: int) -> Case:
        """A case. Raises `NotFoundError` if it is not there."""
        ...

    def every(self) -> Sequence[Case]:
        """All cases, the newest first."""
        ...

    def close(self, number: int, *, outcome: CaseOutcome, why: str, by: str, at: datetime) -> None:
        """Close an open case; its words are kept as reviewers' are."""
        ...


class LearningPoints(Protocol):
    """Learning points of pairs, and which pairs they are new to."""

    def add(self, point: LearningPoint) -> int:
        """Keep a learning point, whatever its number; the number that it is given.

        Raises `NotFoundError` if its pair is not there.
        """
        ...

    def get(self, number: int) -> LearningPoint:
        """A learning point. Raises `NotFoundError` if it is not there."""
        ...

    def of(self, pairs: Sequence[int]) -> Sequence[Sequence[LearningPoint]]:
        """The learning points of each pair, oldest first."""
        ...

    def nominate(self, number: int, *, nominated: bool) -> None:
        """Note whether a point is to be shown at a conference; that it was presented before is forgotten."""
        ...

    def present(self, pair: int, at: datetime) -> int:
        """Mark the nominated points of a pair as presented; how many had not been."""
        ...

    def nominated(self, query: PointQuery) -> Sequence[int]:
        """Numbers of the pairs of nominated points, in number order; of pairs that are withheld, none."""
        ...

    def own_pairs(self, query: OwnQuery) -> Sequence[int]:
        """Numbers of the pairs that somebody is an author of, the newest first.

        Pairs with a withdrawn report are not among them, nor those that are withheld, see `ReadingProtocols.withheld`.
        """
        ...


class PairActions(Protocol):
    """Actions about pairs."""

    def add(self, action: PairAction) -> int:
        """Keep an action, whatever its number; the number that it is given.

        Raises `NotFoundError` if its pair is not there.
        """
        ...

    def get(self, number: int) -> PairAction:
        """An action. Raises `NotFoundError` if it is not there."""
        ...

    def of(self, pair: int) -> Sequence[PairAction]:
        """The actions of a pair, oldest first."""
        ...

    def change(self, action: PairAction) -> None:
        """Keep an action's state, due date and change in place of the earlier ones."""
        ...

    def undone(self, after: int = 0, limit: int = 50, *, hidden_from: str = "") -> Sequence[PairAction]:
        """Actions that are not done, in number order, from the one after a number; as of `Pairs.search`."""
        ...


class AuthorResponses(Protocol):
    """Responses of authors to pairs."""

    def add(self, response: AuthorResponse) -> int:
        """Keep a response, whatever its number; the number that it is given."""
        ...

    def of(self, pairs: Sequence[int]) -> Sequence[Sequence[AuthorResponse]]:
        """The responses to each pair, oldest first."""
        ...


class Digests(Protocol):
    """Digests that were sent to authors, each once, whatever number of processes send them."""

    def claim(self, author: str, due: datetime, *, worker: str, now: datetime, lease: timedelta) -> bool:
        """Claim a digest until the lease ends; False where it was sent, or another has it."""
        ...

    def finish(self, author: str, due: datetime, *, worker: str) -> None:
        """Note that a digest needs to be sent no more."""
        ...

    def release(self, author: str, due: datetime, *, worker: str, again: datetime) -> None:
        """Give a digest back that could not be sent, to be claimed from a moment on."""
        ...


class Refusals(Protocol):
    """Messages that were not taken."""

    def add(self, refusal: Refusal) -> None:
        """Keep a refusal."""
        ...

    def newest(self, limit: int) -> Sequence[Refusal]:
        """The newest refusals first."""
        ...

    def forget(self, before: datetime) -> int:
        """Delete refusals of before a moment; how many they were."""
        ...


class Trail(Protocol):
    """The audit trail. Events are only ever added."""

    def append(self, event: AuditEvent) -> AuditEvent:
        """Add an event; its number and digest are set here, so that no two writers can branch the chain."""
        ...

    def events(self, after: int = 0, limit: int = 1000) -> Sequence[AuditEvent]:
        """Events in order, from the one after a number."""
        ...


class AccessKeys(Protocol):
    """Keys by which programs come in."""

    def add(self, key: AccessKey) -> None:
        """Keep a key. Raises `ConfigurationError` if one of its name is there."""
        ...

    def by_prefix(self, prefix: str) -> AccessKey | None:
        """The key of a prefix."""
        ...

    def every(self) -> Sequence[AccessKey]:
        """All keys, oldest first, revoked ones included."""
        ...

    def revoke(self, name: str, at: datetime) -> None:
        """Let a key end; one that has ended before did so then.

        Raises:
            NotFoundError: if none of that name is there.
        """
        ...


class EndedSessions(Protocol):
    """Sessions of people that were ended before their time, by their ids or by what several have in common."""

    def add(self, session: str, *, now: datetime, until: datetime) -> bool:
        """Let sessions end; False if all of them had ended before.

        Args:
            session: the id of one, or a mark that several may have.
            now: the time; those that would have ended by now anyway are forgotten.
            until: the latest time at which one that is to end would have ended anyway.
        """
        ...

    def has(self, sessions: Collection[str], *, until: datetime) -> bool:
        """Return whether a session was ended.

        Args:
            sessions: its id and its marks.
            until: when it ends anyway. One that ends later than those of its mark that were ended began after that.
        """
        ...


class Deliveries(Protocol):
    """The queue of deliveries about scored pairs, each kept until it arrives. As in `Jobs`, each has one claimant."""

    def add(self, pairs: Sequence[int], target: str) -> None:
        """Queue word of pairs to a target; a pair that was queued for it before, sent or not, is not queued again."""
        ...

    def claim(self, worker: str, *, limit: int, now: datetime, lease: timedelta) -> Sequence[Delivery]:
        """Deliveries to make until the lease ends, the oldest first."""
        ...

    def finish(self, worker: str, deliveries: Sequence[int]) -> None:
        """Mark deliveries as arrived."""
        ...

    def release(self, worker: str, deliveries: Sequence[int], *, again: datetime | None) -> None:
        """Give back failed deliveries, to be tried again from a moment on, or given up for good where that is None."""
        ...

    def waiting(self) -> int:
        """Number of deliveries that have neither arrived nor been given up."""
        ...


class Feeds(Protocol):
    """The feeds: what came by which door and from which site. No text and no identifier of a patient is told."""

    def counts(self, since: datetime, until: datetime) -> Sequence[FeedCounts]:
        """Numbers of each feed by quarters of an hour; those of messages and of pairs may stand in separate entries."""
        ...

    def refused(self, since: datetime, until: datetime) -> Sequence[RefusedHour]:
        """Refused messages by door, reason and quarter of an hour, which stands in the place of the hour."""
        ...

    def last(self) -> Mapping[Feed, datetime]:
        """The last message of each feed."""
        ...

    def finals_alone(self, since: datetime, until: datetime) -> Mapping[Feed, int]:
        """Numbers of examinations with a final report in the window and neither a draft nor a preliminary one ever."""
        ...

    def preliminaries_open(self, since: datetime, until: datetime) -> Mapping[Feed, int]:
        """Numbers of examinations with a draft or preliminary report in the window, and no final or cancelled one."""
        ...

    def twins(self, since: datetime, until: datetime, limit: int) -> Sequence[tuple[HalfPair, HalfPair]]:
        """Examinations of one patient and modality: one with no final report, and one with nothing else; up to so many.

        Both were reported on in the window.
        """
        ...

    def arrivals(self, feed: Feed, since: datetime) -> Sequence[datetime]:
        """Moments since one at which messages of a feed came, in order, each once."""
        ...

    def silences(self) -> Mapping[Feed, datetime]:
        """Feeds that are silent, each with when its last message came."""
        ...

    def begin_silence(self, feed: Feed, *, since: datetime, noticed: datetime) -> bool:
        """Keep that a feed is silent; False if that is known, so that one process alone tells of it."""
        ...

    def end_silence(self, feed: Feed) -> datetime | None:
        """Forget that a feed is silent; since when it was, None if it was not."""
        ...


class Notices(Protocol):
    """The queue of word about feeds, each kept until it arrives. As in `Deliveries`, each has one claimant."""

    def add(self, kind: NoticeKind, feed: Feed, *, since: datetime, at: datetime, targets: Sequence[str]) -> None:
        """Queue word of a feed to each target."""
        ...

    def claim(self, worker: str, *, limit: int, now: datetime, lease: timedelta) -> Sequence[FeedNotice]:
        """Notices to send until the lease ends, the oldest first."""
        ...

    def finish(self, worker: str, notices: Sequence[int]) -> None:
        """Mark notices as arrived."""
        ...

    def release(self, worker: str, notices: Sequence[int], *, again: datetime | None) -> None:
        """Give back failed notices, to be tried again from a moment on, or given up for good where that is None."""
        ...

    def waiting(self) -> int:
        """Number of notices that have neither arrived nor been given up."""
        ...


class UnitOfWork(Protocol):
    """The store within one transaction."""

    versions: Versions
    pairs: Pairs
    jobs: Jobs
    batches: Batches
    reviews: Reviews
    protocols: ReadingProtocols
    assignments: Assignments
    learning: LearningPoints
    actions: PairActions
    responses: AuthorResponses
    digests: Digests
    samples: Samples
    cases: Cases
    refusals: Refusals
    trail: Trail
    keys: AccessKeys
    sessions: EndedSessions
    deliveries: Deliveries
    feeds: Feeds
    notices: Notices

    def merge_kind(self, merge: PatientMerge) -> MergeKind:
        """Return what `merge_patients` would do; what others merge meanwhile waits until the transaction ends."""
        ...

    def merge_patients(self, merge: PatientMerge) -> int:
        """Keep under the surviving identifier what was, and will be, kept under the merged one.

        Chains hold: an identifier that was merged before stands for the one that survived it. Two that are one already
        stay so, whichever of them is said to survive.

        Returns:
            The number of examinations that changed hands.
        """
        ...

    def erase_patient(self, site: str | None, patient: str) -> Erased:
        """Delete every examination of a patient with all that hangs on it; audit events stay, they name nobody.

        Any of the identifiers that were merged will do; that they were is forgotten, too.
        """
        ...

    def erase_before(self, before: datetime) -> Erased:
        """Delete every examination whose last version arrived, and every given pair made, before a moment."""
        ...


class HospitalStore(Protocol):
    """Keeps everything the service knows. Safe for threads and for several processes."""

    def transaction(self) -> AbstractContextManager[UnitOfWork]:
        """A unit of work: all of it is kept when the block ends, durably, or nothing where it raises.

        Raises:
            StoreError: for a fault of the store.
        """
        ...

    def reading(self) -> AbstractContextManager[UnitOfWork]:
        """A unit of work that only reads, of one moment; it waits for no writer."""
        ...

    def check(self) -> None:
        """Raises `StoreError` if the store cannot be read and written now."""
        ...

    def has_room(self) -> bool:
        """Return whether the store can grow for a while, as far as can be known from here."""
        ...

    def join(self) -> None:
        """Work off the queues from now on, until the store is closed; to be called before anything is claimed.

        Where no other process does, what is claimed was claimed by one that has ended: it is free again at once, and
        its lease need not be waited for. Another call changes nothing.

        Raises:
            StoreError: for a fault of the store.
        """
        ...

    def close(self) -> None:
        """Let go of files and connections. They are taken up again on next use."""
        ...
