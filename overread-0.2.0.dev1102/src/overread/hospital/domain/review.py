"""Reviews of comparisons by people. Nothing here is ever decided by the program."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from attrs import field, frozen, validators

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.members import member_of
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory

__all__ = [
    "Radpeer",
    "Review",
    "ReviewStage",
    "ReviewState",
    "Verdict",
    "VerdictKind",
    "finding_problems",
    "review_digest",
    "standing_score",
    "verdict_problems",
]


_FINDING: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""No sentence of a report fits it."""


def finding_problems(*findings: str) -> Iterator[str]:
    """Yield what is wrong with names of findings; "" names none."""
    if any(finding and not _FINDING.fullmatch(finding) for finding in findings):
        yield "a finding is not named by its id: letters, digits, _ and -, 64 at most"


class Radpeer(StrEnum):
    """Score of the American College of Radiology's RADPEER programme, in its version of 2016.

    1 is concurrence, 2 a discrepancy in an interpretation that is not ordinarily expected to be made (understandable
    miss), 3 one that should be made most of the time; a: unlikely to be clinically significant, b: likely to be.
    """

    CONCUR = "1"
    UNDERSTANDABLE_INSIGNIFICANT = "2a"
    UNDERSTANDABLE_SIGNIFICANT = "2b"
    EXPECTED_INSIGNIFICANT = "3a"
    EXPECTED_SIGNIFICANT = "3b"

    @property
    def is_concordant(self) -> bool:
        """True for no discrepancy, or one that is understandable and without consequence: 1 and 2a.

        The line is ours; RADPEER draws none.
        """
        return self in {Radpeer.CONCUR, Radpeer.UNDERSTANDABLE_INSIGNIFICANT}

    @property
    def is_major(self) -> bool:
        """True for b, likely to be clinically significant, whether 2 or 3."""
        return self in {Radpeer.UNDERSTANDABLE_SIGNIFICANT, Radpeer.EXPECTED_SIGNIFICANT}


class VerdictKind(StrEnum):
    """A reviewer's response to one discrepancy."""

    AGREE = "agree"
    DISAGREE = "disagree"
    AMEND = "amend"


@frozen(kw_only=True)
class Verdict:
    """A reviewer's word on one discrepancy.

    Attributes:
        discrepancy: its index in the result, from 0; None for one that the reviewer adds.
        kind: agree, disagree or amend; an added one is an amendment.
        category, severity, finding: what they should be, in an amendment; None and "" where they stay. A finding is
            named by its id in the lexicon, and kept plain.
        reason: in the reviewer's own words; wanted for all but agreement. It may quote a report: it is stored as report
            text is.

    Raises:
        InputError: if a word is no member of its enumeration.
    """

    discrepancy: int | None = None
    kind: VerdictKind = field(validator=member_of(VerdictKind))
    category: ErrorCategory | None = field(default=None, validator=validators.optional(member_of(ErrorCategory)))
    severity: Severity | None = field(default=None, validator=validators.optional(member_of(Severity)))
    finding: str = ""
    reason: str = field(default="", repr=False)


class ReviewStage(StrEnum):
    """State of knowledge in which a review was made."""

    OPEN = "open"
    """With the program's result at hand."""

    BLINDED = "blinded"
    """Without any result, author or other review."""

    UNBLINDED = "unblinded"
    """After a blinded review of the same reviewer, which it leaves as it is."""

    ADJUDICATED = "adjudicated"
    """By whoever decides where readers differ."""


@frozen(kw_only=True)
class Review:
    """A person's review of one pair under one signature.

    Attributes:
        reviewer: who confirmed it.
        made: when, in UTC.
        signature: of the result that was looked at; "" for one that was made without any.
        verdicts: on single discrepancies.
        radpeer: the score that the reviewer confirmed or chose; None where not given.
        proposed: what was proposed to them, so that agreement with the proposal can be counted.
        comment: in their own words; stored as report text is.
        stage: what the reviewer knew.
        no_discrepancy: whether the reviewer states that the reports do not differ.
        assignment: number of the assignment of a reading protocol that it was made for; None without one.
    """

    reviewer: str
    made: datetime
    signature: str
    verdicts: tuple[Verdict, ...] = field(default=(), converter=in_tuple)
    radpeer: Radpeer | None = None
    proposed: Radpeer | None = None
    comment: str = field(default="", repr=False)
    stage: ReviewStage = field(default=ReviewStage.OPEN, validator=member_of(ReviewStage))
    no_discrepancy: bool = False
    assignment: int | None = None


class ReviewState(StrEnum):
    """State of a pair: whether anyone has reviewed it."""

    OPEN = "open"
    REVIEWED = "reviewed"


def review_digest(pair: int, review: Review) -> str:
    """SHA-256 in hexadecimal over a review of a pair, without its words, which may be erased before it is.

    Args:
        pair: number of the pair.
        review: whose moment must have a time zone.
    """
    verdicts = [
        [
            verdict.discrepancy,
            verdict.kind,
            verdict.category and verdict.category.value,
            verdict.severity,
            verdict.finding,
        ]
        for verdict in review.verdicts
    ]
    made = review.made.astimezone(UTC).isoformat(timespec="microseconds")
    whole = [pair, review.reviewer, made, review.signature, verdicts, review.radpeer, review.proposed]
    reading = [review.stage, review.no_discrepancy, review.assignment]
    if reading != [ReviewStage.OPEN, False, None]:  # digests of before there were others stay as they are
        whole += reading
    return hashlib.sha256(json.dumps(whole, separators=(",", ":")).encode("ascii")).hexdigest()


def standing_score(reviews: Sequence[Review]) -> Radpeer | None:
    """The RADPEER score that stands for a pair, whose reviews are given oldest first; None for none.

    The newest adjudicated one does. Without any, the newest score of each reviewer counts, but for those given after
    unblinding; the first reviewer's stands. Where readers of a protocol fall on both sides of concordance, none does
    until one of them is adjudicated.
    """
    adjudicated = [review for review in reviews if review.stage is ReviewStage.ADJUDICATED and review.radpeer]
    if adjudicated:
        return adjudicated[-1].radpeer
    scored = [review for review in reviews if review.stage is not ReviewStage.UNBLINDED and review.radpeer]
    scores = {review.reviewer: review.radpeer for review in scored}
    is_read = any(review.assignment is not None for review in scored)
    if is_read and len({score.is_concordant for score in scores.values() if score}) > 1:
        return None
    return next(iter(scores.values()), None)


def verdict_problems(verdicts: Sequence[Verdict], discrepancies: int) -> Iterator[str]:
    """Yield what is wrong with verdicts on a result that has this number of discrepancies."""
    numbered = [verdict.discrepancy for verdict in verdicts if verdict.discrepancy is not None]
    if len(set(numbered)) < len(numbered):
        yield "a discrepancy has more than one verdict"
    if any(not 0 <= number < discrepancies for number in numbered):
        yield f"a verdict is on a discrepancy that is not among the {discrepancies}"
    if any(verdict.kind is not VerdictKind.AMEND and _changes(verdict) for verdict in verdicts):
        yield "only an amendment says what category, severity or finding should be"
    if any(verdict.discrepancy is None and verdict.kind is not VerdictKind.AMEND for verdict in verdicts):
        yield "a discrepancy that is added must be an amendment"
    yield from finding_problems(*(verdict.finding for verdict in verdicts))
    if any(verdict.kind is not VerdictKind.AGREE and not verdict.reason.strip() for verdict in verdicts):
        yield "all but agreement needs a reason"


def _changes(verdict: Verdict) -> bool:
    return bool(verdict.category or verdict.severity or verdict.finding)
