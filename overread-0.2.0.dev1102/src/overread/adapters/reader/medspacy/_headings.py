"""Organ headings inside a sentence: "Heart: enlarged." is "heart is enlarged.", not "Heart: large aorta."."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from attrs import evolve, frozen

from overread.adapters.lexicon import Knowledge
from overread.adapters.lexicon.words import Words

__all__ = ["OrganHeadings"]

_LONGEST: Final = 6
"""Most words of a heading."""


@frozen
class OrganHeadings:
    """Knows the words that headings of organs are made of.

    Attributes:
        _organs: names of organs in one word.
        _ends: words that end what stands behind the colon as one phrase.
    """

    _vocabulary: frozenset[str]
    _denials: frozenset[str]
    _organs: frozenset[str]
    _ends: frozenset[str]

    @classmethod
    def of(cls, knowledge: Knowledge) -> OrganHeadings:
        """The words of the lexicon's organs."""
        phrase = knowledge.normaliser.phrase
        terms = (term for rule in knowledge.attributes if rule.kind in {"organ", "zone"} for term in rule.terms)
        words = (word for term in terms for word in phrase(term.replace("|", " ").replace("*", " ")))
        organs = (term for rule in knowledge.attributes if rule.kind == "organ" for term in rule.terms)
        rules, attachment = knowledge.grammar.headings, knowledge.grammar.attachment
        return cls(
            frozenset(words) - {"?"} | rules.besides,
            rules.denials,
            frozenset(phrase(term)[0] for term in organs if term.isalpha()),
            attachment.clause_ends | attachment.forward_stops | attachment.prepositions | {",", ".", "and"},
        )

    def opened(self, words: Words) -> Words:
        """The words with the colon behind an organ as the verb it stands for, without "it" ("heart it is large")."""
        words = self._without_pronoun(words)
        head = words.words[:_LONGEST]
        if ":" not in head:
            return words
        at = head.index(":")
        if at == 0 or not self._vocabulary.issuperset(head[:at]):
            return words
        if at == len(words.words) - 1 or words.words[at + 1] in self._denials:
            return words
        if self._names_what_it_describes(words.words[at + 1 :]):
            return words
        return evolve(words, words=(*words.words[:at], "is", *words.words[at + 1 :]))

    def _names_what_it_describes(self, words: Sequence[str]) -> bool:
        """Return whether words behind a colon name their own subject: "enlarged heart", "prominent knob"."""
        phrase = takewhile(lambda word: word not in self._ends, words)
        return not self._organs.isdisjoint(list(phrase)[1:])

    def _without_pronoun(self, words: Words) -> Words:
        head = words.words[:_LONGEST]
        if "it" not in head:
            return words
        at = head.index("it")
        if at == 0 or not self._vocabulary.issuperset(head[:at]) or words.words[at + 1 : at + 2] != ("is",):
            return words
        return evolve(
            words,
            words=(*words.words[:at], *words.words[at + 1 :]),
            starts=(*words.starts[:at], *words.starts[at + 1 :]),
            ends=(*words.ends[:at], *words.ends[at + 1 :]),
        )
