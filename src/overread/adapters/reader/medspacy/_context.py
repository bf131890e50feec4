"""Scopes of cues by medspaCy's ConText."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from overread.adapters.lexicon.loader import ContextRule
from overread.adapters.lexicon.matching import Match
from overread.adapters.reader.medspacy._medspacy import ConTextGraph, ConTextModifier, ConTextRule, Doc, Span, Vocab

__all__ = ["MedspacyContext"]

_ANY_WORD: Final = "\ue000"
"""Stands in spaCy's documents for every word: scopes count words, and spaCy keeps each word it has met for good."""


class MedspacyContext:
    """Links the cues of a sentence to its findings.

    Args:
        rules: of the cues that will be met.
    """

    def __init__(self, rules: Iterable[ContextRule]) -> None:
        self.vocab = Vocab()
        self._rules = {rule: _translate(rule) for rule in rules}

    def __call__(
        self, cues: Iterable[tuple[ContextRule, int, int]], targets: Sequence[Match], length: int
    ) -> ConTextGraph:
        """The cues, and which of the targets each bears on; arguments as of `Scopes.of`."""
        doc = Doc(self.vocab, words=[_ANY_WORD] * length, sent_starts=[True] + [False] * (length - 1))
        graph = ConTextGraph(
            targets=[Span(doc, target.start, target.end, label=target.term.label) for target in targets],
            modifiers=[ConTextModifier(self._rules[rule], start, end, doc) for rule, start, end in cues],
        )
        graph.update_scopes()
        graph.apply_modifiers()
        return graph


def _translate(rule: ContextRule) -> ConTextRule:
    return ConTextRule(
        rule.category,
        rule.category,
        direction=rule.direction,
        max_scope=rule.max_scope,
        max_targets=rule.max_targets,
    )
