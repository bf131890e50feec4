"""A pair as a page shows it: both reports, what differs, the form of a review, and the reviews there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import evolve, field, frozen

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.requests import PairRecord, PairState
from overread.hospital.domain.report_version import KeptVersion
from overread.hospital.domain.review import Radpeer, Review, Verdict
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages.reviewing import ENTRIES, Problem, ReviewDraft
from overread.hospital.infrastructure.http.pages.templating import render
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.infrastructure.views import wording
from overread.infrastructure.views.web.pair_page import Surroundings, pair_fragment

__all__ = ["PART", "OtherResult", "PairView", "ReviewView", "VersionLine", "pair_view"]

PART: Final = "pair"
"""Id of the element that shows both reports."""

_LISTING: Final = "notation"
_SIDES: Final = {
    PairKind.PRELIMINARY_FINAL: ("Preliminary report", "Final report"),
    PairKind.DRAFT_FINAL: ("AI draft", "Final report"),
    PairKind.FINAL_CORRECTED: ("Final report", "Corrected report"),
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
    """

    reviewer: str
    made: str
    made_iso: str
    radpeer: str
    proposal: str
    said: tuple[SaidOf, ...] = field(converter=in_tuple)
    comment: str = field(repr=False)
    earlier: bool


@frozen(kw_only=True)
class OtherResult:
    """A result under a signature that is not the present one."""

    metric: str
    score: str
    discrepancies: str
    signature: str


@frozen(kw_only=True)
class PairView:
    """A pair in words.

    Attributes:
        body: the element that shows both reports, with the form in it.
        reviews: oldest first.
        others: results under other signatures.
        examinations: number of them.
    """

    number: int
    body: str = field(repr=False)
    reviews: tuple[ReviewView, ...] = field(converter=in_tuple)
    others: tuple[OtherResult, ...] = field(converter=in_tuple)
    examinations: int


def pair_view(
    record: PairRecord,
    vocabulary: Vocabulary,
    *,
    nonce: str,
    action: str,
    csrf: str,
    draft: ReviewDraft,
    problems: Sequence[Problem] = (),
    explained: bool = False,
    has_next: bool = False,
) -> PairView:
    """A pair in words, with the form of a review.

    Args:
        record: of the pair.
        vocabulary: of the lexicon.
        nonce: of the page's policy.
        action: address that the form is sent to.
        csrf: token that the form carries.
        draft: what stands in the form.
        problems: what is amiss with it.
        explained: whether the results carry their evidence.
        has_next: whether a pair follows in the list.
    """
    amiss = {problem.field: problem.words for problem in problems}
    names = _entry_names(record, draft)
    shared = {"draft": draft, "amiss": amiss, "categories": tuple(ErrorCategory), "severities": tuple(Severity)}
    below = render(
        "review.html.j2",
        record=record,
        proposal=_proposal(record),
        is_open=record.state is not PairState.WAITING,
        signature=_signature(record),
        action=action,
        csrf=csrf,
        problems=[evolve(issue, words=_with_entry(issue, names)) for issue in problems],
        names=names,
        radpeer=tuple(Radpeer),
        most=ENTRIES,
        has_next=has_next,
        **shared,
    )
    candidate, reference = _SIDES[record.pair.kind]
    around = Surroundings(
        eyebrow=f"{candidate} read against the {words.within(reference)}",
        candidate=candidate,
        reference=reference,
        candidate_short=candidate.removesuffix(" report"),
        reference_short=reference.removesuffix(" report"),
        head=render(
            "versions_head.html.j2",
            record=record,
            lines=_lines(record),
            kind=words.KINDS[record.pair.kind],
            roles=[words.within(side) for side in (candidate, reference) if record.pair.kind is not PairKind.GIVEN],
        ),
        beneath=lambda item: _fields(item, shared),
        below=below,
        nonce=nonce,
        is_open=explained,
    )
    return PairView(
        number=record.number,
        body=_body(record, vocabulary, around),
        reviews=[_review(review, record, vocabulary) for review in record.reviews],
        others=list(_others(record)),
        examinations=len(record.examinations),
    )


def _body(record: PairRecord, vocabulary: Vocabulary, around: Surroundings) -> str:
    if record.report_pair is None:
        discrepancies = wording.numbered_discrepancies({name: record.current[name] for name in record.current})
        return render(
            "without_text.html.j2",
            record=record,
            around=around,
            title=_title(record),
            found=discrepancies,
            finding_name=vocabulary.finding_name,
            reason=_reason(record),
        )
    return pair_fragment(
        record.report_pair,
        record.current,
        vocabulary.finding_name,
        signs=vocabulary.signs,
        part=PART,
        title=_title(record),
        level=1,
        styled=False,
        around=around,
    )


def _fields(item: wording.NumberedDiscrepancy, shared: Mapping[str, object]) -> str:
    """The fields of the form that are about a discrepancy; they stand under it, wherever the form itself is."""
    return render("verdict.html.j2", item=item, **shared) if item.metric == _LISTING else ""


def _entry_names(record: PairRecord, draft: ReviewDraft) -> dict[str, str]:
    """Names on the page of the discrepancies that the form asks about, by the key of their fields."""
    listed = {
        f"listed-{item.index}": f"Number {item.number}"
        for item in wording.numbered_discrepancies(record.current)
        if item.metric == _LISTING
    }
    several = len(draft.added) > 1
    added = enumerate(draft.added, start=1)
    return listed | {
        entry.key: f"Discrepancy {place} to add" if several else "Discrepancy to add" for place, entry in added
    }


def _with_entry(problem: Problem, names: Mapping[str, str]) -> str:
    """A problem far from its field: it must say which discrepancy it is about."""
    name = names.get(problem.field.rpartition("-")[0])
    return f"{name}: {problem.words}" if name else problem.words


def _title(record: PairRecord) -> str:
    if not record.examinations:
        return f"Pair {record.number}"
    first = record.examinations[0]
    numbers = ", ".join(wording.one_line(examination.accession) for examination in record.examinations)
    return f"{words.examination_words(first)}, {numbers}"


def _lines(record: PairRecord) -> list[tuple[str, list[VersionLine]]]:
    sides = _SIDES[record.pair.kind]
    compared = (record.pair.candidate, record.pair.reference)
    by_number = {version.number: version for version in record.versions}
    return [
        (side, [_line(by_number[number]) for number in numbers if number in by_number])
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


def _reason(record: PairRecord) -> str:
    outcomes = [result.outcome for result in record.current.values() if not result.is_scored]
    return next((getattr(outcome, "detail", "") or getattr(outcome, "reason", "") for outcome in outcomes), "")


def _proposal(record: PairRecord) -> str:
    return "" if record.proposed is None else f"{record.proposed.value}: {words.RADPEER[record.proposed]}"


def _signature(record: PairRecord) -> str:
    result = record.current.get(_LISTING)
    return "" if result is None else str(result.signature)


def _review(review: Review, record: PairRecord, vocabulary: Vocabulary) -> ReviewView:
    result = record.results.get(review.signature)
    listed = result.discrepancies if result is not None and result.is_scored else ()
    return ReviewView(
        reviewer=wording.one_line(review.reviewer),
        made=words.moment(review.made),
        made_iso=review.made.isoformat(),
        radpeer="" if review.radpeer is None else f"{review.radpeer.value}: {words.RADPEER[review.radpeer]}",
        proposal=_held_against(review),
        said=[_verdict_view(verdict, listed, vocabulary) for verdict in review.verdicts],
        comment=wording.shown(review.comment),
        earlier=review.signature != _signature(record),
    )


def _held_against(review: Review) -> str:
    if review.radpeer is None or review.proposed is None:
        return ""
    return "as proposed" if review.radpeer is review.proposed else f"{review.proposed.value} was proposed"


def _verdict_view(verdict: Verdict, listed: Sequence[Discrepancy], vocabulary: Vocabulary) -> SaidOf:
    index = verdict.discrepancy
    title = "Added by the reviewer"
    if index is not None:
        item = wording.NumberedDiscrepancy(0, _LISTING, listed[index]) if index < len(listed) else None
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
        reason=wording.shown(verdict.reason),
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
    significant = sum(discrepancy.severity.counts_as_significant for discrepancy in result.discrepancies)
    return f"{wording.counted(len(result.discrepancies), 'discrepancy', 'discrepancies')}, {significant} significant"
