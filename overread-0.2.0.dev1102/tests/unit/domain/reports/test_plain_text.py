"""Reports as plain text: other characters, the same words, and every place kept."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.reports.plain_text import PlainText, same_words
from overread.domain.vocabulary.numerals import MEASURED, in_digits

_ODD = st.sampled_from(["\u00a0", "\u2010", "\u2019", "\u200b", "\ufb01", "\r\n", "\\.br\\", "~", "\x0c", "\uff11"])
_TEXTS = st.lists(st.one_of(_ODD, st.text(max_size=6)), max_size=20).map("".join)


@pytest.mark.parametrize(
    ("given_text", "plain"),
    [
        ("no follow\u2010up required", "no follow-up required"),
        ("4\u00a0mm", "4 mm"),
        ("the patient\u2019s", "the patient's"),
        ("No effusion.\\.br\\No mass.", "No effusion.\nNo mass."),
        ("No effusion.~No mass.", "No effusion.\nNo mass."),
        ("about ~5 mm", "about ~5 mm"),
        ("<p>No effusion.</p><p>No <b>mass</b>.</p>", "No effusion.\n\nNo mass."),
        ("Clear.<br/>Normal.", "Clear.\nNormal."),
        ("Clear.\\nNormal.\\r\\nDone.", "Clear.\nNormal.\nDone."),
        ("**Clear.** **Normal.**", "Clear. Normal."),
        ("[**Name**] 5 <b 6", "[**Name**] 5 <b 6"),
        ("\ufeffClear.\r\nNormal.\rDone.", "Clear.\nNormal.\nDone."),
    ],
)
def test_characters_are_those_of_plain_text(given_text: str, plain: str) -> None:
    """Typographic marks, blanks of other kinds and the line breaks of HL7 mean what the plain ones mean."""
    assert PlainText.of(given_text).text.strip() == plain


@given(_TEXTS)
def test_each_character_keeps_its_place(text: str) -> None:
    """Places lie in the report as given and never go back."""
    plain = PlainText.of(text)
    places = [plain.given(at, at + 1) for at in range(len(plain.text))]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert all(one[0] <= other[0] for one, other in itertools.pairwise(places))


@given(_TEXTS)
def test_a_text_has_the_same_words_as_itself_laid_out_otherwise(text: str) -> None:
    """Letter case and white space are no words."""
    assert same_words(text, text)
    assert same_words(text, text.replace(" ", "  "))
    assert same_words("1. No effusion.\n2. No mass.", "no  EFFUSION. No mass.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("No effusion.", "Effusion."),
        ("4 mm", "40 mm"),
        ("Left.", "Right."),
        ("No mass", "No mass?"),
        ("1.5 cm", "15 cm"),
    ],
)
def test_other_words_are_not_the_same(one: str, other: str) -> None:
    """A dropped word, another number and another mark within tell two texts apart."""
    assert not same_words(one, other)


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("six millimeter nodule", "6 millimeter nodule"),
        ("sixty millimeter nodule", "60 millimeter nodule"),
        ("tip five cm above", "tip 5 cm above"),
        ("twenty-five mm", "25 mm"),
        ("one point five cm", "1.5 cm"),
        ("two by three cm", "2 by 3 cm"),
        ("in six to eight weeks", "in 6 to 8 weeks"),
        ("one of the lungs", "one of the lungs"),
    ],
)
def test_numbers_before_a_unit_are_digits(words: str, digits: str) -> None:
    """Numbers in words are numbers where something is measured."""
    assert PlainText.of(words).rewritten(MEASURED, in_digits).text == digits
