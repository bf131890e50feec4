"""Organ headings inside a sentence: "Heart: enlarged." is read as "heart is enlarged."."""

from __future__ import annotations

from typing import Final

from attrs import evolve, frozen

from overread.adapters.lexicon import Knowledge
from overread.adapters.lexicon.words import Words

__all__ = ["OrganHeadings"]

_LONGEST: Final = 6
"""Most words of a heading."""


@frozen
class OrganHeadings:
    """Knows the words that headings of organs are made of."""

    _vocabulary: frozenset[str]
    _denials: frozenset[str]

    @classmethod
    def of(cls, knowledge: Knowledge) -> OrganHeadings:
        """The words of the lexicon's organs."""
        phrase = knowledge.normaliser.phrase
        terms = (term for rule in knowledge.attributes if rule.kind in {"organ", "zone"} for term in rule.terms)
        words = (word for term in terms for word in phrase(term.replace("|", " ").replace("*", " ")))
        rules = knowledge.grammar.headings
        return cls(frozenset(words) - {"?"} | rules.besides, rules.denials)

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
        return evolve(words, words=(*words.words[:at], "is", *words.words[at + 1 :]))

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
