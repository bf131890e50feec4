"""Discrepancies: joining two tellings of one mistake, and counting."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.reports.report import Span
from overread.domain.results.discrepancy import Discrepancy, count_by_category
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType


def mistake(
    severity: Severity = Severity.SIGNIFICANT,
    category: ErrorCategory | None = ErrorCategory.OMITTED_FINDING,
    reference: Sequence[Span] = (),
    candidate: Sequence[Span] = (),
) -> Discrepancy:
    return Discrepancy(
        category=category,
        aspect=ErrorAspect.DESCRIPTION,
        type=ErrorType.OMISSION,
        severity=severity,
        reason=f"because it is {severity}",
        finding="effusion",
        reference_spans=tuple(reference),
        candidate_spans=tuple(candidate),
    )


@pytest.mark.parametrize(
    ("one", "other", "graver"),
    [
        (Severity.INSIGNIFICANT, Severity.SIGNIFICANT, Severity.SIGNIFICANT),
        (Severity.SIGNIFICANT, Severity.INSIGNIFICANT, Severity.SIGNIFICANT),
        (Severity.SIGNIFICANT, Severity.CRITICAL, Severity.CRITICAL),
        (Severity.INSIGNIFICANT, Severity.CRITICAL, Severity.CRITICAL),
        (Severity.INSIGNIFICANT, Severity.INSIGNIFICANT, Severity.INSIGNIFICANT),
    ],
)
def test_the_graver_severity_stays_with_its_reason(one: Severity, other: Severity, graver: Severity) -> None:
    """Of two tellings the graver one is kept, with its own reason."""
    joined = mistake(one).joined_with(mistake(other))
    assert (joined.severity, joined.reason) == (graver, f"because it is {graver}")


def test_joining_keeps_every_span_once_and_in_order() -> None:
    """Both tellings' spans stand in the joined one, repeated ones once."""
    first = mistake(reference=[Span(0, 4), Span(9, 12)], candidate=[Span(1, 2)])
    second = mistake(Severity.CRITICAL, reference=[Span(9, 12), Span(20, 25)], candidate=[])
    joined = first.joined_with(second)
    assert joined.reference_spans == (Span(0, 4), Span(9, 12), Span(20, 25))
    assert joined.candidate_spans == (Span(1, 2),)


@given(st.lists(st.none() | st.sampled_from(ErrorCategory)))
def test_counts_name_all_eight_categories(categories: list[ErrorCategory | None]) -> None:
    """Every category has a count, zeros included; what has no category is counted in none."""
    counts = count_by_category(mistake(category=category) for category in categories)
    assert list(counts) == list(ErrorCategory)
    assert counts == {category: categories.count(category) for category in ErrorCategory}
