"""The pair of a page with what the hospital knows of it: its versions, the form of a review, and the reviews so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import field, frozen

from overread.domain.differences.word_alignment import aligned_words
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.requests import PairRecord
from overread.hospital.application.worklist import DISCREPANCIES_OF, is_significant
from overread.hospital.domain.report_version import KeptVersion, ReportStatus
from overread.hospital.domain.review import Review, Verdict
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages.review_form import ReviewForm, signature_of
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.infrastructure.views import wording
from overread.infrastructure.views.web.pair_view import PairView, Surroundings, pair_view
from overread.infrastructure.views.web.word_difference import WordDifference, word_difference

__all__ = [
    "PART",
    "OtherResult",
    "ReviewView",
    "ReviewedPair",
    "VersionLine",
    "reviewed_pair",
    "sides_of",
    "surroundings_of",
]

PART: Final = "pair"
"""Id of the element that shows both reports."""

_SIDES: Final = {
    PairKind.PRELIMINARY_FINAL: (words.STATUSES[ReportStatus.PRELIMINARY], words.STATUSES[ReportStatus.FINAL]),
    PairKind.DRAFT_FINAL: (words.STATUSES[ReportStatus.DRAFT], words.STATUSES[ReportStatus.FINAL]),
    PairKind.FINAL_CORRECTED: (words.STATUSES[ReportStatus.FINAL], words.STATUSES[ReportStatus.CORRECTED]),
    PairKind.GIVEN: ("Candidate report", "Reference report"),
}
"""What the candidate and the reference of a pair are."""


@frozen(kw_only=True)
class VersionLine:
    """A version that is compared, in a line."""

    status: str
    who: str
    issued: str
    arrived: str


@frozen(kw_only=True)
class SaidOf:
    """A verdict in words: on which discrepancy, what the reviewer says, and what it should be."""

    title: str
    kind: str
    amended: str
    reason: str = field(repr=False)


@frozen(kw_only=True)
class ReviewView:
    """A review in words.

    Attributes:
        proposal: how the RADPEER score given stands to the one proposed.
        earlier: whether it is of a result under another signature than the present one.
        stage: what the reviewer knew, in words; "" where they saw the result.
        states_none: whether they state that there is no discrepancy.
    """

    reviewer: str
    made: str
    made_iso: str
    radpeer: str
    proposal: str
    said: tuple[SaidOf, ...] = field(converter=in_tuple)
    comment: str = field(repr=False)
    earlier: bool
    stage: str
    states_none: bool


@frozen(kw_only=True)
class OtherResult:
    """A result under a signature that is not the present one."""

    metric: str
    score: str
    discrepancies: str
    signature: str


@frozen(kw_only=True)
class ReviewedPair:
    """A pair in words.

    Attributes:
        pair: both reports and what differs, as every page shows them.
        versions: that are compared, by what they are called.
        roles: what the candidate and the reference are called within a sentence; none for a pair that was given as one.
        form: of a review; None until the pair is scored, or is known to have no score.
        reviews: oldest first.
        others: results under other signatures.
        examinations: number of them.
    """

    number: int
    pair: PairView
    versions: tuple[tuple[str, tuple[VersionLine, ...]], ...] = field(converter=in_tuple)
    roles: tuple[str, ...] = field(converter=in_tuple)
    form: ReviewForm | None = field(repr=False)
    reviews: tuple[ReviewView, ...] = field(converter=in_tuple)
    others: tuple[OtherResult, ...] = field(converter=in_tuple)
    examinations: int


def sides_of(kind: PairKind) -> tuple[str, str]:
    """Names of the candidate and the reference of a pair."""
    return _SIDES[kind]


def surroundings_of(kind: PairKind, *, nonce: str, is_open: bool = False) -> Surroundings:
    """Part of a page that shows a pair of a kind.

    Args:
        kind: of the pair.
        nonce: of the page's policy.
        is_open: whether the part that explains the scores is open.
    """
    candidate, reference = sides_of(kind)
    return Surroundings(
        part=PART,
        eyebrow=f"{candidate} read against the {words.within(reference)}",
        candidate=candidate,
        reference=reference,
        candidate_short=candidate.removesuffix(" report"),
        reference_short=reference.removesuffix(" report"),
        nonce=nonce,
        is_open=is_open,
    )


def reviewed_pair(
    record: PairRecord, vocabulary: Vocabulary, form: ReviewForm | None, *, nonce: str, explained: bool = False
) -> ReviewedPair:
    """A pair in words, with the form of a review.

    Args:
        record: of the pair.
        vocabulary: of the lexicon.
        form: of a review of it.
        nonce: of the page's policy.
        explained: whether the results carry their evidence.
    """
    around = surroundings_of(record.pair.kind, nonce=nonce, is_open=explained)
    return ReviewedPair(
        number=record.number,
        pair=pair_view(
            record.report_pair,
            record.current,
            vocabulary.finding_name,
            signs=vocabulary.signs,
            title=_title(record),
            around=around,
            edits=record.edits,
            edited=DISCREPANCIES_OF,
            difference=None if record.blinded else _difference(record.report_pair),
        ),
        versions=_versions(record),
        roles=[words.within(side) for side in sides_of(record.pair.kind) if record.pair.kind is not PairKind.GIVEN],
        form=form,
        reviews=[_review(review, record, vocabulary) for review in record.reviews],
        others=list(_others(record)),
        examinations=len(record.examinations),
    )


def _difference(pair: ReportPair | None) -> WordDifference | None:
    if pair is None or pair.reference.is_blank or pair.candidate.is_blank:
        return None
    return word_difference(pair, aligned_words(pair.candidate.text, pair.reference.text))


def _title(record: PairRecord) -> str:
    if not record.examinations:
        return f"Pair {record.number}"
    first = record.examinations[0]
    numbers = ", ".join(wording.one_line(examination.accession) for examination in record.examinations)
    return f"{words.examination_words(first)}, {numbers}"


def _versions(record: PairRecord) -> list[tuple[str, tuple[VersionLine, ...]]]:
    sides = _SIDES[record.pair.kind]
    compared = (record.pair.candidate, record.pair.reference)
    by_number = {version.number: version for version in record.versions}
    return [
        (side, tuple(_line(by_number[number]) for number in numbers if number in by_number))
        for side, numbers in zip(sides, compared, strict=True)
        if numbers
    ]


def _line(kept: KeptVersion) -> VersionLine:
    version = kept.version
    return VersionLine(
        status=words.STATUSES[version.status],
        who=words.who(version.reader, version.model),
        issued=words.moment(version.issued),
        arrived=words.moment(kept.arrived),
    )


def _review(review: Review, record: PairRecord, vocabulary: Vocabulary) -> ReviewView:
    result = record.results.get(review.signature)
    listed = result.discrepancies if result is not None and result.is_scored else ()
    return ReviewView(
        reviewer=wording.one_line(review.reviewer),
        made=words.moment(review.made),
        made_iso=review.made.isoformat(),
        radpeer=words.radpeer_words(review.radpeer),
        proposal=_held_against(review),
        said=[_verdict_view(verdict, listed, vocabulary) for verdict in review.verdicts],
        comment=wording.make_printable(review.comment),
        earlier=review.signature not in {"", signature_of(record)},
        stage=words.STAGES[review.stage],
        states_none=review.no_discrepancy,
    )


def _held_against(review: Review) -> str:
    if review.radpeer is None or review.proposed is None:
        return ""
    return "as proposed" if review.radpeer is review.proposed else f"{review.proposed.value} was proposed"


def _verdict_view(verdict: Verdict, listed: Sequence[Discrepancy], vocabulary: Vocabulary) -> SaidOf:
    index = verdict.discrepancy
    title = "Added by the reviewer"
    if index is not None:
        item = wording.NumberedDiscrepancy(0, DISCREPANCIES_OF, listed[index]) if index < len(listed) else None
        title = wording.title_words(item, vocabulary.finding_name) if item else f"Discrepancy {index + 1}"
    amended = [
        verdict.category.label if verdict.category else "",
        vocabulary.finding_name(verdict.finding) if verdict.finding else "",
        verdict.severity.value if verdict.severity else "",
    ]
    return SaidOf(
        title=title,
        kind="" if index is None else words.VERDICTS[verdict.kind].lower(),
        amended=", ".join(part for part in amended if part),
        reason=wording.make_printable(verdict.reason),
    )


def _others(record: PairRecord) -> Iterable[OtherResult]:
    """Results that are not the present ones, the newest first."""
    present = {str(result.signature) for result in record.current.values()}
    for signature, result in reversed(list(record.results.items())):
        if signature not in present:
            yield OtherResult(
                metric=result.metric,
                score=wording.decimal(result.score) if result.is_scored else f"not scored: {_unscored_reason(result)}",
                discrepancies=_describe_counts(result),
                signature=signature,
            )


def _unscored_reason(result: EvaluationResult) -> str:
    return str(getattr(result.outcome, "reason", ""))


def _describe_counts(result: EvaluationResult) -> str:
    if not result.is_scored or not wording.lists_discrepancies(result.outcome):
        return ""
    significant = sum(map(is_significant, result.discrepancies))
    return (
        f"{wording.format_count(len(result.discrepancies), 'discrepancy', 'discrepancies')}, {significant} significant"
    )
