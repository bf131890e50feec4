"""Spans are located in the right report, and turned into discrepancies of the right category."""

from __future__ import annotations

import pytest

from overread.adapters.llm.judge._differences import distinct, locate_difference
from overread.adapters.llm.judge.labels import read_label
from overread.application.asking.inquiry import UnreadableAnswerError
from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory, ErrorType

from .samples import PAIR

PAIRS = {
    "main": PAIR,
    "denied": ReportPair(id="d", reference="There is a pneumothorax.", candidate="There is no pneumothorax."),
    "hedged": ReportPair(id="h", reference="Pneumonia in the left lung.", candidate="Pneumonia may be present."),
    "later": ReportPair(id="l", reference="The effusion is large.", candidate="The effusion has resolved."),
    "clauses": ReportPair(id="c", reference="No edema, but effusion.", candidate="No edema, no effusion."),
    "both": ReportPair(id="b", reference="No effusion on the left.", candidate="No effusion on the right."),
}


def _spans(quote: str, label: str, pair: ReportPair = PAIR) -> tuple[list[str], list[str]]:
    found = locate_difference(quote, read_label(label), pair, 0.85)
    return (
        [span.of(pair.reference.text) for span in found.reference_spans],
        [span.of(pair.candidate.text) for span in found.candidate_spans],
    )


@pytest.mark.parametrize(
    ("quote", "label", "reference", "candidate"),
    [
        ("Small left pleural effusion", "Location - Inaccuracy", ["Small left pleural effusion"], []),
        ("small right pleural effusion", "Location - Inaccuracy", [], ["Small right pleural effusion"]),
        ("pleural effusion", "Description - Inaccuracy", ["pleural effusion"], ["pleural effusion"]),
        ("pleural effusion", "Description - Omission", ["pleural effusion"], []),
        ("pleural effusion", "Description - Fabrication", [], ["pleural effusion"]),
        ("There is a pneumothorax", "Description - Omission", [], ["There is a pneumothorax"]),
        ("mildly", "Severity - Fabrication", ["mildly"], []),
        ("The heart is enlargd", "Noise", [], ["The heart is enlarged"]),
        ("small left plueral effusion", "Location - Fabrication", ["Small left pleural effusion"], []),
        ("hearts is enlarged", "Severity - Omission", [], ["heart is enlarged"]),
    ],
)
def test_a_span_stands_where_its_label_says_and_its_words_are(
    quote: str, label: str, reference: list[str], candidate: list[str]
) -> None:
    """Models misspell and misplace quotations; the report in which the words stand decides."""
    assert _spans(quote, label) == (reference, candidate)


@pytest.mark.parametrize("quote", ["consolidation", "", "small bilateral effusions", "None"])
def test_a_span_in_neither_report_is_refused_without_being_quoted(quote: str) -> None:
    """A difference that the model made up is not counted."""
    with pytest.raises(UnreadableAnswerError) as caught:
        locate_difference(quote, read_label("Noise"), PAIR, 0.85)
    assert caught.value.reason == "span not found"
    assert "word for word" in caught.value.remedy
    assert not quote or quote not in f"{caught.value} {caught.value.remedy}"


@pytest.mark.parametrize(
    ("name", "quote", "label", "category"),
    [
        ("main", "left", "Location - Omission", ErrorCategory.LOCATION),
        ("main", "mildly", "Severity - Omission", ErrorCategory.SEVERITY),
        ("main", "pneumothorax", "Description - Fabrication", ErrorCategory.FALSE_FINDING),
        ("main", "pneumonia", "Description - Omission", ErrorCategory.OMITTED_FINDING),
        ("main", "enlarged", "Comparison - Omission", ErrorCategory.OMITTED_COMPARISON),
        ("main", "enlarged", "Comparison - Fabrication", ErrorCategory.COMPARISON_NOT_IN_REFERENCE),
        ("main", "enlarged", "Size", ErrorCategory.SEVERITY),
        ("main", "enlarged", "Contradiction", ErrorCategory.FALSE_FINDING),
        ("main", "enlarged", "Terminology", None),
        ("main", "enlarged", "Modality", None),
        ("main", "No pneumothorax", "Negation", ErrorCategory.FALSE_FINDING),
        ("main", "There is a pneumothorax", "Negation", ErrorCategory.FALSE_FINDING),
        ("main", "pneumothorax", "Negation", ErrorCategory.FALSE_FINDING),
        ("denied", "no pneumothorax", "Negation", ErrorCategory.OMITTED_FINDING),
        ("denied", "There is a pneumothorax", "Negation", ErrorCategory.OMITTED_FINDING),
        ("denied", "pneumothorax", "Negation", ErrorCategory.OMITTED_FINDING),
        ("later", "effusion", "Negation", ErrorCategory.OMITTED_FINDING),
        ("clauses", "effusion", "Negation", ErrorCategory.OMITTED_FINDING),
        ("both", "effusion", "Negation", None),
        ("main", "Possible pneumonia", "Uncertainty", ErrorCategory.OMITTED_UNCERTAINTY),
        ("main", "pneumonia", "Uncertainty", ErrorCategory.OMITTED_UNCERTAINTY),
        ("hedged", "may be present", "Uncertainty", ErrorCategory.UNSUPPORTED_UNCERTAINTY),
        ("hedged", "Pneumonia", "Uncertainty", ErrorCategory.UNSUPPORTED_UNCERTAINTY),
        ("hedged", "left lung", "Uncertainty", ErrorCategory.UNSUPPORTED_UNCERTAINTY),
        ("both", "effusion", "Uncertainty", None),
    ],
)
def test_categories(name: str, quote: str, label: str, category: ErrorCategory | None) -> None:
    """A flipped negation or certainty takes its direction from the reports, as the notation metric does."""
    pair = PAIRS[name]
    judged = locate_difference(quote, read_label(label), pair, 0.85).judged(Severity.SIGNIFICANT, pair)
    assert judged.category is category


def test_a_discrepancy_says_who_judged_it_and_quotes_only_in_its_explanation() -> None:
    """Reprs end up in logs."""
    difference = locate_difference("small left pleural effusion", read_label("Location - Inaccuracy"), PAIR, 0.85)
    judged = difference.judged(Severity.CRITICAL, PAIR, "left is right")
    assert (judged.reason, judged.finding, judged.type) == ("judged critical", "", ErrorType.INACCURACY)
    assert judged.explanation == "left is right"
    assert "effusion" not in repr(difference)
    assert "left is right" not in repr(judged)


def test_an_aspect_without_a_type_is_printed_without_one() -> None:
    """A denied finding is neither left out nor made up."""
    judged = locate_difference("No pneumothorax", read_label("Negation"), PAIR, 0.85).judged(Severity.SIGNIFICANT, PAIR)
    assert judged.type is None


@pytest.mark.parametrize(
    ("quotes", "kept"),
    [
        (["effusion", "effusion"], ["effusion"]),
        (["Effusion", "effusion"], ["Effusion"]),
        (["small effusion", "smal effusion"], ["small effusion"]),
        (["effusion", "small effusion"], ["effusion", "small effusion"]),
    ],
)
def test_a_difference_counts_once_however_it_is_quoted(quotes: list[str], kept: list[str]) -> None:
    """Not even a capital, which finds the same word at another place, makes another of it; a longer passage does."""
    pair = ReportPair(id="p", reference="Clear.", candidate="Effusion on the right, and a small effusion on the left.")
    found = [locate_difference(quote, read_label("Noise"), pair, 0.85) for quote in quotes]
    assert [difference.quote for difference in distinct(found)] == kept


def test_two_labels_of_one_passage_are_two_differences() -> None:
    """Only what is equal in passage and label is one difference."""
    found = [locate_difference("pneumothorax", read_label(label), PAIR, 0.85) for label in ("Noise", "Negation")]
    assert distinct(found) == tuple(found)
