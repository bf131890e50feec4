"""GREEN's notation and its score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.results.green import GREEN_ASPECTS, CountedErrors, GreenNotation, green_score
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorCategory, ErrorTaxonomy

A, B, C = ErrorCategory.FALSE_FINDING, ErrorCategory.OMITTED_FINDING, ErrorCategory.LOCATION


def counts(**numbers: int) -> dict[ErrorCategory, CountedErrors]:
    return {ErrorCategory(letter): CountedErrors(count) for letter, count in numbers.items()}


@pytest.mark.parametrize(
    ("significant", "matched", "score"),
    [({"A": 1}, 0, 0.0), ({}, 0, 0.0), ({}, 3, 1.0), ({"A": 1, "F": 2}, 3, 0.5), ({"C": 5}, 1, 1 / 6)],
)
def test_the_score_is_equation_1(significant: dict[str, int], matched: int, score: float) -> None:
    """Matched findings over matched findings and significant errors, by hand."""
    assert green_score(GreenNotation(significant=counts(**significant), matched=matched)) == score


@given(st.lists(st.integers(0, 50), min_size=6, max_size=6), st.integers(0, 50), st.integers(0, 50))
def test_insignificant_errors_do_not_enter_it_and_significant_ones_only_lower_it(
    numbers: list[int], matched: int, others: int
) -> None:
    """The score stays on 0 to 1 whatever is counted."""
    errors = {category: CountedErrors(n) for category, n in zip(REXVAL_SIX, numbers, strict=True)}
    score = green_score(GreenNotation(significant=errors, insignificant=counts(A=others), matched=matched))
    assert 0 <= score <= 1
    assert score == green_score(GreenNotation(significant=errors, matched=matched))
    more = {**errors, B: CountedErrors(errors[B].count + 1)}
    assert green_score(GreenNotation(significant=more, matched=matched)) <= score


def test_the_thirteen_numbers_and_their_sums() -> None:
    """Six kinds of error at two severities, and the matches."""
    notation = GreenNotation(significant=counts(A=1, F=2), insignificant=counts(B=4), matched=5)
    assert notation.counts == (1, 0, 0, 0, 0, 2, 0, 4, 0, 0, 0, 0, 5)
    assert (notation.error_count, notation.insignificant_count) == (3, 4)


def test_it_is_silent_only_if_every_number_is_0() -> None:
    """An answer that counts anything says something."""
    assert GreenNotation(significant=counts(A=0)).is_silent
    assert not GreenNotation(matched=1).is_silent
    assert not GreenNotation(insignificant=counts(D=1)).is_silent


def test_every_counted_error_stands_for_itself_and_words_are_shared_out_among_them() -> None:
    """Counts are what the score rests on, so that words neither add errors nor take any away."""
    notation = GreenNotation(
        significant={C: CountedErrors(1, ("x", "y", "z")), A: CountedErrors(2, ("p",))},
        insignificant={B: CountedErrors(2, ("q", "r"))},
    )
    assert [(e.severity, e.category, e.explanation) for e in notation.errors()] == [
        (Severity.SIGNIFICANT, A, "p"),
        (Severity.SIGNIFICANT, A, ""),
        (Severity.SIGNIFICANT, C, "x; y; z"),
        (Severity.INSIGNIFICANT, B, "q"),
        (Severity.INSIGNIFICANT, B, "r"),
    ]


@pytest.mark.parametrize("category", REXVAL_SIX)
def test_the_aspect_of_a_category_leads_back_to_it(category: ErrorCategory) -> None:
    """The taxonomy and the table of aspects agree."""
    assert ErrorTaxonomy().category(*GREEN_ASPECTS[category]) is category


def test_its_words_may_quote_a_report_and_are_not_in_its_repr() -> None:
    """Reprs end up in logs."""
    notation = GreenNotation(
        significant={A: CountedErrors(1, ("SECRET",))}, matched=1, matched_findings=("SECRET",), explanation="SECRET"
    )
    assert "SECRET" not in f"{notation!r} {list(notation.errors())!r}"
