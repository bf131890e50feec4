"""The lexicon's cues as rules of medspaCy's ConText."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from overread.adapters.lexicon.loader import Knowledge
from overread.adapters.lexicon.matching import Parsed
from overread.adapters.lexicon.words import Normaliser
from overread.adapters.reader.medspacy._medspacy import ConTextRule
from overread.domain.patterns import GAP_FORBIDDEN, GAP_LENGTH, Element, expand, parse_term

__all__ = ["context_rules", "plain_rules", "words_of"]

_Pattern = list[dict[str, object]]
_GAP: Final[dict[str, object]] = {"ORTH": {"NOT_IN": sorted(GAP_FORBIDDEN)}, "OP": f"{{0,{GAP_LENGTH}}}"}


def context_rules(knowledge: Knowledge) -> Iterator[ConTextRule]:
    """The lexicon's cues as rules of ConText."""
    for rule in knowledge.context:
        for phrase, pattern in plain_rules(rule.terms, knowledge.normaliser, knowledge.elements):
            yield ConTextRule(
                phrase, rule.category, pattern=pattern, direction=rule.direction, max_scope=rule.max_scope
            )


def plain_rules(
    terms: Iterable[str], normaliser: Normaliser, parsed: Parsed | None = None
) -> Iterator[tuple[str, _Pattern | None]]:
    """Each term of a ConText rule as plain phrases where it can be, else as one token pattern of spaCy's."""
    for term in terms:
        elements = (parsed or {}).get(term) or parse_term(term, normaliser.phrase)
        expanded = expand(elements)
        if expanded is None:
            yield term, [_token(element) for element in elements]
        else:
            for phrase in dict.fromkeys(map(normaliser.join, expanded)):
                yield " ".join(phrase), None


def words_of(rules: Iterable[ConTextRule]) -> frozenset[str]:
    """Every word that some rule asks for, or for the want of."""
    words = set(GAP_FORBIDDEN)
    for rule in rules:
        if rule.pattern is None:
            words.update(rule.literal.split())
            continue
        for token in rule.pattern:
            words.update(token["ORTH"].get("IN", ()))
    return frozenset(words)


def _token(element: Element) -> dict[str, object]:
    if element.is_gap:
        return _GAP
    pattern: dict[str, object] = {"ORTH": {"IN": list(element.alternatives)}}
    if element.optional:
        pattern["OP"] = "?"
    return pattern
