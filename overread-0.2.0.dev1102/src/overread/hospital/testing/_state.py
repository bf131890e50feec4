"""Contents of a store in memory: tables of frozen rows, copied for each unit of work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from attrs import define, evolve, field, fields, frozen

from overread.domain.differences.edits import Edits
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult
from overread.hospital.application.cases import Case
from overread.hospital.application.ports import FeedNotice, Sampled
from overread.hospital.application.protocols import ProtocolPair
from overread.hospital.application.requests import Refusal
from overread.hospital.domain.access import AccessKey
from overread.hospital.domain.audit_trail import AuditEvent
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.learning import AuthorResponse, LearningPoint, PairAction
from overread.hospital.domain.reading import Assignment, ReadingProtocol
from overread.hospital.domain.report_version import KeptVersion
from overread.hospital.domain.review import Review
from overread.hospital.domain.version_pairs import VersionPair

__all__ = ["BatchRow", "DeliveryRow", "DigestRow", "JobRow", "NoticeRow", "PairRow", "State", "VersionRow"]


@frozen(kw_only=True)
class VersionRow:
    """A version; ``text_digest`` outlives its text."""

    kept: KeptVersion
    text_digest: str


@frozen(kw_only=True)
class PairRow:
    """A pair, of versions or given."""

    number: int
    pair: VersionPair
    report_pair: ReportPair | None
    name: str
    digest: str
    made: datetime
    owner: str = ""
    batch: int | None = None
    withdrawn: bool = False


@frozen(kw_only=True)
class JobRow:
    """A pair on the queue; free where it has no worker or its lease has ended."""

    number: int
    pair: int
    profile: str
    attempts: int = 0
    worker: str = ""
    free_from: datetime | None = None


@frozen(kw_only=True)
class BatchRow:
    """A batch as it was submitted."""

    name: str
    owner: str
    key: str


@frozen(kw_only=True)
class DeliveryRow:
    """Word of a pair to a target; done where it arrived or was given up."""

    number: int
    pair: int
    target: str
    attempts: int = 0
    worker: str = ""
    free_from: datetime | None = None
    done: bool = False


@frozen(kw_only=True)
class NoticeRow:
    """Word of a feed to a target; done where it arrived or was given up."""

    number: int
    notice: FeedNotice
    worker: str = ""
    free_from: datetime | None = None
    done: bool = False


@frozen(kw_only=True)
class DigestRow:
    """A digest to an author, the worker's until a moment unless it was sent."""

    worker: str
    free: datetime
    sent: bool = False


ResultKey = tuple[str, str, str]
"""Digest of the pair, metric and signature."""


@define(kw_only=True)
class State:
    """Everything, by number or by what it is kept once for; in the order it came."""

    versions: dict[int, VersionRow] = field(factory=dict)
    pairs: dict[int, PairRow] = field(factory=dict)
    results: dict[ResultKey, EvaluationResult] = field(factory=dict)
    jobs: dict[int, JobRow] = field(factory=dict)
    batches: dict[int, BatchRow] = field(factory=dict)
    reviews: dict[int, tuple[Review, ...]] = field(factory=dict)
    protocols: dict[int, ReadingProtocol] = field(factory=dict)
    protocol_pairs: dict[int, dict[int, ProtocolPair]] = field(factory=dict)
    """By protocol; the inner ones are replaced, never changed."""

    assignments: dict[int, Assignment] = field(factory=dict)
    learning: dict[int, LearningPoint] = field(factory=dict)
    actions: dict[int, PairAction] = field(factory=dict)
    responses: dict[int, AuthorResponse] = field(factory=dict)
    digests: dict[tuple[str, datetime], DigestRow] = field(factory=dict)
    samples: dict[int, tuple[Sampled, ...]] = field(factory=dict)
    cases: dict[int, Case] = field(factory=dict)
    refusals: dict[int, Refusal] = field(factory=dict)
    events: dict[int, AuditEvent] = field(factory=dict)
    keys: dict[str, AccessKey] = field(factory=dict)
    sessions: dict[str, datetime] = field(factory=dict)
    merged: dict[tuple[str, str], str] = field(factory=dict)
    """The identifier that stands, by site and one that was merged into it."""

    deliveries: dict[int, DeliveryRow] = field(factory=dict)
    notices: dict[int, NoticeRow] = field(factory=dict)
    silences: dict[Feed, datetime] = field(factory=dict)
    edits: dict[int, Edits] = field(factory=dict)
    numbers: Counter[str] = field(factory=Counter)

    def copy(self) -> State:
        """Another with tables of its own; the rows are frozen and shared."""
        return evolve(self, **{attribute.name: getattr(self, attribute.name).copy() for attribute in fields(State)})

    def make_read_only(self) -> State:
        """The same, refusing to be written to."""
        tables: dict[str, Any] = {
            attribute.name: MappingProxyType(table)
            for attribute in fields(State)
            if isinstance(table := getattr(self, attribute.name), Mapping)
        }
        return evolve(self, **tables)

    def next(self, kind: str) -> int:
        """The next number of a kind, from 1; none is given twice, not even after its row is gone."""
        self.numbers[kind] += 1
        return self.numbers[kind]
