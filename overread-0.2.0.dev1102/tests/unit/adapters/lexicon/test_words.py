"""Report text as normalised words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.words import Normaliser, normaliser_from

SHIPPED = load_knowledge().normaliser

TEXTS = st.text(
    st.sampled_from("aAbeEhinosrtxX019 .,;:()/-–?'’<>&+%_\n\toöé")
    | st.characters(exclude_categories=["Cs"], max_codepoint=0x3000),
    max_size=80,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("No Effusion.", ["no", "effusion", "."]),
        ("right-sided effusions", ["right", "sided", "effusion"]),
        ("atelectasis/consolidation", ["atelectasis", "consolidation"]),
        ("The heart was an organ", ["heart", "is", "organ"]),
        ("has been and were", ["has", "is", "and", "is"]),
        ("XXXX <unk> ___ [**name**] opacity", ["opacity"]),
        ("opacities in both bases", ["opacity", "in", "both", "base"]),
        ("pneumothoraces, metastases; vertebrae", ["pneumothorax", ",", "metastasis", ";", "vertebra"]),
        ("masses and boxes", ["mass", "and", "box"]),
        ("pancreas gas diabetes", ["pancreas", "gas", "diabetes"]),
        ("oedema, haemothorax", ["edema", ",", "hemothorax"]),
        ("tumours", ["tumor"]),
        ("patient's", ["patient"]),
        ("patient’s", ["patient"]),
        ("atelectasias", ["atelectasis"]),
        ("# clavicle; displaced NOF #.", ["fracture", "clavicle", ";", "displaced", "nof", "fracture", "."]),
        ("No #. Rib #5, # 3", ["no", "fracture", ".", "rib", "5", ",", "3"]),
        ("air space, air-space", ["airspace", ",", "airspace"]),
        ("a 5mm nodule", ["5", "mm", "nodule"]),
        ("2.5 cm", ["2.5", "cm"]),
        ("6th rib, T8", ["6th", "rib", ",", "t8"]),
        ("clear – no effusion", ["clear", "-", "no", "effusion"]),
        ("?pneumonia (small)", ["?", "pneumonia", "(", "small", ")"]),
        ("R > L", ["r", ">", "l"]),
        ("", []),
    ],
)
def test_shipped_words(text: str, words: list[str]) -> None:
    """Case, hyphens, spelling, plurals, forms of "to be", articles and de-identification marks are evened out."""
    assert list(SHIPPED.words(text).words) == words


@given(TEXTS)
def test_offsets_point_to_the_token(text: str) -> None:
    """Words stand in order, apart, and each covers characters that normalise to that very word."""
    words = SHIPPED.words(text)
    assert len(words.words) == len(words.starts) == len(words.ends)
    last = 0
    for word, start, end in zip(words.words, words.starts, words.ends, strict=True):
        assert last <= start < end <= len(text)
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        if word != "-":  # a dash between clauses is told from a hyphen by the spaces around it
            assert SHIPPED.words(text[start:end]).words == (word,)
        last = end


@given(TEXTS)
def test_letters_are_never_lost(text: str) -> None:
    """Every run of ASCII letters ends in a word, unless it is an article or a de-identification mark."""
    words = Normaliser().words(text)
    covered = {i for s, e in zip(words.starts, words.ends, strict=True) for i in range(s, e)}
    lost = "".join(c if i not in covered else " " for i, c in enumerate(text)).lower()
    rest = [run for run in lost.split() if any(c.isascii() and c.isalpha() for c in run)]
    assert all(set(run) & set("x<[_") or "a" in run or run == "the" for run in rest)


@given(st.lists(st.sampled_from(["bases", "oedema", "Effusions", "was", "air", "space", "the", "small"]), max_size=8))
def test_normalising_twice_changes_nothing(tokens: list[str]) -> None:
    """Normalised words are their own normal form."""
    once = SHIPPED.phrase(" ".join(tokens))
    assert SHIPPED.phrase(" ".join(once)) == once


@given(st.lists(st.sampled_from(["air", "space", "follow", "up", "lung", "small"]), max_size=8))
def test_join_does_what_words_does(tokens: list[str]) -> None:
    """Terms written as two words meet texts in which they are one."""
    assert SHIPPED.join(tokens) == SHIPPED.words(" ".join(tokens)).words


def test_a_joined_pair_covers_both_words() -> None:
    """The offsets of a joined pair run from the first word to the end of the second."""
    words = Normaliser(joined={("air", "space"): "airspace"}).words("no air space disease")
    assert words.words == ("no", "airspace", "disease")
    assert (words.starts[1], words.ends[1]) == (3, 12)


def test_words_keep_their_text_out_of_their_repr() -> None:
    """Report text never shows in logs."""
    assert "effusion" not in repr(SHIPPED.words("effusion"))


def test_normaliser_from_tables() -> None:
    """The tables of spelling.toml become a normaliser; all of them may be missing."""
    normaliser = normaliser_from(
        {
            "spelling": {"colour": "color"},
            "joined": [{"words": ["bi", "basal"], "to": "bibasal"}],
            "plural": {"keep": ["lens"], "irregular": {"foci": "focus"}},
        }
    )
    assert normaliser.words("Colours, bi-basal foci, lens").words == ("color", ",", "bibasal", "focus", ",", "lens")
    assert normaliser_from({}).words("foci").words == ("foci",)


@given(st.lists(st.sampled_from(["air", "space", "airspace", "s", "wide"]), max_size=8))
def test_words_of_a_phrase_are_joined_as_those_of_a_text_are(words: list[str]) -> None:
    """Pair by pair from the left, where a pair that was joined may itself be the first of one."""
    normaliser = Normaliser(
        joined={("air", "space"): "airspace", ("airspace", "wide"): "widespread"}, keep=frozenset({"s"})
    )
    assert normaliser.join(words) == normaliser.words(" ".join(words)).words
