"""Cues as ConText rules: phrases where they can be, patterns where they have a gap."""

from __future__ import annotations

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.words import Normaliser
from overread.adapters.reader.medspacy._context_rules import plain_rules, words_of
from overread.adapters.reader.medspacy._matching import Matchers
from overread.adapters.reader.medspacy._medspacy import ConTextRule
from overread.domain.patterns import GAP_FORBIDDEN


def test_plain_rules() -> None:
    """A cue is one phrase for each of its choices, or a pattern where it has a gap."""
    rules = list(plain_rules(["no|without evidence of?", "rule * out"], Normaliser()))
    assert [phrase for phrase, pattern in rules if pattern is None] == [
        "no evidence of",
        "no evidence",
        "without evidence of",
        "without evidence",
    ]
    assert [phrase for phrase, pattern in rules if pattern is not None] == ["rule * out"]


def test_words_of_rules() -> None:
    """They are those of phrases and of patterns, and those that a gap must not cross."""
    rules = [
        ConTextRule(phrase, "X", pattern=pattern)
        for phrase, pattern in plain_rules(["no sign", "rule * out"], Normaliser())
    ]
    assert words_of(rules) == {"no", "sign", "rule", "out"} | GAP_FORBIDDEN


SENTENCES = (
    "no xenolith or effusion but zweifel remains .",
    "effusion is mostly gone , rule wholly and blindly out pneumonia",
    "history of quux with new small left effusion ; fracture cannot be utterly excluded",
    "unchanged cardiomegaly compared to 1997 , nodule of unclear dignity is no longer seen",
    "",
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_words_that_no_cue_asks_for_are_all_the_same_to_it(
    monkeypatch: pytest.MonkeyPatch, matchers: Matchers, sentence: str
) -> None:
    """What is found in a sentence is what would be found if spaCy saw its every word."""
    words = (*sentence.split(), ".")
    found = matchers.match(words)
    monkeypatch.setattr(matchers, "_cue_words", matchers._cue_words.union(words))
    assert matchers.match(words) == found


def test_spacy_keeps_no_word_of_a_report(matchers: Matchers) -> None:
    """Its store of strings is the same after sentences of words that it has never met."""
    matchers.match(("no", "effusion", "."))
    before = set(matchers._nlp.vocab.strings)
    for number in range(50):
        matchers.match(("no", f"xenolith{number}", "or", "effusion", "."))
    assert set(matchers._nlp.vocab.strings) == before


@pytest.fixture(scope="module")
def matchers() -> Matchers:
    return Matchers(load_knowledge())
