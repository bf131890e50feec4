"""Quotes are found in reports, as they are or nearly so, and nowhere else."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.application.asking.answers.spans import find_quote, locate
from overread.domain.reports.report import Span

REPORT = (
    "FINDINGS: There is a small left pleural effusion. No pneumothorax.\n"
    "Heart size is mildly   enlarged – unchanged. A 1.2 cm nodule, “ground-glass”, in the right upper lobe. "
    "A nodule is calcified."
)

WORD_FOR_WORD = [
    ("small left pleural effusion", "small left pleural effusion"),
    ("Small Left Pleural Effusion", "small left pleural effusion"),
    ("small left pleural effusion.", "small left pleural effusion."),
    ("small left pleural effusion;", "small left pleural effusion"),
    ('"No pneumothorax"', "No pneumothorax"),
    ("«no pneumothorax.»", "No pneumothorax"),
    ("heart size is mildly enlarged - unchanged", "Heart size is mildly   enlarged – unchanged"),
    ("left\npleural\teffusion", "left pleural effusion"),
    ("'ground\u2011glass'", "ground-glass"),
    ("small ... effusion", "small left pleural effusion"),
    ("Heart size […] unchanged", "Heart size is mildly   enlarged – unchanged"),
    ("…left pleural effusion…", "left pleural effusion"),
    ("no", "No"),
    ("nodule", "nodule"),
    ("1.2 cm", "1.2 cm"),
    ("neumothor", "neumothor"),
    ("small\u200b left", "small left"),
]

NEARLY = [
    ("small left plueral effusion", "small left pleural effusion"),
    ("pleural effusions", "pleural effusion"),
    ("heart size is mildly enlarge unchanged", "Heart size is mildly   enlarged – unchanged"),
    ("There is small left pleural effusion", "There is a small left pleural effusion"),
]

NOWHERE = [
    "",
    "   ",
    "...",
    "“”",
    "consolidation",
    "right pleural effusion",
    "1.3 cm nodule",
    "12 cm nodule",
    "no effusion",
    "effusion ... small",
    "od",
    "None",
    "The lungs are clear and the heart is normal.",
]


@pytest.mark.parametrize(("quote", "passage"), WORD_FOR_WORD)
def test_the_same_words_are_found_however_they_are_written(quote: str, passage: str) -> None:
    """Case, quotation marks and line breaks are no difference."""
    found = find_quote(quote, REPORT)
    assert found is not None
    assert found.of(REPORT) == passage
    assert locate(quote, REPORT) == found


@pytest.mark.parametrize(("quote", "passage"), NEARLY)
def test_nearly_the_same_words_are_found_where_that_is_asked_for(quote: str, passage: str) -> None:
    """The threshold decides how many words must be shared."""
    assert find_quote(quote, REPORT) is None
    found = locate(quote, REPORT)
    assert found is not None
    assert found.of(REPORT) == passage
    assert locate(quote, REPORT, threshold=1.0) is None


@pytest.mark.parametrize("quote", NOWHERE)
def test_other_words_are_not_found(quote: str) -> None:
    """Not even if only a side, a number or a negation is different."""
    assert locate(quote, REPORT) is None


def test_whole_words_come_before_parts_of_words_and_the_first_place_before_others() -> None:
    """A short quote must not be found inside a longer word."""
    assert find_quote("nodule", "Nodules. One nodule, another nodule.") == Span(13, 19)
    assert find_quote("Node", "nodes and node") == Span(10, 14)


def test_dots_stand_for_words_nearby() -> None:
    """Models abridge; what stands far apart was not one passage."""
    assert find_quote("effusion ... nodule", "effusion " + "and so on " * 30 + "nodule") is None
    assert find_quote("left ... nodule", "left " + "lung " * 60 + "with a left upper nodule") == Span(312, 329)


def test_offsets_point_into_the_text_as_given_where_letters_grow_when_lowered() -> None:
    """Some letters become two in lower case."""
    text = "İİ  small   effusion"
    found = find_quote("Small Effusion", text)
    assert found is not None
    assert found.of(text) == "small   effusion"


def test_a_blank_report_holds_no_quote() -> None:
    """There is nothing to be found in it."""
    assert locate("effusion", "") is None
    assert locate("effusion", "\n ") is None


def test_a_long_quote_in_a_long_report_takes_no_minutes() -> None:
    """A model that repeats itself does not hang a run."""
    before = time.process_time()
    locate("some other words " * 5000, "words of some other kind " * 5000)
    locate("some other words " * 29, "words of some other kind " * 5000)
    assert time.process_time() - before < 20


@given(st.data())
def test_any_run_of_words_is_found_word_for_word(data: st.DataObject) -> None:
    """What is quoted exactly is always found exactly."""
    words = data.draw(st.lists(st.text("abcdeü", min_size=1, max_size=6), min_size=1, max_size=12))
    text = " ".join(words)
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    quote = " ".join(words[start:end])
    for written in (quote, quote.upper(), f" “{quote}.” ", quote.replace(" ", "\n")):
        found = find_quote(written, text)
        assert found is not None
        assert found.of(text) == quote


@given(st.text("abc 12.,-…'\n", max_size=30), st.text("abc 12.,-…'\nİ", max_size=80))
def test_whatever_is_found_lies_in_the_text(quote: str, text: str) -> None:
    """A span outside its report would break every view; the search is the same every time."""
    found = locate(quote, text)
    assert found is None or 0 <= found.start < found.end <= len(text)
    assert found == locate(quote, text)


def test_dots_stand_for_words_of_one_sentence() -> None:
    """Else "small ... pneumothorax" would mark a denial."""
    assert find_quote("Small ... pneumothorax", "Small left effusion. No pneumothorax.") is None
    assert find_quote("Small ... pneumothorax", "Small left apical pneumothorax.") == Span(0, 30)
    assert find_quote("nodule ... lobe", "nodule of 1.5 cm in the left lobe") == Span(0, 33)
