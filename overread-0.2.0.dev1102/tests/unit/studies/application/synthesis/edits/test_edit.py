"""Edits: everything else stays as it is, grammar is mended, and labels stand where they say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.reports.report import Span
from overread.studies.application.synthesis.edits.edit import Change, Edit
from overread.studies.application.synthesis.edits.reading import sentence_spans
from overread.studies.application.synthesis.edits.word_exchange import exchanges
from overread.studies.application.synthesis.injected.by_model import difference

REPORT = "Heart normal. There is a small left pleural effusion. No pneumothorax."
WORDS = st.lists(st.sampled_from(["left", "right", "small", "effusion", ",", ".", "No", "\n"]), max_size=14).map(
    " ".join
)


def put(old: str, new: str) -> Edit:
    start = REPORT.index(old)
    return Edit.of(REPORT, [Change(start, start + len(old), new)], "")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("small ", "", "There is a left pleural effusion."),
        ("small", "enormous", "There is an enormous left pleural effusion."),
        ("There is a s", "S", "Small left pleural effusion."),
        ("left ", "", "There is a small pleural effusion."),
    ],
)
def test_articles_fit_what_follows(old: str, new: str, sentence: str) -> None:
    """A sentence that reads wrong would betray the edit."""
    assert put(old, new).apply(REPORT) == f"Heart normal. {sentence} No pneumothorax."


def test_a_sentence_whose_first_word_goes_keeps_its_capital() -> None:
    """What was the second word now begins the sentence."""
    text = "Severe emphysema."
    assert Edit.of(text, [Change(0, 7, "")], "").apply(text) == "Emphysema."


def test_what_is_left_out_is_labelled_in_the_reference_alone() -> None:
    """The candidate has no words of it."""
    (label,) = put("small ", "").spans(REPORT)
    assert (label.text, label.reference, label.candidate) == ("small", Span(25, 30), None)


def test_what_is_added_is_labelled_in_the_candidate_alone() -> None:
    """The label is the added words and not the phrase they stand in."""
    edit = put("small", "small loculated")
    (label,) = edit.spans(REPORT)
    assert (label.text, label.reference) == ("loculated", None)
    assert label.candidate is not None
    assert label.candidate.of(edit.apply(REPORT)) == "loculated"


def test_what_is_exchanged_is_labelled_in_both() -> None:
    """The words of the label are those of the candidate."""
    (label,) = put("left", "right").spans(REPORT)
    assert (label.text, label.reference, label.candidate) == ("right", Span(31, 35), Span(31, 36))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("LEFT EFFUSION.", "RIGHT EFFUSION."), ("left effusion", "right effusion"), ("Left effusion.", "Right effusion.")],
)
def test_exchanged_words_keep_the_case_of_the_text(text: str, expected: str) -> None:
    """Reports in capitals stay in capitals."""
    (change,) = exchanges({"left": ["right"]}, text, Span(0, len(text)))
    assert Edit.of(text, [change], "").apply(text) == expected


def test_only_whole_words_are_exchanged() -> None:
    """A word inside another is another word."""
    assert not list(exchanges({"no": ["now"]}, "Nodule, not noted.", Span(0, 18)))


@given(WORDS, WORDS)
def test_the_difference_of_two_texts_makes_one_of_the_other(reference: str, candidate: str) -> None:
    """Whatever a model changed, its labels stand where they say."""
    edit = difference(reference, candidate)
    assert edit.apply(reference) == candidate
    for label in edit.spans(reference):
        assert label.candidate is None or label.candidate.of(candidate) == label.text
        assert label.candidate is not None or (
            label.reference is not None and label.reference.of(reference) == label.text
        )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IMPRESSION:\n1. Effusion of 4.5 cm. 2. Normal heart.", ["Effusion of 4.5 cm.", "Normal heart."]),
        ("- clear lungs\n- no effusion", ["clear lungs", "no effusion"]),
        ("Clear.", ["Clear."]),
        ("", []),
    ],
)
def test_sentences_come_without_headings_bullets_and_numbers(text: str, expected: list[str]) -> None:
    """A full stop in a figure ends no sentence."""
    assert [span.of(text) for span in sentence_spans(text)] == expected
