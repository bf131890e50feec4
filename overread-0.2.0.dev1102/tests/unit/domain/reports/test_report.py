"""Reports, spans and pairs."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.reports.report import ClinicalContext, Report, ReportPair, Section, SectionRole, Span


@given(st.text(), st.integers(0, 20), st.integers(0, 20))
def test_a_span_cuts_what_python_cuts(text: str, start: int, end: int) -> None:
    """A span is half-open, as slices are, whatever the text holds."""
    assert Span(start, end).of(text) == text[start:end]


def test_spans_sort_by_where_they_begin_and_then_by_where_they_end() -> None:
    """Spans stand in reading order."""
    assert sorted([Span(4, 9), Span(0, 9), Span(4, 5)]) == [Span(0, 9), Span(4, 5), Span(4, 9)]


@pytest.mark.parametrize(
    ("text", "blank"),
    [("", True), (" \r\n\t", True), ("\u00a0\u2003", True), (".", False), ("\x00", False), ("  clear ", False)],
)
def test_only_white_space_is_blank(text: str, *, blank: bool) -> None:
    """A report is blank if it holds nothing but white space of any kind."""
    assert Report(text).is_blank is blank


@given(st.text())
def test_a_report_keeps_its_text_to_the_character(text: str) -> None:
    """Nothing is stripped or normalised: offsets point into the text as given."""
    assert Report(text).text == text


def test_a_pair_takes_texts_or_reports() -> None:
    """Plain strings become reports; reports stay what they are."""
    report = Report("Clear.")
    pair = ReportPair(id="a", reference="Clear.", candidate=report)
    assert pair == ReportPair(id="a", reference=report, candidate="Clear.")
    assert pair.candidate is report


def test_the_two_reports_must_be_named() -> None:
    """Reference and candidate cannot be given by position, where their order would be a guess."""
    with pytest.raises(TypeError):
        ReportPair("a", "Clear.", "Clear.")  # type: ignore[call-arg]


def test_nothing_printed_shows_what_a_report_says() -> None:
    """No repr holds report text, indication or comparison."""
    context = ClinicalContext(age=63, sex="F", indication="qzx cough", comparison="qzx film")
    pair = ReportPair(id="case-7", reference="qzx here", candidate="qzx there", context=context)
    assert "qzx" not in repr(pair) + str(pair) + repr(pair.reference) + repr(context)
    assert "case-7" in repr(pair)


@pytest.mark.parametrize(
    ("given", "years"),
    [
        (66, 66.0),
        (66.5, 66.5),
        (0, 0.0),
        (Decimal(66), 66.0),
        (125, 125.0),
        ("066Y", 66.0),
        ("015M", 1.25),
        ("003W", 3 / 52.18),
        ("001D", 1 / 365.25),
        ("66", 66.0),
        (" 66 years", 66.0),
        ("66-year-old", 66.0),
        ("66 y.o.", 66.0),
        ("66yo", 66.0),
        ("66 a", 66.0),
        ("18 months old", 1.5),
        ("18 mo", 1.5),
        ("3 wk", 3 / 52.18),
        ("90+", 90.0),
        (">89", 89.0),
        ("", None),
        ("  ", None),
        (None, None),
        (float("nan"), None),
    ],
)
def test_ages_are_understood_as_sources_write_them(given: Any, years: float | None) -> None:
    """DICOM's age strings, numbers and words become years."""
    assert ClinicalContext(age=given).age == (years if years is None else pytest.approx(years))


@pytest.mark.parametrize(
    "given", ["elderly", "-3", "sixty", "66Q", "1.2.3", "66 Y M", "126", "200Y", -1, 126, float("inf"), True, [66]]
)
def test_what_is_no_age_is_refused(given: Any) -> None:
    """The message says what to give instead, and does not hold what was given: it may be a report."""
    with pytest.raises(ValueError, match=r"not an age.*give years") as refused:
        ClinicalContext(age=given)
    assert "elderly" not in str(refused.value)


def test_a_pair_without_context_knows_nothing_of_the_patient() -> None:
    """What is not given is missing."""
    assert ReportPair(id="a", reference="", candidate="").context == ClinicalContext(None, None, None, None)


def test_a_section_says_what_it_contributes() -> None:
    """A section's role can be told from its name in data files."""
    assert Section("findings", SectionRole("findings"), 10, 20).role is SectionRole.FINDINGS
