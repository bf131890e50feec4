"""Verdicts that stand for a pair: which review of it counts, and which discrepancies that one names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from attrs import frozen

from overread.domain.results.discrepancy import Discrepancy
from overread.hospital.domain.judgement import NamedDiscrepancy, differ, judgement_of, named_by
from overread.hospital.domain.reading import PairProgress
from overread.hospital.domain.review import Review, ReviewStage

__all__ = ["Ground", "StandingReview", "named_in", "standing_review", "unjudged_in"]

_READERS: Final = 2


class Ground(StrEnum):
    """Reasons why a review stands for its pair."""

    ADJUDICATED = "adjudicated"
    AGREED = "agreed"
    """All readers of a protocol agree, two or more."""

    SINGLE = "single"
    """One reviewer has said it, and nobody anything else."""


@frozen(kw_only=True)
class StandingReview:
    """A review that stands for its pair, why it does, and the protocol that it was made for; None for none."""

    review: Review
    ground: Ground
    protocol: int | None = None


def standing_review(
    reviews: Sequence[Review],
    progress: Mapping[int, PairProgress],
    protocols: Mapping[int, int],
    listed: Mapping[str, Sequence[Discrepancy]],
    *,
    singles: bool = False,
) -> StandingReview | None:
    """The review that stands for a pair; None where nothing does yet.

    The newest adjudicated one does. Without any, where two readers of a protocol or more agree, that of the first of
    them does. A pair that a protocol has not settled has none. Where ``singles`` are taken, the first reviewer's newest
    does, if it says anything and no other reviewer's differs. None counts that was given after unblinding.

    Args:
        reviews: of the pair, oldest first.
        progress: of the pair, by protocol.
        protocols: the protocol of each assignment of the pair.
        listed: discrepancies of the results that reviews are about, by signature.
        singles: whether a single reviewer's stands.
    """
    adjudicated = [review for review in reviews if review.stage is ReviewStage.ADJUDICATED]
    if adjudicated:
        return StandingReview(
            review=adjudicated[-1], ground=Ground.ADJUDICATED, protocol=_protocol_of(adjudicated[-1], protocols)
        )
    agreed = {number for number, each in progress.items() if each is PairProgress.AGREED}
    for protocol in sorted(agreed):
        readings = [each for each in reviews if _protocol_of(each, protocols) == protocol]
        if len({each.reviewer for each in readings}) >= _READERS:
            return StandingReview(review=readings[0], ground=Ground.AGREED, protocol=protocol)
    if not singles or any(not each.is_settled for each in progress.values()):
        return None
    return _single(reviews, protocols, listed)


def _protocol_of(review: Review, protocols: Mapping[int, int]) -> int | None:
    return None if review.assignment is None else protocols.get(review.assignment)


def _single(
    reviews: Sequence[Review], protocols: Mapping[int, int], listed: Mapping[str, Sequence[Discrepancy]]
) -> StandingReview | None:
    telling = [each for each in reviews if each.stage is not ReviewStage.UNBLINDED and _says_something(each)]
    newest = {review.reviewer: review for review in telling}
    judgements = [judgement_of(each, listed.get(each.signature, ())) for each in newest.values()]
    if not newest or differ(judgements):
        return None
    first = next(iter(newest.values()))
    return StandingReview(review=first, ground=Ground.SINGLE, protocol=_protocol_of(first, protocols))


def _says_something(review: Review) -> bool:
    return bool(review.verdicts) or review.no_discrepancy or review.radpeer is not None


def named_in(review: Review, listed: Sequence[Discrepancy]) -> tuple[NamedDiscrepancy, ...]:
    """The discrepancies that a review names; a RADPEER score alone, above 1, tells of one.

    Args:
        review: of a pair.
        listed: the discrepancies of the result that it is about.
    """
    if review.radpeer is not None and not review.verdicts:
        severity = judgement_of(review, listed).severity
        return () if severity is None else (NamedDiscrepancy(severity=severity),)
    return tuple(named_by(review.verdicts, listed))


def unjudged_in(review: Review, listed: Sequence[Discrepancy]) -> int:
    """Number of the program's discrepancies of which a review says nothing, though it is about their result."""
    if not review.signature:
        return 0
    return len(listed) - len({each.discrepancy for each in review.verdicts} - {None})
