"""Requests and answers of the API beside those of the service itself."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from attrs import field, frozen, validators

from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.equality import in_set, in_tuple
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.cases import Case, CaseOutcome
from overread.hospital.application.rates import RadpeerCounts
from overread.hospital.application.requests import MergeReceipt, PairRecord, Receipt, Refusal, Search
from overread.hospital.application.sampling import SamplePlan
from overread.hospital.domain.audit_trail import AuditEvent, Role
from overread.hospital.domain.learning import ActionKind, ActionState, LearningKind
from overread.hospital.domain.reading import ReadingProtocol
from overread.hospital.domain.report_version import ReportVersion
from overread.hospital.domain.review import Radpeer, Verdict

__all__ = [
    "ActionChange",
    "AuthorAnswer",
    "Batch",
    "BatchRecords",
    "CaseClosing",
    "CaseList",
    "Count",
    "Evaluated",
    "Events",
    "FhirReceipts",
    "IssuedSecret",
    "KeyFacts",
    "Keys",
    "NewAction",
    "NewAssignee",
    "NewKey",
    "NewLearningPoint",
    "NewReading",
    "NewReview",
    "NewSample",
    "Nomination",
    "Pairs",
    "Patient",
    "Presented",
    "Protocols",
    "RadpeerGroups",
    "Receipts",
    "Refusals",
    "Reports",
    "Whoever",
]

_LONGEST_KEY_DAYS = 3660


@frozen(kw_only=True)
class Pairs:
    """Pairs to be scored now.

    Attributes:
        pairs: candidate and reference each; 1 or more.
    """

    pairs: tuple[ReportPair, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class Evaluated:
    """Results of pairs that were scored now.

    Attributes:
        results: of each pair, by metric, in the order asked for.
    """

    results: tuple[Mapping[str, EvaluationResult], ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class Batch:
    """Pairs to be scored in their turn.

    Attributes:
        name: to know the batch by.
        pairs: with distinct ids.
    """

    name: str = field(default="", validator=validators.max_len(200))
    pairs: tuple[ReportPair, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class BatchRecords:
    """Records of a batch's pairs.

    Attributes:
        pairs: in the order submitted.
        next: what to give as ``after`` for those that follow; null at the end.
    """

    pairs: tuple[PairRecord, ...] = field(converter=in_tuple)
    next: int | None = None


@frozen(kw_only=True)
class Reports:
    """Versions of reports, all of which are taken or none.

    Attributes:
        versions: as the source has them; their ``source`` is "http" whatever is given.
    """

    versions: tuple[ReportVersion, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class Receipts:
    """Outcomes for versions that came in.

    Attributes:
        receipts: of each version, in order.
    """

    receipts: tuple[Receipt, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class FhirReceipts:
    """Outcomes for a document of FHIR.

    Attributes:
        receipts: of each version of a report, in order.
        merges: of patients, in order.
        notification: kind of the notification of a subscription, if it was one.
    """

    receipts: tuple[Receipt, ...] = field(default=(), converter=in_tuple)
    merges: tuple[MergeReceipt, ...] = field(default=(), converter=in_tuple)
    notification: str | None = None


@frozen(kw_only=True)
class Refusals:
    """Messages that were not taken.

    Attributes:
        refusals: the newest first.
    """

    refusals: tuple[Refusal, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class NewReview:
    """A person's review of a pair's result.

    Attributes:
        signature: of the result that was looked at.
        verdicts: on single discrepancies.
        radpeer: the score that the person confirms or chooses.
        comment: in their own words.
    """

    signature: str
    verdicts: tuple[Verdict, ...] = field(default=(), converter=in_tuple)
    radpeer: Radpeer | None = None
    comment: str = field(default="", repr=False)


@frozen(kw_only=True)
class NewReading:
    """A person's review of the pair of an assignment.

    Attributes:
        verdicts: discrepancies that they see, as amendments of none, each with its severity; in an open protocol also
            verdicts on those of a result.
        no_discrepancy: whether they state that there is none.
        radpeer: score, where the protocol asks for it.
        comment: in their own words.
        signature: of the result that was looked at, in an open protocol; "" for none.
    """

    verdicts: tuple[Verdict, ...] = field(default=(), converter=in_tuple)
    no_discrepancy: bool = False
    radpeer: Radpeer | None = None
    comment: str = field(default="", repr=False)
    signature: str = ""


@frozen(kw_only=True)
class NewAssignee:
    """Person whose an assignment shall be.

    Attributes:
        reader: name, of the protocol's people.
    """

    reader: str = field(validator=[validators.min_len(1), validators.max_len(200)])


@frozen(kw_only=True)
class Protocols:
    """Reading protocols.

    Attributes:
        protocols: the oldest first.
        next: what to give as ``after`` for those that follow; null at the end.
    """

    protocols: tuple[ReadingProtocol, ...] = field(converter=in_tuple)
    next: int | None = None


@frozen(kw_only=True)
class NewLearningPoint:
    """A learning point of a pair.

    Attributes:
        kind: whether something can be learnt, or was seen well.
        text: in the person's own words.
        category: of the discrepancy that it is about, if any.
        finding: id in the lexicon, if any.
        nominated: whether it is to be shown at a conference.
    """

    kind: LearningKind
    text: str = field(repr=False)
    category: ErrorCategory | None = None
    finding: str = ""
    nominated: bool = False


@frozen(kw_only=True)
class Nomination:
    """A nomination of a learning point for a conference.

    Attributes:
        nominated: whether it is to be shown.
    """

    nominated: bool = True


@frozen(kw_only=True)
class Presented:
    """Outcome of marking a pair as presented.

    Attributes:
        points: nominated learning points of it that had not been.
    """

    points: int


@frozen(kw_only=True)
class NewAction:
    """An action about a pair.

    Attributes:
        kind: what is done.
        state: how far it is.
        due: when it is to be done; null for no date.
    """

    kind: ActionKind
    state: ActionState = ActionState.OPEN
    due: datetime | None = None


@frozen(kw_only=True)
class ActionChange:
    """A change of an action.

    Attributes:
        state: how far it is now.
        due: when it is to be done; null for as before.
    """

    state: ActionState
    due: datetime | None = None


@frozen(kw_only=True)
class AuthorAnswer:
    """An author's answer to a pair.

    Attributes:
        text: in their own words.
    """

    text: str = field(repr=False)


@frozen(kw_only=True)
class NewSample:
    """A sample to be drawn.

    Attributes:
        search: finds the pairs to draw from; its order and limit do not count.
        plan: how to draw.
    """

    search: Search = field(factory=Search)
    plan: SamplePlan


@frozen(kw_only=True)
class CaseList:
    """Cases that alarms opened.

    Attributes:
        cases: the newest first.
    """

    cases: tuple[Case, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class CaseClosing:
    """Outcome by which a case is closed.

    Attributes:
        outcome: what the alarm was due to.
        why: in the words of who closes it.
    """

    outcome: CaseOutcome
    why: str = field(default="", repr=False)


@frozen(kw_only=True)
class RadpeerGroups:
    """Reviewed pairs by RADPEER score and group.

    Attributes:
        groups: by month, site and modality, in that order.
    """

    groups: tuple[RadpeerCounts, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class Patient:
    """A patient whose data is to be deleted.

    Attributes:
        patient: identifier of the patient.
        site: where the identifier comes from; null for every site.
    """

    patient: str = field(repr=False, validator=[validators.min_len(1), validators.max_len(200)])
    site: str | None = None


@frozen(kw_only=True)
class Count:
    """A number of pairs.

    Attributes:
        pairs: that it was done to.
    """

    pairs: int


@frozen(kw_only=True)
class Events:
    """A part of the audit trail.

    Attributes:
        events: in order.
        next: what to give as ``after`` for those that follow; null at the end.
    """

    events: tuple[AuditEvent, ...] = field(converter=in_tuple)
    next: int | None = None


@frozen(kw_only=True)
class NewKey:
    """A key to be issued.

    Attributes:
        name: unique.
        roles: one or more.
        days: after which it expires, 1 to 3,660; null for never.
    """

    name: str
    roles: frozenset[Role] = field(converter=in_set)
    days: int | None = field(
        default=None, validator=validators.optional([validators.ge(1), validators.le(_LONGEST_KEY_DAYS)])
    )


@frozen(kw_only=True)
class KeyFacts:
    """Details of a key.

    Attributes:
        name: of the key.
        prefix: how its secret begins, after ``orv_``.
        roles: what it may do.
        created, expires, revoked: in UTC; null for never.
    """

    name: str
    prefix: str
    roles: frozenset[Role] = field(converter=in_set)
    created: datetime
    expires: datetime | None = None
    revoked: datetime | None = None


@frozen(kw_only=True)
class Keys:
    """All keys.

    Attributes:
        keys: the oldest first.
    """

    keys: tuple[KeyFacts, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class IssuedSecret:
    """A new key.

    Attributes:
        key: what is told of it.
        secret: which is shown now and never again.
    """

    key: KeyFacts
    secret: str = field(repr=False)


@frozen(kw_only=True)
class Whoever:
    """The key or person that asks.

    Attributes:
        name: of the key or person.
        roles: what they may do.
    """

    name: str
    roles: frozenset[Role] = field(converter=in_set)
