"""Verdicts as labels: where the errors stand that reviewers name without a place."""

from __future__ import annotations

import pytest
from attrs import evolve

from overread.application.metrics.pair_reader import PairReader, ReadPair, first_reading
from overread.bootstrap.training import first_reader
from overread.domain.differences.second_reading import FirstReading
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.annotation import MarkedError
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import ConfigurationError
from overread.hospital.application.review_labels import (
    MarkedPairs,
    Unmarked,
    check_claims,
    count_pairs,
    mark_pairs,
    place_errors,
)
from overread.hospital.application.standing_pairs import Least, StandingPair
from overread.hospital.domain.judgement import NamedDiscrepancy
from overread.infrastructure.settings import settings_from

from .standing import MINOR, WRONG, standing

FINAL = "Heart size is normal. Small left pleural effusion. No pneumothorax. No acute bony abnormality."
OTHER_SIDE = FINAL.replace("left", "right")
REWORDED = FINAL.replace("No acute bony abnormality", "The bones look fine")


@pytest.fixture(scope="module")
def reader() -> PairReader:
    return first_reader(settings_from(None))


def first_of(reader: PairReader, candidate: str, reference: str = FINAL) -> FirstReading:
    pair = ReportPair(id="1", reference=reference, candidate=candidate)
    [read] = reader.read([pair])
    assert isinstance(read, ReadPair)
    first = first_reading(pair, read)
    assert first is not None
    return first


def words_of(error: MarkedError, first: FirstReading) -> tuple[list[str], list[str]]:
    return (
        [span.of(first.reference) for span in error.reference_spans],
        [span.of(first.candidate) for span in error.candidate_spans],
    )


def test_an_error_stands_where_the_program_found_one_of_its_category(reader: PairReader) -> None:
    """With the program's weight, which is a significant one as the reviewer has it."""
    first = first_of(reader, OTHER_SIDE)
    [found] = first.discrepancies
    assert found.weight is not None
    placed = place_errors([WRONG], first)
    assert placed == (MarkedError(found.reference_spans, found.candidate_spans, "C", found.weight),)


def test_the_reviewers_severity_decides_how_much_it_weighs(reader: PairReader) -> None:
    """The program holds the wrong side for significant; a reviewer who does not is believed."""
    placed = place_errors([evolve(WRONG, severity=Severity.INSIGNIFICANT)], first_of(reader, OTHER_SIDE))
    assert placed is not None
    assert placed[0].weight == pytest.approx(0.1)


def test_a_response_stands_where_what_it_responds_to_does(reader: PairReader) -> None:
    """Whatever else the first reading says today."""
    [found] = first_of(reader, OTHER_SIDE).discrepancies
    placed = place_errors([evolve(MINOR, listed=found)], first_of(reader, REWORDED))
    assert placed is not None
    assert (placed[0].reference_spans, placed[0].category) == (found.reference_spans, "D")


def test_what_the_program_missed_stands_at_its_finding_or_the_one_change(reader: PairReader) -> None:
    """A finding names the words; else there may be one sentence alone that differs."""
    candidate = FINAL.replace("Heart size is normal", "Heart size is fine").replace(
        "No acute bony abnormality", "No acute bony deformity"
    )
    first = evolve(first_of(reader, candidate), discrepancies=())
    [unit] = [unit for unit in first.units[0] if "Heart" in unit.span.of(FINAL)]
    placed = place_errors([evolve(MINOR, finding=unit.canonical_finding)], first)
    assert placed is not None
    assert all("Heart" in words for words in words_of(placed[0], first)[0])
    assert place_errors([MINOR], first) is None
    one = evolve(first_of(reader, REWORDED), discrepancies=())
    [error] = place_errors([MINOR], one) or ()
    assert words_of(error, one) == (["No acute bony abnormality."], ["The bones look fine."])


def test_more_of_a_category_than_were_named_are_not_told_apart(reader: PairReader) -> None:
    """One wrong side is named, and there are two: neither is taken for it."""
    first = first_of(reader, OTHER_SIDE)
    [found] = first.discrepancies
    twice = evolve(
        first, candidate="Other. Words.", discrepancies=(found, evolve(found, reference_spans=(Span(0, 5),)))
    )
    assert place_errors([WRONG], twice) is None


def test_pairs_are_marked_or_left_out_with_the_reason(reader: PairReader) -> None:
    """What a verdict does not name does not hold; one that passes over a discrepancy tells nothing of it."""

    def pair(number: int, candidate: str, *named: NamedDiscrepancy, unjudged: int = 0) -> StandingPair:
        texts = ReportPair(id=f"{number}", reference=FINAL, candidate=candidate)
        return standing(number, *named, report_pair=texts, unjudged=unjudged)

    two = OTHER_SIDE.replace("Heart size is normal", "Heart size is fine")
    marked = mark_pairs(
        reader,
        [
            pair(1, OTHER_SIDE, WRONG),
            pair(2, REWORDED),
            pair(3, OTHER_SIDE, WRONG, unjudged=1),
            pair(4, two, evolve(MINOR, category=ErrorCategory.OMITTED_FINDING)),
        ],
    )
    assert [each.number for each in marked.pairs] == [1, 2]
    assert [each.holds for each in marked.readings] == [(True,), (False,)]
    assert [each.study for each in marked.readings] == ["p1", "p2"]
    assert marked.left_out == {Unmarked.UNJUDGED: 1, Unmarked.UNPLACED: 1}


def test_reviewers_must_have_confirmed_and_refuted_something(reader: PairReader) -> None:
    """Before and after: what has seen only what holds would doubt nothing, and seem the better for it."""
    texts = ReportPair(id="1", reference=FINAL, candidate=OTHER_SIDE)
    confirmed = mark_pairs(reader, [standing(1, WRONG, report_pair=texts)])
    none = MarkedPairs(pairs=(), readings=())
    with pytest.raises(ConfigurationError) as refusal:
        check_claims(confirmed, none, Least(of_a_kind=1))
    assert list(refusal.value.problems[1:]) == [
        "discrepancies that reviewers refute before that day: 0; at least 1 are needed",
        "discrepancies that reviewers confirm from that day on: 0; at least 1 are needed",
        "discrepancies that reviewers refute from that day on: 0; at least 1 are needed",
    ]


def test_counts_are_those_that_readouts_are_fitted_to() -> None:
    """Of a pair's patient, and by a name that tells nothing of either."""
    [counted] = count_pairs([standing(7, WRONG, MINOR, MINOR)])
    assert (counted.pair.id, counted.study) == ("pair:7", "p7")
    assert counted.ratings == {"total": (3.0,), "significant": (1.0,), "insignificant": (2.0,)}
