"""Requests and answers of the hospital service: plain values that can be pickled and serialised."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import Attribute, field, frozen, validators

from overread.domain.differences.edits import Edits, EditType
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.members import member_of
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import InputError
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.patient_merge import MergeKind
from overread.hospital.domain.report_version import KeptVersion
from overread.hospital.domain.review import Radpeer, Review, ReviewState
from overread.hospital.domain.version_pairs import Doubt, DoubtReason, PairKind, VersionPair

__all__ = [
    "BatchState",
    "Erased",
    "EvaluationRequest",
    "ExaminationRecord",
    "MergeReceipt",
    "Order",
    "PairRecord",
    "PairState",
    "Receipt",
    "ReceiptKind",
    "Refusal",
    "Search",
    "Withdrawn",
    "WorklistPage",
    "WorklistRow",
]


@frozen(kw_only=True)
class EvaluationRequest:
    """Pairs that somebody wants scored now.

    Attributes:
        pairs: their ids need not differ.
        by: on whose behalf.
    """

    pairs: tuple[ReportPair, ...] = field(converter=in_tuple, repr=False)
    by: Actor


class ReceiptKind(StrEnum):
    """Outcome for a version that came in."""

    STORED = "stored"
    RESENT = "resent"
    """It was there already: the same message, or the same text and status; nothing changed."""


@frozen(kw_only=True)
class Receipt:
    """A version is stored. What is acknowledged by this is not lost.

    Attributes:
        version: its number in the store.
        kind: whether it is new.
        pairs: numbers of the pairs that are to be scored now because of it.
        doubts: why it is not compared where it might have to be, or may not say what was meant; empty for one that was
            there already.
    """

    version: int
    kind: ReceiptKind
    pairs: tuple[int, ...] = field(default=(), converter=in_tuple)
    doubts: tuple[DoubtReason, ...] = field(default=(), converter=in_tuple)


@frozen(kw_only=True)
class MergeReceipt:
    """A merge of patients is kept, or changed nothing. It names nobody.

    Attributes:
        kind: what became of it.
        examinations: number of those that changed hands.
        note: a sentence for whoever sent it, "" where nothing is to be said.
    """

    kind: MergeKind
    examinations: int = 0
    note: str = ""


@frozen(kw_only=True)
class Refusal:
    """A message that was not taken, and why; without its text.

    Attributes:
        at: when, in UTC.
        source: by which way it came.
        message: the source's identifier of it, "" where it has none that can be read.
        reason: a short stable code.
        detail: a sentence for whoever sends it.
    """

    at: datetime
    source: str
    message: str
    reason: str
    detail: str


class PairState(StrEnum):
    """Progress of a pair."""

    WAITING = "waiting"
    SCORED = "scored"
    UNSCORED = "unscored"


class Order(StrEnum):
    """Order of a worklist."""

    IMPORTANCE = "importance"
    """By the gravest significant discrepancy, then by risk, then the newest first."""

    RISK = "risk"
    NEWEST = "newest"


class Withdrawn(StrEnum):
    """Pairs with a withdrawn report that a search finds, beside those that stand or instead of them."""

    ALSO = "also"
    """Both."""

    ONLY = "only"
    """Withdrawn ones alone."""


def _has_zone(_: object, attribute: Attribute[datetime], value: datetime) -> None:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InputError(
            "search",
            f"{attribute.name} must be a time with a time zone",
            remedy="give a datetime with tzinfo, such as UTC",
        )


def _is_text(_: object, attribute: Attribute[str], value: object) -> None:
    if not isinstance(value, str):
        raise InputError("search", f"{attribute.name} must be text")


def _is_limit(_: object, __: Attribute[int], value: object) -> None:
    if not isinstance(value, int) or not 1 <= value <= _LARGEST_PAGE:
        raise InputError("search", f"limit must be 1 to {_LARGEST_PAGE}")


_LARGEST_PAGE: Final = 500
_TEXT: Final = validators.optional(_is_text)


@frozen(kw_only=True)
class Search:
    """Criteria of a search for pairs; one that is None or empty does not apply. All others must hold.

    Attributes:
        site, modality, reader, device: exact values, those of the first examination that a pair reports on.
        accession: exact value, of any examination that it reports on; the id of a pair that was given.
        importance: pairs with a significant discrepancy of at least this importance, see `WorklistRow.importance`.
        category, finding, severity: pairs with one discrepancy of all that is given.
        min_risk, max_risk: bounds of radot's score, on [0, 1].
        model: of a draft's author.
        reader: of the candidate.
        since, until: when the reference version arrived; half-open.
        signature: only pairs that have a result under it, which stands in the place of its metric's present one; the
            service's present signatures where omitted.
        sample: number of a drawn sample that they belong to.
        withdrawn: whether pairs with a withdrawn report are found; they are not where omitted.
        after: where the previous page ended, see `WorklistPage.next`.
        limit: rows of a page, 1 to 500.

    Raises:
        InputError: if a word isn't a member of its enumeration, a time has no zone, a text isn't one, or the limit is
            out of bounds.
    """

    kind: PairKind | None = field(default=None, validator=validators.optional(member_of(PairKind)))
    site: str | None = field(default=None, validator=_TEXT)
    modality: str | None = field(default=None, validator=_TEXT)
    reader: str | None = field(default=None, validator=_TEXT)
    model: str | None = field(default=None, validator=_TEXT)
    device: str | None = field(default=None, validator=_TEXT)
    accession: str | None = field(default=None, validator=_TEXT)
    since: datetime | None = field(default=None, validator=validators.optional(_has_zone))
    until: datetime | None = field(default=None, validator=validators.optional(_has_zone))
    importance: Importance | None = field(default=None, validator=validators.optional(member_of(Importance)))
    severity: Severity | None = field(default=None, validator=validators.optional(member_of(Severity)))
    category: ErrorCategory | None = field(default=None, validator=validators.optional(member_of(ErrorCategory)))
    finding: str | None = field(default=None, validator=_TEXT)
    min_risk: float | None = None
    max_risk: float | None = None
    state: PairState | None = field(default=None, validator=validators.optional(member_of(PairState)))
    review: ReviewState | None = field(default=None, validator=validators.optional(member_of(ReviewState)))
    radpeer: Radpeer | None = field(default=None, validator=validators.optional(member_of(Radpeer)))
    signature: str | None = field(default=None, validator=_TEXT)
    batch: int | None = None
    sample: int | None = None
    withdrawn: Withdrawn | None = field(default=None, validator=validators.optional(member_of(Withdrawn)))
    order: Order = field(default=Order.IMPORTANCE, validator=member_of(Order))
    after: str | None = field(default=None, validator=_TEXT)
    limit: int = field(default=50, validator=_is_limit)


@frozen(kw_only=True)
class WorklistRow:
    """One pair in a list, without text.

    Attributes:
        pair: its number.
        examination: the first that its reference reports on; for a pair that was given, its id stands for the accession
            number, without a site.
        kind: what is compared.
        state: how far it is under the signatures asked for; ``reason`` says why there is no score.
        arrived: when its reference did, in UTC.
        reader, model: of the candidate.
        risk: radot's score on [0, 1], lower is better; None without one.
        importance: of the gravest significant discrepancy; None where none is. This and what follows as in
            `overread.hospital.application.worklist.Summary`.
        significant, insignificant: numbers of discrepancies.
        findings: lexicon ids of the discrepancies, the gravest first.
        review: whether anybody has looked; ``radpeer`` is what they confirmed.
        weight: how many pairs it stands for in the sample asked for; 1 outside a sample.
        withdrawn: whether a report that it compares was withdrawn after the pair was made.
        read: share of the words that was read of the report of which less was; None where it is not known.
        edits: numbers of edits by type in the newest result, zeros included; None where the candidate is no near copy
            of the reference, or is not known to be one.
    """

    pair: int
    examination: Examination
    kind: PairKind
    state: PairState
    reason: str = ""
    arrived: datetime
    reader: str = ""
    model: str = ""
    risk: float | None = None
    importance: Importance | None = None
    significant: int = 0
    insignificant: int = 0
    findings: tuple[str, ...] = field(default=(), converter=in_tuple)
    review: ReviewState = ReviewState.OPEN
    radpeer: Radpeer | None = None
    weight: float = 1.0
    withdrawn: bool = False
    read: float | None = None
    edits: Mapping[EditType, int] | None = None


@frozen(kw_only=True)
class WorklistPage:
    """A bounded part of a worklist.

    Attributes:
        rows: in the order asked for.
        total: pairs that the search finds, counted to 10,000 at most.
        next: what to give as `Search.after` for the rows that follow; None at the end.
    """

    rows: tuple[WorklistRow, ...] = field(converter=in_tuple)
    total: int
    next: str | None = None


@frozen(kw_only=True)
class PairRecord:
    """All that is known of one pair.

    Attributes:
        number: of the pair.
        id: that it was submitted with; "" for a pair made of versions.
        pair: which versions it compares.
        examinations: that they report on.
        versions: the versions compared, candidate ones first.
        report_pair: the texts as they were compared, with the context; None once a text is no longer kept.
        state: how far it is.
        results: under each signature, by its line; the newest last.
        current: the results under the service's present signatures, by metric.
        proposed: RADPEER score proposed for it, with its reasons; for a person to confirm. None without a result.
        reasons: why it is proposed.
        reviews: oldest first.
        withdrawn: whether a report that it compares was withdrawn after the pair was made.
        blinded: whether whoever asked reads this examination blinded and has not kept their review: authors, results,
            proposals and reviews are left out.
        edits: types of the edits by which the candidate became the reference, of each discrepancy in their order; None
            where it is no near copy of it, has no result, or a text is no longer kept.
    """

    number: int
    pair: VersionPair
    examinations: tuple[Examination, ...] = field(converter=in_tuple)
    versions: tuple[KeptVersion, ...] = field(converter=in_tuple)
    report_pair: ReportPair | None = field(repr=False)
    state: PairState
    results: Mapping[str, EvaluationResult] = field(repr=False)
    current: Mapping[str, EvaluationResult] = field(repr=False)
    proposed: Radpeer | None = None
    reasons: tuple[str, ...] = field(default=(), converter=in_tuple)
    reviews: tuple[Review, ...] = field(default=(), converter=in_tuple)
    id: str = ""
    withdrawn: bool = False
    blinded: bool = False
    edits: Edits | None = None

    @property
    def discrepancies(self) -> tuple[Discrepancy, ...]:
        """Discrepancies of the present result of notation; none without one."""
        notation = self.current.get("notation")
        return notation.discrepancies if notation is not None and notation.is_scored else ()


@frozen(kw_only=True)
class ExaminationRecord:
    """An examination in time.

    Attributes:
        examination: as all its versions together tell it.
        versions: of its reports, each as it arrived.
        pairs: that were made of them.
        doubts: versions that are not compared where they might have to be, or may not say what was meant, and why.
        withdrawn: numbers of the versions that were withdrawn.
        blinded: whether whoever asked reads it blinded and has not kept their review: authors and pairs are left out.
    """

    examination: Examination
    versions: tuple[KeptVersion, ...] = field(converter=in_tuple)
    pairs: tuple[WorklistRow, ...] = field(converter=in_tuple)
    doubts: tuple[Doubt, ...] = field(default=(), converter=in_tuple)
    withdrawn: tuple[int, ...] = field(default=(), converter=in_tuple)
    blinded: bool = False


@frozen(kw_only=True)
class BatchState:
    """Progress of a submitted batch.

    Attributes:
        number: of the batch.
        name: as submitted.
        pairs: that it has.
        scored, unscored, waiting: of these; they sum to ``pairs``.
    """

    number: int
    name: str
    pairs: int
    scored: int
    unscored: int
    waiting: int

    @property
    def is_done(self) -> bool:
        """True if nothing waits."""
        return self.waiting == 0


@frozen(kw_only=True)
class Erased:
    """Numbers of what was deleted."""

    examinations: int = 0
    versions: int = 0
    texts: int = 0
    pairs: int = 0
    results: int = 0
    reviews: int = 0
