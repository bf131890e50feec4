"""What a review comes to, and when those of several readers differ."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.hospital.domain.judgement import Judgement, differ, judgement_of, judgement_of_result
from overread.hospital.domain.reading import ProtocolReader, is_author
from overread.hospital.domain.review import (
    Radpeer,
    Review,
    ReviewStage,
    Verdict,
    VerdictKind,
    review_digest,
    standing_score,
)

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
OMITTED, FALSE = ErrorCategory.OMITTED_FINDING, ErrorCategory.FALSE_FINDING


def review(reviewer: str = "a", radpeer: Radpeer | None = None, **more: Any) -> Review:
    """A review of a result."""
    return Review(reviewer=reviewer, made=NOON, signature="notation|1", radpeer=radpeer, **more)


def seen(severity: Severity, category: ErrorCategory = OMITTED) -> Verdict:
    """A discrepancy that a reader sees."""
    return Verdict(discrepancy=None, kind=VerdictKind.AMEND, severity=severity, category=category, reason="seen")


def discrepancy(severity: Severity, *, probability: float = 1.0) -> Discrepancy:
    """A discrepancy of the program."""
    return Discrepancy(
        category=OMITTED,
        aspect=ErrorAspect.NEGATION,
        type=ErrorType.OMISSION,
        severity=severity,
        reason="left out",
        finding="pneumothorax",
        probability=probability,
    )


def test_a_blinded_review_comes_to_its_gravest_discrepancy() -> None:
    """With all their categories; a statement that there is none comes to none."""
    judgement = judgement_of(review(verdicts=[seen(Severity.INSIGNIFICANT), seen(Severity.SIGNIFICANT, FALSE)]), ())
    assert judgement.severity is Severity.SIGNIFICANT
    assert judgement.categories == {OMITTED, FALSE}
    assert (judgement.is_significant, judgement.step) == (True, 2)
    assert judgement_of(review(no_discrepancy=True), ()) == Judgement()


def test_verdicts_on_a_result_take_its_discrepancies_as_they_leave_them() -> None:
    """Agreed to as it is, amended as amended, disagreed with not at all, passed over not at all."""
    listed = [discrepancy(Severity.CRITICAL), discrepancy(Severity.SIGNIFICANT), discrepancy(Severity.SIGNIFICANT)]
    agree = Verdict(discrepancy=2, kind=VerdictKind.AGREE)
    amend = Verdict(discrepancy=1, kind=VerdictKind.AMEND, severity=Severity.INSIGNIFICANT, category=FALSE, reason="x")
    disagree = Verdict(discrepancy=0, kind=VerdictKind.DISAGREE, reason="x")
    assert judgement_of(review(verdicts=[disagree]), listed) == Judgement()
    assert judgement_of(review(verdicts=[disagree, amend]), listed).severity is Severity.INSIGNIFICANT
    assert judgement_of(review(verdicts=[amend]), listed).categories == {FALSE}
    assert judgement_of(review(verdicts=[amend, agree]), listed).severity is Severity.SIGNIFICANT


@pytest.mark.parametrize(
    ("score", "severity"),
    [
        (Radpeer.CONCUR, None),
        (Radpeer.EXPECTED_INSIGNIFICANT, Severity.INSIGNIFICANT),
        (Radpeer.UNDERSTANDABLE_SIGNIFICANT, Severity.SIGNIFICANT),
    ],
)
def test_a_score_alone_tells_how_grave_it_is(score: Radpeer, severity: Severity | None) -> None:
    """RADPEER's letter says whether it is likely to be significant."""
    assert judgement_of(review(radpeer=score), ()).severity is severity


def test_the_programs_doubtful_discrepancies_are_insignificant() -> None:
    """As lists count them."""
    assert judgement_of_result([discrepancy(Severity.SIGNIFICANT)]).is_significant
    assert not judgement_of_result([discrepancy(Severity.SIGNIFICANT, probability=0.1)]).is_significant
    assert judgement_of_result([]).severity is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Judgement(), Judgement(), False),
        (Judgement(severity=Severity.SIGNIFICANT), Judgement(), True),
        (Judgement(severity=Severity.INSIGNIFICANT), Judgement(), True),
        (Judgement(severity=Severity.CRITICAL), Judgement(severity=Severity.SIGNIFICANT), True),
        (Judgement(categories=frozenset({FALSE})), Judgement(), False),
        (Judgement(radpeer=Radpeer.CONCUR), Judgement(radpeer=Radpeer.EXPECTED_SIGNIFICANT), True),
        (Judgement(radpeer=Radpeer.CONCUR), Judgement(radpeer=Radpeer.UNDERSTANDABLE_INSIGNIFICANT), False),
        (Judgement(radpeer=Radpeer.CONCUR), Judgement(), False),
    ],
)
def test_a_step_or_a_side_of_concordance_makes_the_difference(
    one: Judgement, other: Judgement, *, expected: bool
) -> None:
    """And nothing else: neither what kind it is, nor scores on the same side."""
    assert differ([one, other]) is expected
    assert differ([other, one]) is expected


def test_one_reader_alone_does_not_differ() -> None:
    """A pair that is short of readers is agreed."""
    assert not differ([Judgement(severity=Severity.SIGNIFICANT)])


def test_a_second_score_does_not_take_the_place_of_the_first() -> None:
    """Whoever gave it; only their own newer one does."""
    first, second = review("a", Radpeer.CONCUR), review("b", Radpeer.EXPECTED_SIGNIFICANT)
    assert standing_score([first, second]) is Radpeer.CONCUR
    assert (
        standing_score([first, second, review("a", Radpeer.EXPECTED_INSIGNIFICANT)]) is Radpeer.EXPECTED_INSIGNIFICANT
    )
    assert standing_score([review("a"), second]) is Radpeer.EXPECTED_SIGNIFICANT
    assert standing_score([review("a")]) is None


def test_of_readers_who_differ_no_score_stands_until_it_is_adjudicated() -> None:
    """Then that one does, whatever is said after unblinding."""
    blinded = {"stage": ReviewStage.BLINDED}
    one = review("a", Radpeer.CONCUR, assignment=1, **blinded)
    other = review("b", Radpeer.EXPECTED_SIGNIFICANT, assignment=2, **blinded)
    agreed = review("b", Radpeer.UNDERSTANDABLE_INSIGNIFICANT, assignment=2, **blinded)
    adjudicated = review("c", Radpeer.UNDERSTANDABLE_SIGNIFICANT, assignment=3, stage=ReviewStage.ADJUDICATED)
    later = review("b", Radpeer.CONCUR, stage=ReviewStage.UNBLINDED)
    assert standing_score([one, agreed]) is Radpeer.CONCUR
    assert standing_score([one, other]) is None
    assert standing_score([one, other, later]) is None
    assert standing_score([one, other, adjudicated, later]) is Radpeer.UNDERSTANDABLE_SIGNIFICANT


def test_digests_of_before_there_were_protocols_stay() -> None:
    """Trails of before hold; what a review was made for is part of it from then on."""
    plain = review("a", Radpeer.CONCUR, verdicts=[Verdict(discrepancy=0, kind=VerdictKind.AGREE)])
    assert review_digest(7, plain) == "5db8f28c16d68d25e8290a935efd6a59c8cb50ee5bf2d0ba70e21620324a71f5"
    changed = [
        review("a", Radpeer.CONCUR, verdicts=plain.verdicts, stage=ReviewStage.BLINDED),
        review("a", Radpeer.CONCUR, verdicts=plain.verdicts, no_discrepancy=True),
        review("a", Radpeer.CONCUR, verdicts=plain.verdicts, assignment=1),
    ]
    assert len({review_digest(7, each) for each in (plain, *changed)}) == 4


@pytest.mark.parametrize(
    ("author", "expected"),
    [("a.kim", True), ("A.KIM ", True), ("4711", True), ("9001;4711", True), ("a.kimura", False), ("", False)],
)
def test_an_author_is_known_by_any_of_their_names(author: str, *, expected: bool) -> None:
    """However reports write it, but as a whole."""
    assert is_author(ProtocolReader(name="a.kim", known_as=("4711", "")), [author, "other"]) is expected
