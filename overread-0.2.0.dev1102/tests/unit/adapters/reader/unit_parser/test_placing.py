"""Where parsed units stand in a report, and which sentences they leave uncovered."""

from __future__ import annotations

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.segments import SectionSplitter
from overread.adapters.reader.unit_parser._answer import ParsedUnit
from overread.adapters.reader.unit_parser._placing import Outline, place
from overread.domain.findings.unit import Polarity

REPORT = (
    "INDICATION: Pneumothorax?\n\nFINDINGS: Small left effusion.\nNo pneumothorax. Heart\r\n"
    "is large.\n\nIMPRESSION: No pneumothorax."
)


@pytest.fixture(scope="module")
def outline() -> Outline:
    return Outline.of(REPORT, SectionSplitter(load_knowledge()))


def parsed(words: str, label: str = "finding", polarity: Polarity = Polarity.PRESENT) -> ParsedUnit:
    return ParsedUnit(span_text=words, canonical_finding=label, polarity=polarity)


def places(outline: Outline, *units: ParsedUnit) -> list[tuple[str, str]]:
    """Words and section of each placed unit."""
    placed, _ = place(units, outline)
    return [(one.span.of(REPORT), outline.sentences[one.sentence][0]) for one in placed]


def test_only_what_is_compared_is_outlined(outline: Outline) -> None:
    """History and headings are no part of it, and offsets stay those of the report."""
    assert [(section, span.of(REPORT)) for section, span in outline.sentences] == [
        ("findings", "Small left effusion."),
        ("findings", "No pneumothorax."),
        ("findings", "Heart\r\nis large."),
        ("impression", "No pneumothorax."),
    ]
    assert len(outline.compared) <= len(REPORT)
    assert all(span.of(outline.compared) == span.of(REPORT) for _, span in outline.sentences)


def test_words_are_found_however_they_are_set(outline: Outline) -> None:
    """Models correct spelling and line breaks as they quote."""
    assert places(outline, parsed("heart is large."), parsed("smal left efusion")) == [
        ("Small left effusion", "findings"),
        ("Heart\r\nis large", "findings"),
    ]


def test_a_statement_given_twice_goes_to_the_next_place(outline: Outline) -> None:
    """And a third time is one too many."""
    unit = parsed("No pneumothorax", "pneumothorax", Polarity.ABSENT)
    assert places(outline, unit, unit, unit) == [("No pneumothorax", "findings"), ("No pneumothorax", "impression")]


def test_words_that_stand_twice_are_looked_for_from_the_unit_before_onwards(outline: Outline) -> None:
    """Whatever stands only further up is found there."""
    assert places(outline, parsed("is large"), parsed("pneumothorax"), parsed("left effusion")) == [
        ("left effusion", "findings"),
        ("is large", "findings"),
        ("pneumothorax", "impression"),
    ]


def test_two_statements_in_the_same_words_share_their_place(outline: Outline) -> None:
    """One sentence may hold two findings."""
    assert places(outline, parsed("Small left effusion", "a"), parsed("Small left effusion", "b")) == [
        ("Small left effusion", "findings"),
        ("Small left effusion", "findings"),
    ]


def test_a_unit_about_the_history_is_left_out(outline: Outline) -> None:
    """It is no finding of this examination, and not counted as lost."""
    assert place([parsed("INDICATION")], outline) == ([], 0)


def test_words_that_stand_nowhere_are_counted(outline: Outline) -> None:
    """A finding that the model made up must not pass unseen."""
    placed, lost = place([parsed("Large mass in the liver"), parsed("is large")], outline)
    assert (len(placed), lost) == (1, 1)


def test_sentences_without_a_unit_are_uncovered(outline: Outline) -> None:
    """What the model passed over can be told."""
    placed, _ = place([parsed("effusion.\nNo pneumothorax")], outline)
    assert [span.of(REPORT) for _, _, span in outline.find_uncovered([one.span for one in placed])] == [
        "Heart\r\nis large.",
        "No pneumothorax.",
    ]
