"""The lexicon's cues: looked up among the words of a sentence, and linked to its findings by medspaCy's ConText."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from overread.adapters.lexicon.loader import Knowledge
from overread.adapters.lexicon.matching import Match, RuleMatcher, Term
from overread.adapters.reader.medspacy._medspacy import ConTextGraph, ConTextModifier, ConTextRule, Doc, Span, Vocab
from overread.adapters.reader.medspacy._verdicts import VERDICTS

__all__ = ["Cues"]

_ANY_WORD: Final = "\ue000"
"""Stands in spaCy's documents for every word: scopes count words, and spaCy keeps each word it has met for good."""


class Cues:
    """Finds cues among the words of a sentence: of overlapping ones the longest, of equal ones the first listed."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._vocab = Vocab()
        terms: list[Term] = []
        self._rules: list[ConTextRule] = []
        verdicts = [Term(text, r.category, ()) for r in knowledge.context if r.category in VERDICTS for text in r.terms]
        for rule in knowledge.context:
            if rule.category in VERDICTS:
                continue
            context_rule = ConTextRule(
                rule.category,
                rule.category,
                direction=rule.direction,
                max_scope=rule.max_scope,
                max_targets=rule.max_targets,
            )
            terms += (Term(text, rule.category, ()) for text in rule.terms)
            self._rules += [context_rule] * len(rule.terms)
        self._matcher = RuleMatcher.of(terms, knowledge.normaliser, knowledge.elements)
        self._verdicts = RuleMatcher.of(verdicts, knowledge.normaliser, knowledge.elements)

    def among(self, words: Sequence[str]) -> list[Match]:
        """The cues among the words of one sentence, in reading order, but for verdicts."""
        return self._matcher(words)

    def verdicts(self, words: Sequence[str]) -> list[Match]:
        """The cues of `VERDICTS` among the words of one sentence, in reading order; they hide no other cue."""
        return self._verdicts(words)

    def graph(self, words: Sequence[str], cues: Iterable[Match], targets: Iterable[Match]) -> ConTextGraph:
        """The cues of one sentence, and which of the targets each bears on."""
        doc = Doc(self._vocab, words=[_ANY_WORD] * len(words), sent_starts=[True] + [False] * (len(words) - 1))
        graph = ConTextGraph(
            targets=[Span(doc, target.start, target.end, label=target.term.label) for target in targets],
            modifiers=[ConTextModifier(self._rules[cue.order], cue.start, cue.end, doc) for cue in cues],
        )
        graph.update_scopes()
        graph.apply_modifiers()
        return graph
