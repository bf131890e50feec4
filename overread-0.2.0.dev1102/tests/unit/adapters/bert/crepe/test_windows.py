"""Which parts of two long reports are held against each other."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.bert.crepe._windows import Window, windows

from .....credible_texts import credible_statements

SENTENCES = (
    "The heart is mildly enlarged.",
    "A small left effusion blunts the angle.",
    "Two calcified granulomas lie in the right apex.",
    "Degenerative spurs bridge several thoracic discs.",
    "The stomach bubble is where it belongs.",
    "An old clavicle fracture has healed.",
    "Catheter ends near the cavoatrial junction.",
    "Patchy airspace disease persists medially.",
)


def _words(texts: Sequence[str]) -> list[int]:
    """One token a word, which makes sizes plain to see."""
    return [len(text.split()) for text in texts]


def _parts(reference: Sequence[str], candidate: Sequence[str], room: int) -> list[Window]:
    return windows(" ".join(reference), " ".join(candidate), _words, room)


def test_a_pair_that_fits_is_one_window() -> None:
    """Short pairs are read as they always were."""
    assert _parts(SENTENCES[:2], SENTENCES[2:3], 100) == [Window(" ".join(SENTENCES[:2]), SENTENCES[2])]


def test_the_longer_report_is_halved_and_sentences_go_with_their_counterparts() -> None:
    """Reference of 12 and candidate of 10 words for a room of 16: cut after the reference's second sentence."""
    reference = ("Heart big.", "Effusion left.", "Rib broken again here.", "Nodule right apex now.")
    candidate = ("Nodule right apex now unseen.", "Heart quite big.", "Rib intact.")
    assert _parts(reference, candidate, 16) == [
        Window("Heart big. Effusion left.", "Heart quite big."),
        Window("Rib broken again here. Nodule right apex now.", "Nodule right apex now unseen. Rib intact."),
    ]


def test_a_report_in_another_order_meets_its_own_sentences() -> None:
    """Order alone must not look like errors."""
    shuffled = random.Random(3).sample(SENTENCES, len(SENTENCES))  # noqa: S311 - no secret
    parts = _parts(SENTENCES, shuffled, 30)
    assert len(parts) > 2
    for part in parts:
        assert Counter(part.reference.split()) == Counter(part.candidate.split())


def test_sentences_that_share_no_word_meet_by_their_place() -> None:
    """What begins a report is held against what begins the other."""
    parts = windows("a b. c d. e f. g h.", "s t. u v. w x. y z.", _words, 8)
    assert parts == [Window("a b. c d.", "s t. u v."), Window("e f. g h.", "w x. y z.")]


def test_a_blank_report_leaves_the_other_alone() -> None:
    """Everything in the other report is then left out or made up."""
    parts = _parts(SENTENCES, (), 20)
    assert [part.candidate for part in parts] == [""] * len(parts)
    assert " ".join(part.reference for part in parts) == " ".join(SENTENCES)


def test_a_sentence_without_end_is_cut_between_words() -> None:
    """Dictation without full stops is cut where it must be and loses no word."""
    parts = windows("word " * 100, "other.", _words, 20)
    assert sum(len(part.reference.split()) for part in parts) == 100
    assert max(len(part.reference.split()) + len(part.candidate.split()) for part in parts) <= 20


def test_a_word_too_long_for_any_window_is_cut_within() -> None:
    """Here each letter is a token."""
    parts = windows("aaaaaaaaaaaa bb", "c", lambda texts: [len(text.replace(" ", "")) for text in texts], 10)
    assert "".join(part.reference for part in parts).replace(" ", "") == "aaaaaaaaaaaabb"
    assert [part.candidate for part in parts if part.candidate] == ["c"]
    assert all(len(part.reference.replace(" ", "")) + len(part.candidate) <= 10 for part in parts)


REPORTS = credible_statements(most=40)


@given(reference=REPORTS, candidate=REPORTS, room=st.integers(min_value=16, max_value=120))
def test_every_word_stands_in_one_window_and_every_window_fits(
    reference: list[str], candidate: list[str], room: int
) -> None:
    """No error is counted twice, and none is overlooked."""
    parts = _parts(reference, candidate, room)
    for given_text, seen in (
        (reference, [part.reference for part in parts]),
        (candidate, [part.candidate for part in parts]),
    ):
        assert Counter(" ".join(seen).split()) == Counter(" ".join(given_text).split())
    assert all(sum(_words([part.reference, part.candidate])) <= room for part in parts)


@given(sentences=REPORTS, room=st.integers(min_value=16, max_value=120))
def test_a_report_against_itself_is_the_same_on_both_sides_of_a_window(sentences: list[str], room: int) -> None:
    """A copy has no errors in any window."""
    assert all(part.reference == part.candidate for part in _parts(sentences, sentences, room))
