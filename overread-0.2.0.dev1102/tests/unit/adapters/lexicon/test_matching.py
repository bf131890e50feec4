"""Finding terms: the split into phrases and gapped patterns must not show."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.lexicon.matching import RuleMatcher, Term
from overread.adapters.lexicon.words import Normaliser
from overread.domain.vocabulary.patterns import GAP_FORBIDDEN, GAP_LENGTH, Element, parse_term

NORMALISER = Normaliser(joined={("air", "space"): "airspace"})
VOCABULARY = ["heart", "lung", "is", "large", "clear", "no", ",", "very"]

ELEMENT = st.builds(
    lambda words, optional: "|".join(words) + "?" * optional,
    st.lists(st.sampled_from(["heart", "lung", "is", "large", "clear"]), min_size=1, max_size=2, unique=True),
    st.booleans(),
)
REQUIRED = st.sampled_from(["heart", "lung", "large", "clear", "heart|lung"])
TERM_TEXTS = st.one_of(
    REQUIRED,
    st.builds("{} {}".format, ELEMENT, REQUIRED),
    st.builds("{} * {}".format, REQUIRED, REQUIRED),
    st.builds("{} {} * {}".format, REQUIRED, ELEMENT, REQUIRED),
)
SENTENCES = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=9)


def _found(terms: Sequence[str], words: Sequence[str]) -> list[tuple[int, int, str]]:
    matcher = RuleMatcher.of((Term(text, "FINDING", (str(i),)) for i, text in enumerate(terms)), NORMALISER)
    return [(m.start, m.end, m.term.meaning[0]) for m in matcher(words)]


def _ends(elements: Sequence[Element], words: Sequence[str], start: int) -> set[tuple[int, int]]:
    """Where a term that starts at a word can end, element by element, with the words that its gaps span."""
    ends = {(start, 0)}
    for element in elements:
        reached = set(ends) if element.is_gap or element.optional else set()
        for end, spanned in ends:
            if element.is_gap:
                run = next((i for i in range(end, len(words)) if words[i] in GAP_FORBIDDEN), len(words))
                reached |= {(at, spanned + at - end) for at in range(end, min(run, end + GAP_LENGTH) + 1)}
            elif end < len(words) and words[end] in element.alternatives:
                reached.add((end + 1, spanned))
        ends = reached
    return {(end, spanned) for end, spanned in ends if end > start}


def _brute_force(terms: Sequence[str], words: Sequence[str]) -> list[tuple[int, int, str]]:
    """All terms tried at every position; the longest stays, then the leftmost, the most explicit, the first term."""
    found = [
        (start, end, spanned, order)
        for order, text in enumerate(terms)
        for start in range(len(words))
        for end, spanned in _ends(parse_term(text, NORMALISER.phrase), words, start)
    ]
    kept: list[tuple[int, int, int]] = []
    for start, end, _, order in sorted(found, key=lambda m: (m[0] - m[1], *m)):
        if all(end <= s or e <= start for s, e, _ in kept):
            kept.append((start, end, order))
    return [(start, end, str(order)) for start, end, order in sorted(kept)]


@given(st.lists(TERM_TEXTS, min_size=1, max_size=6), SENTENCES)
def test_equals_brute_force(terms: list[str], words: list[str]) -> None:
    """Looking phrases up and trying gapped terms only where they can match finds what trying everything finds."""
    assert _found(terms, words) == _brute_force(terms, words)


@given(st.lists(TERM_TEXTS, min_size=1, max_size=6), st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=4))
def test_the_match_of_all_words_is_the_one_that_calling_finds(terms: list[str], words: list[str]) -> None:
    """The same term, or none where no term spans them all."""
    matcher = RuleMatcher.of((Term(text, "FINDING", (str(i),)) for i, text in enumerate(terms)), NORMALISER)
    called = next((match for match in matcher(words) if match.end - match.start == len(words)), None)
    assert matcher.whole(tuple(words)) == called


@pytest.mark.parametrize(
    ("terms", "sentence", "expected"),
    [
        (["effusion"], "small effusion", [(1, 2, "0")]),
        (["effusion", "pleural effusion"], "pleural effusion", [(0, 2, "1")]),
        (["lung clear", "clear heart"], "lung clear heart", [(0, 2, "0")]),
        (["clear lung", "clear lung"], "clear lung", [(0, 2, "0")]),
        (["heart * large", "heart is large"], "heart is large", [(0, 3, "1")]),
        (["heart * large", "heart very * large"], "heart very very large", [(0, 4, "1")]),
        (["heart is large", "heart * large"], "heart is large", [(0, 3, "0")]),
        (["heart * large"], "heart is now very large", [(0, 5, "0")]),
        (["heart * large"], "heart is now very very large", []),
        (["heart * large"], "heart , large", []),
        (["heart * large"], "heart no large", []),
        (["air space disease"], "airspace disease", [(0, 2, "0")]),
    ],
)
def test_matches(terms: list[str], sentence: str, expected: list[tuple[int, int, str]]) -> None:
    """The longest term wins, then the leftmost, the most explicit; a gap spans three words and no denial or mark."""
    assert _found(terms, sentence.split()) == expected
