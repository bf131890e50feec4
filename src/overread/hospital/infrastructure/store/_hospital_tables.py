"""Tables of the hospital beside those of results, in one database.

No report text stands in them but in `TextRow`, where it can be sealed, rotated and erased in one place, and no
identifier of a patient stands anywhere: `ExaminationRow.patient` is a keyed digest.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Final

from sqlalchemy import BigInteger, Index, Integer, Table, UniqueConstraint, text
from sqlmodel import Field

from overread.infrastructure.store.columns import Moment, Words
from overread.infrastructure.store.result_tables import StoreTable

__all__ = [
    "ACCESS_KEYS",
    "ASSIGNMENTS",
    "AUDIT_EVENTS",
    "AUTHOR_DIGESTS",
    "AUTHOR_RESPONSES",
    "BATCHES",
    "CASES",
    "COMPARED",
    "COMPARED_EXAMINATIONS",
    "COMPARED_VERSIONS",
    "COUNTED",
    "DELIVERIES",
    "EDITS",
    "ENDED_SESSIONS",
    "EXAMINATIONS",
    "FEED_COUNTED",
    "FEED_COUNTS",
    "FOUND",
    "JOBS",
    "LEARNING_POINTS",
    "LONE_VERSIONS",
    "MERGED_PATIENTS",
    "NOTICES",
    "OUTLINES",
    "PAIR_ACTIONS",
    "PAIR_COUNTS",
    "PROFILES",
    "PROTOCOL_PAIRS",
    "PROTOCOL_PEOPLE",
    "READING_PROTOCOLS",
    "REFUSALS",
    "REVIEWS",
    "SAMPLED",
    "SAMPLES",
    "SILENCES",
    "TEXTS",
    "VERSIONS",
    "VERSION_EXAMINATIONS",
]

_NUMBER: Final = BigInteger().with_variant(Integer, "sqlite")
"""SQLite counts up its own row numbers in a column of exactly this type."""


COUNTED: Final = (
    "profile",
    "month",
    "examined",
    "kind",
    "site",
    "modality",
    "reader",
    "model",
    "state",
    "gravity",
    "significant",
    "radpeer",
    "reviewed",
    "withdrawn",
    "edit",
)
"""Columns of `CountRow` in which the pairs of one count are alike."""


FEED_COUNTED: Final = ("quarter", "source", "site")
"""The same of `FeedCountRow`."""


_NEVER_AGAIN: Final = {"sqlite_autoincrement": True}
"""A number of a row that was deleted is given to no other: the audit trail names rows by their numbers."""


_BY_IMPORTANCE: Final = ("gravity", "risk", "arrived", "id")


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of the rows that meet a condition, on either database."""
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


def _number() -> Any:
    return Field(default=None, primary_key=True, sa_type=_NUMBER)


def _words(*, default: Any = ..., index: bool = False) -> Any:
    return Field(default=default, sa_type=Words, index=index, nullable=default is None)


def _moment(*, default: Any = ..., index: bool = False) -> Any:
    return Field(default=default, sa_type=Moment, index=index, nullable=default is None)


def _of(column: str, *, primary: bool = False, index: bool = False, nullable: bool = False) -> Any:
    """A column that points at a row without which its own means nothing."""
    return Field(
        foreign_key=column,
        ondelete="CASCADE",
        primary_key=primary,
        index=index,
        nullable=nullable,
        sa_type=_NUMBER,
    )


class TextRow(StoreTable, table=True):
    """A text that may hold what a report says, plain or sealed.

    ``owner`` names the kind of row that it belongs to and ``number`` that row; ``key`` is the id of the key that it is
    sealed with, "" for a plain one.
    """

    __tablename__: ClassVar[str] = "texts"

    owner: str = Field(primary_key=True)
    number: int = Field(primary_key=True, sa_type=_NUMBER)
    key: str = Field(index=True)
    body: bytes


class ExaminationRow(StoreTable, table=True):
    """An examination, as all versions of its reports together tell it."""

    __tablename__: ClassVar[str] = "examinations"
    __table_args__ = (UniqueConstraint("site", "accession", name="one_examination"), _NEVER_AGAIN)

    id: int | None = _number()
    site: str = _words()
    accession: str = _words(index=True)
    patient: str = _words(index=True)
    modality: str = _words()
    procedure: str = _words()
    body_part: str = _words()
    device: str = _words()
    performed: str = _words()
    age: float | None = Field(default=None)
    sex: str | None = _words(default=None)


class VersionRow(StoreTable, table=True):
    """A version of a report, as it arrived; ``digest`` is a keyed one of its text, ``length`` in characters.

    ``site`` is that of its first examination, repeated here so that feeds can be counted from an index alone;
    ``coauthors`` is JSON.
    """

    __tablename__: ClassVar[str] = "report_versions"
    __table_args__ = (
        Index("versions_by_feed", "source", "site", "arrived"),
        Index("versions_by_message", "message", "source"),
        _NEVER_AGAIN,
    )

    id: int | None = _number()
    arrived: datetime = _moment(index=True)
    status: str
    digest: str
    length: int
    reader: str = _words(index=True)
    model: str = _words()
    filler: str = _words()
    placer: str = _words()
    issued: str = _words()
    source: str = _words()
    message: str = _words()
    site: str = _words()
    coauthors: str = _words(index=True)


class VersionExaminationRow(StoreTable, table=True):
    """An examination that a version reports on, in its order; ``told`` is JSON of what it tells of it, without text."""

    __tablename__: ClassVar[str] = "version_examinations"

    version: int = _of("report_versions.id", primary=True)
    examination: int = _of("examinations.id", primary=True, index=True)
    place: int
    told: str


class BatchRow(StoreTable, table=True):
    """A batch that was submitted."""

    __tablename__: ClassVar[str] = "batches"
    __table_args__ = (
        _partial("one_batch_a_key", "owner", "key", where="key <> ''", unique=True),
        _NEVER_AGAIN,
    )

    id: int | None = _number()
    name: str = _words()
    owner: str = _words()
    key: str = _words()
    made: datetime = _moment()


class ProfileRow(StoreTable, table=True):
    """The signatures that the risk and the discrepancies of an outline were made under; "" for none."""

    __tablename__: ClassVar[str] = "profiles"
    __table_args__ = (UniqueConstraint("risk", "findings", name="one_profile"),)

    id: int | None = Field(default=None, primary_key=True)
    risk: str = _words()
    findings: str = _words()


class ComparedRow(StoreTable, table=True):
    """A pair that is compared, with what a worklist shows and sorts by: the newest results are repeated here.

    ``made_of`` names the kind and the versions, once for each; none for a pair that was given. ``gravity`` ranks the
    importance of the gravest discrepancy from 5 (urgent) to 1 (expected), 0 where there is none; ``risk`` is -1 where
    there is none: a database sorts these in the same order as any other, which for NULL each does in its own.
    ``performed`` is when the examination was; nothing where that is not told. ``withdrawn`` tells that a version it was
    made of is withdrawn; ``read`` is -1 where it is not known, as ``risk``.
    """

    __tablename__: ClassVar[str] = "compared_pairs"
    __table_args__ = (
        Index("worklist_by_importance", *_BY_IMPORTANCE),
        Index("worklist_by_risk", "risk", "arrived", "id"),
        Index("worklist_by_arrival", "arrived", "id"),
        Index("compared_of_batch", "batch", "state"),
        Index("compared_by_site", "site", "modality"),
        _partial("compared_by_radpeer", "radpeer", *_BY_IMPORTANCE, where="radpeer IS NOT NULL"),
        _partial("compared_without_score", "state", *_BY_IMPORTANCE, where="state <> 'scored'"),
        _NEVER_AGAIN,
    )

    id: int | None = _number()
    kind: str
    made_of: str | None = Field(default=None, unique=True)
    digest: str = Field(index=True)
    name: str = _words()
    owner: str = _words()
    batch: int | None = _of("batches.id", nullable=True)
    made: datetime = _moment()
    arrived: datetime = _moment()
    state: str
    reason: str
    examination: int | None = _of("examinations.id", index=True, nullable=True)
    site: str = _words()
    accession: str = _words(index=True)
    modality: str = _words(index=True)
    device: str = _words(index=True)
    reader: str = _words(index=True)
    model: str = _words(index=True)
    profile: int | None = Field(default=None, foreign_key="profiles.id", index=True)
    risk: float
    gravity: int
    significant: int
    insignificant: int
    findings: str
    reviewed: bool
    radpeer: str | None = Field(default=None)
    withdrawn: bool = False
    read: float = -1.0
    performed: datetime | None = _moment(default=None)


class ComparedVersionRow(StoreTable, table=True):
    """The versions on either side of a pair, in order."""

    __tablename__: ClassVar[str] = "compared_versions"

    pair: int = _of("compared_pairs.id", primary=True)
    version: int = _of("report_versions.id", primary=True, index=True)
    is_candidate: bool = Field(primary_key=True)
    place: int


class ComparedExaminationRow(StoreTable, table=True):
    """The examinations that a pair reports on."""

    __tablename__: ClassVar[str] = "compared_examinations"

    pair: int = _of("compared_pairs.id", primary=True)
    examination: int = _of("examinations.id", primary=True, index=True)


class OutlineRow(StoreTable, table=True):
    """Outline of a pair's results under a profile; `ComparedRow` repeats the newest."""

    __tablename__: ClassVar[str] = "outlines"

    pair: int = _of("compared_pairs.id", primary=True)
    profile: int = Field(foreign_key="profiles.id", primary_key=True, index=True)
    state: str
    reason: str
    risk: float
    gravity: int
    significant: int
    insignificant: int
    findings: str
    read: float = -1.0


class FoundRow(StoreTable, table=True):
    """A discrepancy of an outline, to search by."""

    __tablename__: ClassVar[str] = "found"
    __table_args__ = (
        Index("found_by_finding", "finding", "category", "severity", "profile", "pair"),
        Index("found_by_category", "category", "severity", "profile", "pair"),
        Index("found_by_severity", "severity", "profile", "pair"),
    )

    pair: int = _of("compared_pairs.id", primary=True)
    profile: int = Field(foreign_key="profiles.id", primary_key=True)
    place: int = Field(primary_key=True)
    category: str | None = Field(default=None)
    severity: str
    finding: str


class EditRow(StoreTable, table=True):
    """Number of edits of a type in a pair's newest result; a near copy has a row of each, no other pair has any."""

    __tablename__: ClassVar[str] = "pair_edits"

    pair: int = _of("compared_pairs.id", primary=True)
    type: str = Field(primary_key=True)
    number: int


class CountRow(StoreTable, table=True):
    """Number of pairs that are alike, as `ComparedRow` shows them; triggers add to it whatever changes pairs.

    A change adds rows, some of them with numbers below 0, so that nobody waits for who counts the same: only the sums
    of rows that are alike mean anything. ``settled`` ones are each the sum of many. ``profile`` is -1, ``radpeer`` ""
    where a pair has none; ``month`` is that of arrival, and ``examined`` the key that a month of examination has.

    Attributes:
        edit: type of edit that is counted, "" for all pairs; edits are not told apart by ``reader`` and ``examined``.
        pairs: that are alike; of a type of edit, those in which edits were looked for.
        edited, edits: pairs with edits of the type, and number of these.
    """

    __tablename__: ClassVar[str] = "pair_counts"
    __table_args__ = (
        _partial("one_count", *COUNTED, where="settled", unique=True),
        _partial("unsettled_counts", "id", where="NOT settled"),
    )

    id: int | None = _number()
    profile: int
    month: str
    examined: str
    kind: str
    site: str
    modality: str
    reader: str
    model: str
    state: str
    gravity: int
    significant: bool
    radpeer: str
    reviewed: bool
    withdrawn: bool
    edit: str
    pairs: int = Field(sa_type=_NUMBER)
    edited: int = Field(sa_type=_NUMBER)
    edits: int = Field(sa_type=_NUMBER)
    settled: bool


class FeedCountRow(StoreTable, table=True):
    """Numbers of a feed in a quarter of an hour, counted from 1970 on; rows are added as those of `CountRow` are.

    ``messages`` counts each message once that brought several versions; pairs are counted where their reference came.
    """

    __tablename__: ClassVar[str] = "feed_counts"
    __table_args__ = (
        _partial("one_feed_count", *FEED_COUNTED, where="settled", unique=True),
        _partial("unsettled_feed_counts", "id", where="NOT settled"),
    )

    id: int | None = _number()
    quarter: int
    source: str = _words()
    site: str = _words()
    messages: int
    versions: int
    pairs: int
    settled: bool


class LoneVersionRow(StoreTable, table=True):
    """A version of an examination of which a counterpart never came.

    It is a final one where no draft or preliminary one came, or one of these where no final or cancelled one did.
    """

    __tablename__: ClassVar[str] = "lone_versions"
    __table_args__ = (Index("lone_by_arrival", "is_final", "arrived"),)

    version: int = _of("report_versions.id", primary=True)
    examination: int = _of("examinations.id", primary=True, index=True)
    is_final: bool
    source: str = _words()
    site: str = _words()
    arrived: datetime = _moment()


class JobRow(StoreTable, table=True):
    """A pair to be scored; claimed where there is a worker, until ``free`` in any case."""

    __tablename__: ClassVar[str] = "jobs"
    __table_args__ = (UniqueConstraint("pair", "profile", name="one_job"), _NEVER_AGAIN)

    id: int | None = _number()
    pair: int = _of("compared_pairs.id")
    profile: str = _words()
    attempts: int
    worker: str | None = _words(default=None)
    free: datetime | None = _moment(default=None, index=True)


class DeliveryRow(StoreTable, table=True):
    """Word of a pair to a target; it stays when it has arrived (``state``), so that it is not sent again."""

    __tablename__: ClassVar[str] = "deliveries"
    __table_args__ = (
        UniqueConstraint("pair", "target", name="one_delivery"),
        Index("open_deliveries", "state", "free"),
        _NEVER_AGAIN,
    )

    id: int | None = _number()
    pair: int = _of("compared_pairs.id")
    target: str = _words()
    state: str
    attempts: int
    worker: str | None = _words(default=None)
    free: datetime | None = _moment(default=None)


class SilenceRow(StoreTable, table=True):
    """A feed that is silent: ``since`` is when its last message came, ``noticed`` when that was too long ago."""

    __tablename__: ClassVar[str] = "silences"

    door: str = Field(primary_key=True, sa_type=Words)
    site: str = Field(primary_key=True, sa_type=Words)
    since: datetime = _moment()
    noticed: datetime = _moment()


class NoticeRow(StoreTable, table=True):
    """Word to a target that a feed fell silent, or is heard again; it is claimed as a delivery is."""

    __tablename__: ClassVar[str] = "notices"
    __table_args__ = (Index("open_notices", "state", "free"), _NEVER_AGAIN)

    id: int | None = _number()
    type: str
    door: str = _words()
    site: str = _words()
    since: datetime = _moment()
    at: datetime = _moment()
    target: str = _words()
    state: str
    attempts: int
    worker: str | None = _words(default=None)
    free: datetime | None = _moment(default=None)


class ReviewRow(StoreTable, table=True):
    """A review; ``verdicts`` is JSON without the reviewer's own words, which stand with the texts."""

    __tablename__: ClassVar[str] = "reviews"
    __table_args__ = _NEVER_AGAIN

    id: int | None = _number()
    pair: int = _of("compared_pairs.id", index=True)
    reviewer: str = _words()
    made: datetime = _moment()
    signature: str = _words()
    verdicts: str
    radpeer: str | None = Field(default=None)
    proposed: str | None = Field(default=None)
    stage: str = "open"
    no_discrepancy: bool = False
    assignment: int | None = Field(default=None, sa_type=_NUMBER)


class ReadingProtocolRow(StoreTable, table=True):
    """A protocol by which pairs are read."""

    __tablename__: ClassVar[str] = "reading_protocols"
    __table_args__ = _NEVER_AGAIN

    id: int | None = _number()
    name: str = _words()
    mode: str
    per_pair: int
    chosen: str = _words()
    due: datetime | None = _moment(default=None)
    asks_radpeer: bool
    claim_minutes: int
    made: datetime = _moment()
    made_by: str = _words()
    closed: datetime | None = _moment(default=None)


class ProtocolPersonRow(StoreTable, table=True):
    """A person of a protocol, in their order; ``known_as`` is JSON."""

    __tablename__: ClassVar[str] = "protocol_people"

    protocol: int = _of("reading_protocols.id", primary=True)
    name: str = Field(primary_key=True, sa_type=Words, index=True)
    task: str
    place: int
    known_as: str = _words()


class ProtocolPairRow(StoreTable, table=True):
    """A pair of a protocol; ``barred`` is JSON of the people who may not read it."""

    __tablename__: ClassVar[str] = "protocol_pairs"

    protocol: int = _of("reading_protocols.id", primary=True)
    pair: int = _of("compared_pairs.id", primary=True, index=True)
    progress: str
    reason: str = _words()
    barred: str = _words()


class AssignmentRow(StoreTable, table=True):
    """A task on a pair of a protocol; ``reader`` is "" where it is nobody's, ``claimant`` where nobody claimed it."""

    __tablename__: ClassVar[str] = "assignments"
    __table_args__ = (
        Index("assignments_by_reader", "reader", "done", "id"),
        Index("assignments_of_protocol", "protocol", "pair"),
        _NEVER_AGAIN,
    )

    id: int | None = _number()
    protocol: int = _of("reading_protocols.id")
    pair: int = _of("compared_pairs.id", index=True)
    task: str
    reader: str = _words()
    claimant: str = _words()
    claimed_until: datetime | None = _moment(default=None)
    due: datetime | None = _moment(default=None)
    done: datetime | None = _moment(default=None)


class LearningPointRow(StoreTable, table=True):
    """A learning point; its text stands with the texts."""

    __tablename__: ClassVar[str] = "learning_points"
    __table_args__ = (Index("nominated_points", "nominated", "made"), _NEVER_AGAIN)

    id: int | None = _number()
    pair: int = _of("compared_pairs.id", index=True)
    kind: str
    category: str | None = Field(default=None)
    finding: str
    nominated: bool
    presented: datetime | None = _moment(default=None)
    made: datetime = _moment()
    made_by: str = _words()


class PairActionRow(StoreTable, table=True):
    """An action about a pair, as it was last changed."""

    __tablename__: ClassVar[str] = "pair_actions"
    __table_args__ = (Index("actions_by_state", "state", "id"), _NEVER_AGAIN)

    id: int | None = _number()
    pair: int = _of("compared_pairs.id", index=True)
    kind: str
    state: str
    due: datetime | None = _moment(default=None)
    made: datetime = _moment()
    made_by: str = _words()
    changed: datetime = _moment()
    changed_by: str = _words()


class AuthorResponseRow(StoreTable, table=True):
    """A response of an author; what they say stands with the texts."""

    __tablename__: ClassVar[str] = "author_responses"
    __table_args__ = (Index("responses_of_pair", "pair", "author"), _NEVER_AGAIN)

    id: int | None = _number()
    pair: int = _of("compared_pairs.id")
    author: str = _words()
    made: datetime = _moment()
    is_answer: bool


class AuthorDigestRow(StoreTable, table=True):
    """A digest to an author of what is new, ``worker``'s until ``free`` unless it was sent."""

    __tablename__: ClassVar[str] = "author_digests"

    author: str = Field(primary_key=True, sa_type=Words)
    due: datetime = Field(primary_key=True, sa_type=Moment)
    worker: str = _words()
    free: datetime | None = _moment(default=None)
    sent: bool


class SampleRow(StoreTable, table=True):
    """A sample that was drawn."""

    __tablename__: ClassVar[str] = "samples"
    __table_args__ = _NEVER_AGAIN

    id: int | None = _number()
    description: str = _words()
    drawn_by: str = _words()
    made: datetime = _moment()


class SampledRow(StoreTable, table=True):
    """A pair of a sample, and how many it stands for."""

    __tablename__: ClassVar[str] = "sampled_pairs"

    sample: int = _of("samples.id", primary=True)
    place: int = Field(primary_key=True)
    pair: int = _of("compared_pairs.id", index=True)
    weight: float


class CaseRow(StoreTable, table=True):
    """A case that an alarm opened; ``pairs`` and ``events`` are JSON of numbers, which outlive their pairs.

    It is open while ``closed`` is empty; what whoever closed it said stands with the texts.
    """

    __tablename__: ClassVar[str] = "cases"
    __table_args__ = (UniqueConstraint("chart", "pair", name="one_case"), _NEVER_AGAIN)

    id: int | None = _number()
    chart: str = _words()
    pair: int = Field(sa_type=_NUMBER)
    crossed: datetime = _moment()
    changed: datetime = _moment()
    pairs: str
    events: str
    opened: datetime = _moment()
    outcome: str | None = Field(default=None)
    closed: datetime | None = _moment(default=None)
    closed_by: str = _words()


class RefusalRow(StoreTable, table=True):
    """A message that was not taken."""

    __tablename__: ClassVar[str] = "refusals"
    __table_args__ = (Index("refusals_by_time", "made", "source", "reason"), _NEVER_AGAIN)

    id: int | None = _number()
    made: datetime = _moment()
    source: str = _words()
    message: str = _words()
    reason: str = _words()
    detail: str = _words()


class AuditEventRow(StoreTable, table=True):
    """An event of the audit trail. Triggers refuse to change or delete one."""

    __tablename__: ClassVar[str] = "audit_events"

    number: int = Field(primary_key=True, sa_type=_NUMBER, sa_column_kwargs={"autoincrement": False})
    made: datetime = _moment()
    actor: str
    action: str
    subject: str
    details: str
    digest: str


class AccessKeyRow(StoreTable, table=True):
    """A key by which a program comes in; ``digest`` is argon2's."""

    __tablename__: ClassVar[str] = "access_keys"
    __table_args__ = _NEVER_AGAIN

    id: int | None = _number()
    name: str = Field(unique=True, sa_type=Words)
    prefix: str = Field(unique=True, sa_type=Words)
    digest: str = _words()
    roles: str = _words()
    created: datetime = _moment()
    expires: datetime | None = _moment(default=None)
    revoked: datetime | None = _moment(default=None)


class EndedSessionRow(StoreTable, table=True):
    """A session that was signed out, until it would have ended anyway."""

    __tablename__: ClassVar[str] = "ended_sessions"

    id: str = Field(primary_key=True, sa_type=Words)
    until: datetime = _moment(index=True)


class MergedPatientRow(StoreTable, table=True):
    """An identifier of a patient that gave way to another at a site; both are keyed digests."""

    __tablename__: ClassVar[str] = "merged_patients"

    site: str = Field(primary_key=True, sa_type=Words)
    merged: str = Field(primary_key=True)
    surviving: str = Field(index=True)


_TABLES: Final = StoreTable.metadata.tables
TEXTS: Final[Table] = _TABLES["texts"]
EXAMINATIONS: Final[Table] = _TABLES["examinations"]
VERSIONS: Final[Table] = _TABLES["report_versions"]
VERSION_EXAMINATIONS: Final[Table] = _TABLES["version_examinations"]
BATCHES: Final[Table] = _TABLES["batches"]
PROFILES: Final[Table] = _TABLES["profiles"]
COMPARED: Final[Table] = _TABLES["compared_pairs"]
COMPARED_VERSIONS: Final[Table] = _TABLES["compared_versions"]
COMPARED_EXAMINATIONS: Final[Table] = _TABLES["compared_examinations"]
OUTLINES: Final[Table] = _TABLES["outlines"]
FOUND: Final[Table] = _TABLES["found"]
JOBS: Final[Table] = _TABLES["jobs"]
DELIVERIES: Final[Table] = _TABLES["deliveries"]
FEED_COUNTS: Final[Table] = _TABLES["feed_counts"]
LONE_VERSIONS: Final[Table] = _TABLES["lone_versions"]
PAIR_COUNTS: Final[Table] = _TABLES["pair_counts"]
EDITS: Final[Table] = _TABLES["pair_edits"]
SILENCES: Final[Table] = _TABLES["silences"]
NOTICES: Final[Table] = _TABLES["notices"]
REVIEWS: Final[Table] = _TABLES["reviews"]
READING_PROTOCOLS: Final[Table] = _TABLES["reading_protocols"]
PROTOCOL_PEOPLE: Final[Table] = _TABLES["protocol_people"]
PROTOCOL_PAIRS: Final[Table] = _TABLES["protocol_pairs"]
ASSIGNMENTS: Final[Table] = _TABLES["assignments"]
LEARNING_POINTS: Final[Table] = _TABLES["learning_points"]
PAIR_ACTIONS: Final[Table] = _TABLES["pair_actions"]
AUTHOR_RESPONSES: Final[Table] = _TABLES["author_responses"]
AUTHOR_DIGESTS: Final[Table] = _TABLES["author_digests"]
SAMPLES: Final[Table] = _TABLES["samples"]
SAMPLED: Final[Table] = _TABLES["sampled_pairs"]
CASES: Final[Table] = _TABLES["cases"]
REFUSALS: Final[Table] = _TABLES["refusals"]
AUDIT_EVENTS: Final[Table] = _TABLES["audit_events"]
ACCESS_KEYS: Final[Table] = _TABLES["access_keys"]
ENDED_SESSIONS: Final[Table] = _TABLES["ended_sessions"]
MERGED_PATIENTS: Final[Table] = _TABLES["merged_patients"]
