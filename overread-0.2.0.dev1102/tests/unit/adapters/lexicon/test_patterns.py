"""The lexicon's pattern language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.lexicon.words import Normaliser
from overread.domain.vocabulary.patterns import GAP_FORBIDDEN, Element, expand, parse_term

NORMALISE = Normaliser().phrase
WORDS = st.sampled_from(["heart", "lung", "is", "large", "clear"])


@pytest.mark.parametrize(
    ("term", "elements"),
    [
        ("effusion", [Element(("effusion",))]),
        ("Effusions", [Element(("effusion",))]),
        ("the heart", [Element(("heart",))]),
        ("heart|cardiac size", [Element(("heart", "cardiac")), Element(("size",))]),
        ("small? effusion", [Element(("small",), optional=True), Element(("effusion",))]),
        ("is|was? clear", [Element(("is",), optional=True), Element(("clear",))]),
        ("heart * large", [Element(("heart",)), Element(()), Element(("large",))]),
        ("right-sided effusion", [Element(("right",)), Element(("sided",)), Element(("effusion",))]),
        ("pneumonia ?", [Element(("pneumonia",)), Element(("?",))]),
        ("is ruled out .", [Element(("is",)), Element(("ruled",)), Element(("out",)), Element((".",))]),
    ],
)
def test_parse(term: str, elements: list[Element]) -> None:
    """Words, alternatives, options, gaps and marks, each normalised."""
    assert list(parse_term(term, NORMALISE)) == elements


def test_parts_that_were_read_before_are_read_alike() -> None:
    """A term has the same elements beside others as alone, and each part is read once."""
    terms = ["heart|cardiac size", "heart|cardiac * large", "the size of heart", "small? effusion", "effusion small?"]
    asked: list[str] = []
    known: dict[str, tuple[Element, ...]] = {}

    def normalise(word: str) -> tuple[str, ...]:
        asked.append(word)
        return NORMALISE(word)

    assert [parse_term(term, normalise, known) for term in terms] == [parse_term(term, NORMALISE) for term in terms]
    assert sorted(asked) == ["cardiac", "effusion", "heart", "heart", "large", "of", "size", "small", "the"]


@pytest.mark.parametrize(
    ("term", "problem"),
    [
        ("", "no required word"),
        ("the", "no required word"),
        ("small?", "no required word"),
        ("*", "no required word"),
        ("* heart", "begins or ends with a gap"),
        ("heart *", "begins or ends with a gap"),
        ("right-sided|left effusion", "word of several parts"),
    ],
)
def test_parse_refuses(term: str, problem: str) -> None:
    """A term that could match nothing, or anything, is refused by name."""
    with pytest.raises(ValueError, match=problem):
        parse_term(term, NORMALISE)


@pytest.mark.parametrize(
    ("term", "phrases"),
    [
        ("effusion", {"effusion"}),
        ("small|large effusion", {"small effusion", "large effusion"}),
        ("lung is? clear", {"lung is clear", "lung clear"}),
        ("a|b? c", {"b c", "c"}),
    ],
)
def test_expand(term: str, phrases: set[str]) -> None:
    """Every choice of alternatives and options is one phrase."""
    expanded = expand(parse_term(term, NORMALISE))
    assert expanded is not None
    assert {" ".join(phrase) for phrase in expanded} == phrases


def test_expand_leaves_gaps_and_large_terms_alone() -> None:
    """What would be too many phrases is matched as a pattern instead."""
    assert expand(parse_term("heart * large", NORMALISE)) is None
    assert expand((Element(("x", "y")),) * 4, limit=15) is None
    assert len(expand((Element(("x", "y")),) * 4, limit=16) or ()) == 16


@given(st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=3, unique=True), st.booleans()), min_size=1, max_size=4))
def test_expansions_are_distinct_and_match_their_elements(parts: list[tuple[list[str], bool]]) -> None:
    """No phrase comes twice, and each takes its words from the elements in order."""
    elements = tuple(Element(tuple(words), optional) for words, optional in parts)
    phrases = expand(elements)
    assert phrases is not None
    assert len(set(phrases)) == len(phrases)
    least = sum(not element.optional for element in elements)
    for phrase in phrases:
        assert least <= len(phrase) <= len(elements)
        remaining = iter(elements)
        assert all(any(word in element.alternatives for element in remaining) for word in phrase)


def test_gaps_cross_neither_denials_nor_marks() -> None:
    """A gap that could swallow "no" would turn a report round."""
    assert {"no", "not", "without", "nor", "but", ",", ".", ";", ":"} <= GAP_FORBIDDEN
