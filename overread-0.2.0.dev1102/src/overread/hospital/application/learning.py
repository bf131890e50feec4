"""Requests and answers about peer learning."""

from __future__ import annotations

from datetime import datetime

from attrs import field, frozen

from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.learning import Author, AuthorResponse, LearningKind, LearningPoint, PairAction
from overread.hospital.domain.version_pairs import PairKind

__all__ = [
    "ActionPage",
    "Conference",
    "ConferenceCase",
    "ConferencePoint",
    "OwnPage",
    "OwnPair",
    "OwnPoint",
    "OwnQuery",
    "OwnRow",
    "PairLearning",
    "PointQuery",
]


@frozen(kw_only=True)
class PairLearning:
    """Learning points of a pair, what was done about it, and what its authors say.

    Attributes:
        pair: number of the pair.
        points, actions, responses: each oldest first; none while whoever asks reads the pair blinded.
        blinded: whether they do.
    """

    pair: int
    points: tuple[LearningPoint, ...] = field(default=(), converter=in_tuple)
    actions: tuple[PairAction, ...] = field(default=(), converter=in_tuple)
    responses: tuple[AuthorResponse, ...] = field(default=(), converter=in_tuple)
    blinded: bool = False


@frozen(kw_only=True)
class ActionPage:
    """Actions that are not done.

    Attributes:
        actions: by their numbers.
        next: what to give as ``after`` for those that follow; None at the end.
    """

    actions: tuple[PairAction, ...] = field(converter=in_tuple)
    next: int | None = None


@frozen(kw_only=True)
class PointQuery:
    """Criteria of nominated learning points.

    Attributes:
        since, until: when they were written; half-open. None for no bound.
        presented: whether they were presented; None for both.
        after: number of the pair after which the list goes on.
        limit: pairs at most.
    """

    since: datetime | None = None
    until: datetime | None = None
    presented: bool | None = None
    after: int = 0
    limit: int = 50


@frozen(kw_only=True)
class ConferencePoint:
    """A learning point as it is shown at a conference.

    Attributes:
        kind, category, finding, text: as in `LearningPoint`; known names are replaced in the text.
    """

    kind: LearningKind
    category: ErrorCategory | None = None
    finding: str = ""
    text: str = field(default="", repr=False)


@frozen(kw_only=True)
class ConferenceCase:
    """A pair as it is shown at a conference: without names of authors, reviewers, patients, sites or numbers.

    Attributes:
        pair: number of the pair, by which it is marked as presented.
        kind: what is compared.
        modality, procedure: of the first examination.
        candidate, reference: the texts, in which the names that the service knows are replaced; reports may hold
            others. None once a text is no longer kept.
        points: that were nominated.
        presented: when it was last presented; None while a point of it is still to be.
    """

    pair: int
    kind: PairKind
    modality: str = ""
    procedure: str = ""
    candidate: str | None = field(default=None, repr=False)
    reference: str | None = field(default=None, repr=False)
    points: tuple[ConferencePoint, ...] = field(converter=in_tuple)
    presented: datetime | None = None


@frozen(kw_only=True)
class Conference:
    """Pairs for a conference.

    Attributes:
        cases: by their numbers.
        next: what to give as ``after`` for those that follow; None at the end.
    """

    cases: tuple[ConferenceCase, ...] = field(converter=in_tuple)
    next: int | None = None


@frozen(kw_only=True)
class OwnQuery:
    """Criteria of the pairs that somebody is an author of.

    Attributes:
        author: whose they are.
        news: whether only those are wanted with a learning point that they have not seen.
        since, until: when such a point was written; half-open. None for no bound.
        before: number of the pair before which the list goes on, to older ones; None for the newest.
        limit: pairs at most; None for all.
    """

    author: Author
    news: bool = False
    since: datetime | None = None
    until: datetime | None = None
    before: int | None = None
    limit: int | None = 50


@frozen(kw_only=True)
class OwnPoint:
    """A learning point as an author of the pair sees it: not by whom it was written.

    Attributes:
        kind, category, finding, text: as in `LearningPoint`.
        made: when it was written.
    """

    kind: LearningKind
    category: ErrorCategory | None = None
    finding: str = ""
    text: str = field(default="", repr=False)
    made: datetime


@frozen(kw_only=True)
class OwnRow:
    """A pair in the list of one of its authors.

    Attributes:
        pair: number of the pair.
        examination: the first that it reports on, without its patient.
        kind: what is compared.
        arrived: when its reference did.
        points: number of learning points.
        is_new: whether one of these was written after its author last saw the pair.
    """

    pair: int
    examination: Examination
    kind: PairKind
    arrived: datetime
    points: int = 0
    is_new: bool = False


@frozen(kw_only=True)
class OwnPage:
    """A bounded part of the pairs of an author.

    Attributes:
        rows: the newest first.
        next: what to give as ``before`` for those that follow; None at the end.
    """

    rows: tuple[OwnRow, ...] = field(converter=in_tuple)
    next: int | None = None


@frozen(kw_only=True)
class OwnPair:
    """A pair as one of its authors sees it: not who else wrote or reviewed it.

    Attributes:
        row: as in the list.
        report_pair: the texts; None once one is no longer kept.
        result: of notation under the present signature, with its discrepancies; None without one.
        points: that others wrote about it, oldest first.
        responses: of this author, oldest first.
    """

    row: OwnRow
    report_pair: ReportPair | None = field(repr=False)
    result: EvaluationResult | None = field(default=None, repr=False)
    points: tuple[OwnPoint, ...] = field(default=(), converter=in_tuple)
    responses: tuple[AuthorResponse, ...] = field(default=(), converter=in_tuple)

    @property
    def discrepancies(self) -> tuple[Discrepancy, ...]:
        """Discrepancies of the result; none without one."""
        return self.result.discrepancies if self.result is not None and self.result.is_scored else ()
