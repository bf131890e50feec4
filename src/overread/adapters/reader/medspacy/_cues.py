"""The lexicon's cues: found by spaCy's matchers, and linked to the findings of a sentence by medspaCy's ConText."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from overread.adapters.lexicon.loader import Knowledge
from overread.adapters.lexicon.matching import Match, Parsed
from overread.adapters.lexicon.words import Normaliser
from overread.adapters.reader.medspacy._medspacy import (
    ConTextGraph,
    ConTextModifier,
    ConTextRule,
    Doc,
    Matcher,
    PhraseMatcher,
    Span,
    Vocab,
    prune_overlapping_matches,
)
from overread.domain.patterns import GAP_FORBIDDEN, GAP_LENGTH, Element, expand, parse_term

__all__ = ["Cues", "plain_rules"]

_Pattern = list[dict[str, Any]]
_GAP: Final[dict[str, Any]] = {"ORTH": {"NOT_IN": sorted(GAP_FORBIDDEN)}, "OP": f"{{0,{GAP_LENGTH}}}"}

_ANY_WORD: Final = "\ue000"
"""Stands in spaCy's documents for every word that no cue asks for: spaCy keeps each word it has met for good."""


class Cues:
    """Finds cues among the words of a sentence, of overlapping ones the longest.

    It does what medspaCy's component ``ConText`` does, without its pipeline and without a rule for each of 20,000
    phrases, which take twice as long to make.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._vocab = Vocab()
        self._phrases = PhraseMatcher(self._vocab, attr="ORTH")
        self._gapped = Matcher(self._vocab)
        self._rules: dict[int, ConTextRule] = {}
        self._words = set(GAP_FORBIDDEN)
        self._needed: list[list[frozenset[str]]] = []
        for rule in knowledge.context:
            told = ConTextRule(rule.category, rule.category, direction=rule.direction, max_scope=rule.max_scope)
            for phrase, pattern in plain_rules(rule.terms, knowledge.normaliser, knowledge.elements):
                self._add(told, phrase, pattern)

    def _add(self, rule: ConTextRule, phrase: tuple[str, ...], pattern: _Pattern | None) -> None:
        name = f"{rule.category}_{len(self._rules)}"
        self._rules[self._vocab.strings.add(name)] = rule
        if pattern is None:
            # Numbers of words, as spaCy itself adds them to a matcher that was pickled: documents take twice the time.
            self._phrases.add(name, [[self._vocab.strings.add(word) for word in phrase]])
            self._words.update(phrase)
            return
        self._gapped.add(name, [pattern])
        self._needed.append([frozenset(token["ORTH"]["IN"]) for token in pattern if "OP" not in token])
        for token in pattern:
            self._words.update(token["ORTH"].get("IN", ()))

    def graph(self, words: Sequence[str], targets: Iterable[Match]) -> ConTextGraph:
        """The cues among the words of one sentence, and which of the targets each bears on."""
        seen = [word if word in self._words else _ANY_WORD for word in words]
        doc = Doc(self._vocab, words=seen, sent_starts=[True] + [False] * (len(words) - 1))
        gapped = self._gapped(doc) if self._may_hold_gapped(frozenset(words)) else ()
        found = prune_overlapping_matches([*gapped, *self._phrases(doc)])
        graph = ConTextGraph(
            targets=[Span(doc, target.start, target.end, label=target.term.label) for target in targets],
            modifiers=[ConTextModifier(self._rules[name], start, end, doc) for name, start, end in found],
        )
        graph.update_scopes()
        graph.apply_modifiers()
        return graph

    def _may_hold_gapped(self, words: frozenset[str]) -> bool:
        """Whether a sentence of these words can hold a gapped cue: few do, and spaCy's patterns are slow to try."""
        return any(all(map(words.intersection, choices)) for choices in self._needed)


def plain_rules(
    terms: Iterable[str], normaliser: Normaliser, parsed: Parsed | None = None
) -> Iterator[tuple[tuple[str, ...], _Pattern | None]]:
    """Each term of a cue as plain phrases where it can be, else as one token pattern of spaCy's."""
    for term in terms:
        elements = (parsed or {}).get(term) or parse_term(term, normaliser.phrase)
        expanded = expand(elements)
        if expanded is None:
            yield (), [_token(element) for element in elements]
        else:
            for phrase in dict.fromkeys(map(normaliser.join, expanded)):
                yield phrase, None


def _token(element: Element) -> dict[str, Any]:
    if element.is_gap:
        return _GAP
    pattern: dict[str, Any] = {"ORTH": {"IN": list(element.alternatives)}}
    if element.optional:
        pattern["OP"] = "?"
    return pattern
