"""Alignment of two texts by sentences and words."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.differences.word_alignment import (
    AlignedSentence,
    Fate,
    WordAlignment,
    aligned_words,
    sentence_spans,
)

_WORDS = st.sampled_from(
    ["No", "effusion", "left", "Heart", "normal.", "1.5", "cm;", "\n", "\n\n", "Nodule", "FINDINGS:"]
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("No effusion. Heart is normal.", ["No effusion.", "Heart is normal."]),
        ("FINDINGS: Size: large.", ["FINDINGS:", "Size: large."]),
        ("FINDINGS:\nNo effusion\nNo fracture", ["FINDINGS:", "No effusion", "No fracture"]),
        ("A nodule of 1.5 cm in the\nright upper lobe.", ["A nodule of 1.5 cm in the\nright upper lobe."]),
        (f"{'A ' * 32}nodule near the\nIVC.", [f"{'A ' * 32}nodule near the\nIVC."]),
        ("1. Nodule.\n2. Effusion.", ["1. Nodule.", "2. Effusion."]),
        ("No effusion.\n\nNormal", ["No effusion.", "Normal"]),
        (" \n--- \n", []),
        ("", []),
    ],
)
def test_sentences_end_with_a_stop_or_their_line(text: str, sentences: list[str]) -> None:
    """A line that goes on in the next one is no end; numbers of a list stay with their item."""
    assert [span.of(text) for span in sentence_spans(text)] == sentences


def test_sentences_have_their_fates() -> None:
    """Same, changed with its words, moved, deleted and inserted, in the order of the second text."""
    before = "Heart normal. Small left effusion. No fracture. Trachea midline. Old granuloma of the spleen."
    after = "Heart normal. Small right effusion. Trachea midline. No fracture. Enlarged hilar nodes."
    alignment = aligned_words(before, after)
    fates = [(row.fate, _words(row, before, after)) for row in alignment.sentences]
    assert fates == [
        (Fate.SAME, "Heart normal."),
        (Fate.CHANGED, "Small right effusion."),
        (Fate.MOVED, "Trachea midline."),
        (Fate.SAME, "No fracture."),
        (Fate.DELETED, "Old granuloma of the spleen."),
        (Fate.INSERTED, "Enlarged hilar nodes."),
    ]
    [changed] = [row for row in alignment.sentences if row.fate is Fate.CHANGED]
    words = [(change.before.of(before), change.after.of(after), change.is_same) for change in changed.changes]
    assert words == [("Small", "Small", True), ("left", "right", False), ("effusion.", "effusion.", True)]
    assert alignment.is_near_copy


def test_typing_is_told_from_wording() -> None:
    """Capitals and punctuation make a sentence retyped; blanks and line breaks make nothing."""
    [retyped, wrapped] = aligned_words("no effusion\nHeart is normal.", "No effusion.\nHeart is\n normal.").sentences
    assert (retyped.fate, retyped.retyped) == (Fate.SAME, True)
    assert (wrapped.fate, wrapped.retyped) == (Fate.SAME, False)


def test_a_deleted_sentence_stands_where_it_was() -> None:
    """Before what followed it in the first text, and before what stands in its place now."""
    fates = [
        row.fate
        for row in aligned_words("Heart normal. Old rib fracture. No effusion.", "Heart normal. No effusion.").sentences
    ]
    assert fates == [Fate.SAME, Fate.DELETED, Fate.SAME]
    replaced = aligned_words("Heart normal. Old rib fracture. No effusion.", "Heart normal. Large mass. No effusion.")
    fates = [row.fate for row in replaced.sentences]
    assert fates == [Fate.SAME, Fate.DELETED, Fate.INSERTED, Fate.SAME]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("A b. C d. E f.", "A b. C d. X y.", True),
        ("A b. C d.", "A b. X y.", False),
        ("A b. C d.", "A b. C d. E f. G h. I j.", True),
        ("A b. A b. C d.", "A b. X y. Z w.", False),
        ("FINDINGS: A b. C d. IMPRESSION: E f.", "FINDINGS: A b. C d. X y. IMPRESSION: Z w.", True),
        ("FINDINGS: A b.\nIMPRESSION: C d.", "FINDINGS: X y.\nIMPRESSION: Z w.", False),
        ("", "A b.", False),
        ("", "", False),
    ],
)
def test_a_near_copy_shares_more_than_half_of_the_shorter_text(before: str, after: str, *, expected: bool) -> None:
    """However much is added; a sentence counts as often as it occurs."""
    assert aligned_words(before, after).is_near_copy is expected
    assert aligned_words(after, before).is_near_copy is expected


@given(st.lists(_WORDS, max_size=30).map(" ".join), st.lists(_WORDS, max_size=30).map(" ".join))
def test_every_sentence_has_one_row(before: str, after: str) -> None:
    """Each of either text once, in the order of its own text among those that were not moved."""
    alignment = aligned_words(before, after)
    olds = [row.before for row in alignment.sentences if row.before]
    news = [row.after for row in alignment.sentences if row.after]
    assert sorted(olds, key=lambda span: span.start) == sentence_spans(before)
    assert news == sentence_spans(after)
    for row in alignment.sentences:
        if row.before and row.after and row.fate is Fate.CHANGED:
            assert _joined(row, before, side=0) == "".join(row.before.of(before).split())
            assert _joined(row, after, side=1) == "".join(row.after.of(after).split())


def _joined(row: AlignedSentence, text: str, *, side: int) -> str:
    return "".join("".join((change.before, change.after)[side].of(text).split()) for change in row.changes)


def _words(row: AlignedSentence, before: str, after: str) -> str:
    if row.after is not None:
        return row.after.of(after)
    return row.before.of(before) if row.before is not None else ""


@pytest.mark.parametrize("kind", ["sentences", "one sentence", "equal", "unlike"])
def test_the_longest_report_is_aligned_in_a_moment(kind: str) -> None:
    """100,000 characters, whether they are short sentences, one without an end, alike or not at all."""
    texts = {
        "sentences": ("Nodule {} seen. ", "Nodule {} not seen now. "),
        "one sentence": ("nodule {} seen ", "nodule {} not seen "),
        "equal": ("No effusion. ", "No effusion. "),
        "unlike": ("Nodule {} in segment {}. ", "Effusion {} of the pleura {}. "),
    }
    before, after = (
        "".join(text.replace("{}", str(number * step)) for number in range(100_000 // len(text)))
        for text, step in zip(texts[kind], (1, 7), strict=True)
    )
    begun = perf_counter()
    assert isinstance(aligned_words(before, after), WordAlignment)
    assert perf_counter() - begun < 5
