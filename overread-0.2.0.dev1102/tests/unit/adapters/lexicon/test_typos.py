"""Misspelt words of the lexicon."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.typos import TypoMender

WORDS = frozenset({"effusion", "pneumothorax", "cardiomegaly", "edema", "hilar", "nodule", "module", "line"})
MENDER = TypoMender(WORDS, real=frozenset({"perfusia"}))

SHIPPED = load_knowledge().normaliser.typos
assert SHIPPED is not None
MENDED = SHIPPED
LONG = sorted(word for word in MENDED.vocabulary if len(word) >= 8 and word.isalpha() and word.isascii())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        # one letter dropped, doubled, added, replaced; two swapped
        ("effusin", "effusion"),
        ("efusion", "effusion"),
        ("effussion", "effusion"),
        ("effusioon", "effusion"),
        ("effuseon", "effusion"),
        ("effuison", "effusion"),
        ("pnuemothorax", "pneumothorax"),
        ("cardiomegally", "cardiomegaly"),
        ("edeam", "edema"),
        ("edemaa", "edema"),
        # two, in a long word of the same letters
        ("pnuemohtorax", "pneumothorax"),
        ("cariodmegaly", "cardiomegaly"),
    ],
)
def test_what_is_mended(typed: str, meant: str) -> None:
    """A word that nobody knows and that is near one word of the lexicon is that word."""
    assert MENDER.mend(typed) == meant


@pytest.mark.parametrize(
    "typed",
    [
        # words of the lexicon, and other English ones
        "effusion",
        "hilar",
        "perfusion",
        "infusion",
        "heart",
        "models",
        # words that are named as real
        "perfusia",
        # too short
        "lin",
        "lne",
        "hla",
        "",
        # no words
        "effusi0n",
        "12345",
        "t2-t3",
        ".",
        # near none, or with two wrong letters
        "xylograph",
        "effasien",
        "pneumatharax",
        # another beginning
        "ffusion",
        "oedema",
        "podule",
    ],
)
def test_what_is_left_alone(typed: str) -> None:
    """Real words, short ones, what is no word, what is far from all, and what begins as none does."""
    assert MENDER.mend(typed) == typed


def test_a_word_near_two_words_is_left_alone() -> None:
    """Nobody knows which is meant."""
    mender = TypoMender(frozenset({"bronchial", "bronchiol"}))
    assert mender.mend("bronchiel") == "bronchiel"
    assert TypoMender(frozenset({"bronchial"})).mend("bronchiel") == "bronchial"


def test_every_shipped_word_is_itself() -> None:
    """No word of the lexicon is taken for a misspelling of another."""
    assert [word for word in MENDED.vocabulary if MENDED.mend(word) != word] == []
    assert len(MENDED.vocabulary) > 1000


@given(st.sampled_from(LONG), st.data())
def test_a_slip_in_a_long_word_is_mended_or_left(word: str, data: st.DataObject) -> None:
    """One slip after the first letter gives the word back or, where several words are as near, stays."""
    at = data.draw(st.integers(1, len(word) - 2))
    letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz"))
    slip = data.draw(
        st.sampled_from(
            [
                word[:at] + word[at + 1 :],
                word[:at] + word[at] + word[at:],
                word[:at] + letter + word[at + 1 :],
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            ]
        )
    )
    mended = MENDED.mend(slip)
    assert mended in (word, slip)
    assert MENDED.mend(mended) == mended


@given(st.text(st.sampled_from("aeioubdflmnprstuxE0-é"), max_size=14))
def test_mending_is_settled_at_once(word: str) -> None:
    """What comes out is the word itself or one of the vocabulary, begins as it did, and is mended no further."""
    mended = MENDER.mend(word)
    assert mended == word or (mended in WORDS and mended[0] == word[0])
    assert MENDER.mend(mended) == mended


def test_the_order_of_the_vocabulary_does_not_matter() -> None:
    """Two menders of the same words mend alike, whatever either was asked before."""
    chance = random.Random(7)  # noqa: S311
    slips = [word[:at] + word[at + 1 :] for word in chance.sample(LONG, 60) for at in (1, 3, 5)]
    other = TypoMender(frozenset(sorted(MENDED.vocabulary, reverse=True)), MENDED.real)
    assert [other.mend(slip) for slip in reversed(slips)][::-1] == [MENDED.mend(slip) for slip in slips]
    assert sum(MENDED.mend(slip) != slip for slip in slips) > 90


def test_its_words_are_not_shown() -> None:
    """The vocabulary is long."""
    assert "effusion" not in repr(MENDER)
