"""The lexicon's cues: looked up among the words of a sentence, and linked to its findings by medspaCy's ConText."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from overread.adapters.lexicon.loader import Knowledge
from overread.adapters.lexicon.matching import Match, RuleMatcher, Term
from overread.adapters.reader.medspacy._medspacy import ConTextGraph, ConTextModifier, ConTextRule, Doc, Span, Vocab

__all__ = ["Cues"]

_ANY_WORD: Final = "\ue000"
"""Stands in spaCy's documents for every word: scopes count words, and spaCy keeps each word it has met for good."""


class Cues:
    """Finds cues among the words of a sentence: of overlapping ones the longest, of equal ones the first listed."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._vocab = Vocab()
        terms: list[Term] = []
        self._rules: list[ConTextRule] = []
        for rule in knowledge.context:
            told = ConTextRule(rule.category, rule.category, direction=rule.direction, max_scope=rule.max_scope)
            terms += (Term(text, rule.category, ()) for text in rule.terms)
            self._rules += [told] * len(rule.terms)
        self._matcher = RuleMatcher.of(terms, knowledge.normaliser, knowledge.elements)

    def graph(self, words: Sequence[str], targets: Iterable[Match]) -> ConTextGraph:
        """The cues among the words of one sentence, and which of the targets each bears on."""
        doc = Doc(self._vocab, words=[_ANY_WORD] * len(words), sent_starts=[True] + [False] * (len(words) - 1))
        graph = ConTextGraph(
            targets=[Span(doc, target.start, target.end, label=target.term.label) for target in targets],
            modifiers=[
                ConTextModifier(self._rules[match.order], match.start, match.end, doc) for match in self._matcher(words)
            ],
        )
        graph.update_scopes()
        graph.apply_modifiers()
        return graph
