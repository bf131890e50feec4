"""Verdicts that stand: whose review counts, and what it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.hospital.domain.judgement import NamedDiscrepancy
from overread.hospital.domain.reading import PairProgress
from overread.hospital.domain.review import Radpeer, Review, ReviewStage, Verdict, VerdictKind
from overread.hospital.domain.standing_verdicts import (
    Ground,
    named_in,
    standing_review,
    unjudged_in,
)

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
PROTOCOLS = {11: 1, 12: 1, 13: 1, 21: 2}
AGREED, DIFFERENT = {1: PairProgress.AGREED}, {1: PairProgress.DIFFERENT}
GRAVE = [Verdict(kind=VerdictKind.AMEND, severity=Severity.SIGNIFICANT, reason="They differ.")]


def review(reviewer: str, minute: int = 0, **more: Any) -> Review:
    return Review(reviewer=reviewer, made=NOON + timedelta(minutes=minute), signature="", **more)


def blinded(reviewer: str, assignment: int, **more: Any) -> Review:
    return review(reviewer, stage=ReviewStage.BLINDED, assignment=assignment, **more)


def listed(finding: str = "effusion") -> Discrepancy:
    return Discrepancy(
        category=ErrorCategory.OMITTED_FINDING,
        aspect=ErrorAspect.DESCRIPTION,
        type=ErrorType.OMISSION,
        severity=Severity.SIGNIFICANT,
        reason="left out",
        finding=finding,
        importance=Importance.ACTIONABLE,
        extent=1.0,
    )


KIM = blinded("kim", 11, no_discrepancy=True)
LANG = blinded("lang", 12, no_discrepancy=True)
NOVAK = review("novak", stage=ReviewStage.ADJUDICATED, assignment=13, verdicts=GRAVE)


@pytest.mark.parametrize(
    ("reviews", "progress", "singles", "expected"),
    [
        ([KIM, LANG], AGREED, False, ("kim", Ground.AGREED, 1)),
        ([KIM, LANG, NOVAK], {1: PairProgress.ADJUDICATED}, False, ("novak", Ground.ADJUDICATED, 1)),
        ([KIM, LANG], DIFFERENT, True, None),
        ([KIM], {1: PairProgress.READING}, True, None),
        ([KIM, review("osei", verdicts=GRAVE)], {1: PairProgress.READING}, True, None),
        # A protocol with one reader a pair agrees with itself.
        ([KIM], AGREED, False, None),
        ([KIM], AGREED, True, ("kim", Ground.SINGLE, 1)),
        ([review("osei", verdicts=GRAVE)], {}, False, None),
        ([review("osei", verdicts=GRAVE)], {}, True, ("osei", Ground.SINGLE, None)),
        ([review("osei", verdicts=GRAVE), review("ruiz", radpeer=Radpeer.CONCUR)], {}, True, None),
        ([review("osei", comment="Seen.")], {}, True, None),
        ([review("kim", stage=ReviewStage.UNBLINDED, verdicts=GRAVE)], {}, True, None),
        ([], {}, True, None),
    ],
)  # fmt: skip
def test_whose_review_stands(
    reviews: Sequence[Review],
    progress: Mapping[int, PairProgress],
    singles: bool,  # noqa: FBT001 - a column of the table
    expected: tuple[str, Ground, int | None] | None,
) -> None:
    """The adjudicator's, else what several readers agree on, else a single one's if they are wanted."""
    standing = standing_review(reviews, progress, PROTOCOLS, {}, singles=singles)
    assert (standing and (standing.review.reviewer, standing.ground, standing.protocol)) == expected


def test_of_one_reviewer_the_newest_stands() -> None:
    """Their earlier word is replaced by their own alone."""
    standing = standing_review(
        [review("osei", radpeer=Radpeer.CONCUR), review("osei", 5, verdicts=GRAVE)], {}, {}, {}, singles=True
    )
    assert standing is not None
    assert standing.review.verdicts == tuple(GRAVE)


def test_what_a_review_names() -> None:
    """What it agrees with or amends, as amended, and what it adds; not what it disagrees with."""
    of_the_program = [listed("effusion"), listed("nodule"), listed("scar"), listed("fracture")]
    said = review(
        "osei",
        verdicts=[
            Verdict(discrepancy=0, kind=VerdictKind.AGREE),
            Verdict(discrepancy=1, kind=VerdictKind.DISAGREE, reason="No."),
            Verdict(discrepancy=2, kind=VerdictKind.AMEND, severity=Severity.INSIGNIFICANT, reason="Old."),
            Verdict(kind=VerdictKind.AMEND, category=ErrorCategory.LOCATION, finding="mass", reason="Left."),
        ],
    )
    omitted = ErrorCategory.OMITTED_FINDING
    assert named_in(said, of_the_program) == (
        NamedDiscrepancy(severity=Severity.SIGNIFICANT, category=omitted, finding="effusion", listed=of_the_program[0]),
        NamedDiscrepancy(severity=Severity.INSIGNIFICANT, category=omitted, finding="scar", listed=of_the_program[2]),
        NamedDiscrepancy(severity=Severity.INSIGNIFICANT, category=ErrorCategory.LOCATION, finding="mass"),
    )


@pytest.mark.parametrize(
    ("score", "severities"),
    [
        (Radpeer.CONCUR, []),
        (Radpeer.EXPECTED_INSIGNIFICANT, ["insignificant"]),
        (Radpeer.EXPECTED_SIGNIFICANT, ["significant"]),
    ],
)
def test_a_score_alone_names_one_discrepancy_or_none(score: Radpeer, severities: list[str]) -> None:
    """It tells how grave it is, and nothing else."""
    assert [each.severity for each in named_in(review("osei", radpeer=score), [])] == severities


def test_what_was_not_judged_is_counted_where_the_result_was_seen() -> None:
    """A blinded reader has judged all that they have seen: the reports."""
    some = [Verdict(discrepancy=0, kind=VerdictKind.AGREE)]
    seen = Review(reviewer="osei", made=NOON, signature="s", verdicts=some)
    assert unjudged_in(seen, [listed(), listed()]) == 1
    assert unjudged_in(KIM, [listed()]) == 0
