"""medspaCy TargetMatchers over the lexicon's terms, with gapped terms tried only where they can match.

Plain phrases go into one TargetMatcher, which finds them by hash look-up. A gapped term ("heart * enlarged") is a token
pattern that spaCy must try at every word, so it has a TargetMatcher of its own that runs only in sentences that hold
one word of each of its required elements. What is found is the same as with all terms in one matcher.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from attrs import define, field, frozen
from spacy.language import Language
from spacy.tokens import Doc, Span

from overread.adapters.lexicon.patterns import GAP_FORBIDDEN, GAP_LENGTH, Element, expand, parse_term
from overread.adapters.lexicon.words import Normaliser
from overread.adapters.medspacy._medspacy import TargetMatcher, TargetRule

_NEVER: Final = (
    # spaCy warns at every call of a matcher without patterns, and a TargetMatcher holds one of each kind.
    TargetRule("\ue000", "NEVER"),
    TargetRule("\ue000", "NEVER", pattern=[{"ORTH": "\ue000"}]),
)

__all__ = ["Match", "RuleMatcher", "Term", "plain_rules"]


@frozen
class Term:
    """A term of the lexicon, its label in spaCy, and what it means."""

    text: str
    label: str
    meaning: tuple[str, ...]


@frozen
class Match:
    """A term found at words ``[start, end)``; ``order`` is the term's place in the lexicon."""

    term: Term
    start: int
    end: int
    order: int


@define(eq=False)
class _Gapped:
    """A gapped term: the words it needs, and its matcher once it was needed."""

    rule: TargetRule
    required: tuple[frozenset[str], ...]
    matcher: TargetMatcher | None = None

    def can_match(self, words: AbstractSet[str]) -> bool:
        return not any(choice.isdisjoint(words) for choice in self.required)


@define(eq=False)
class RuleMatcher:
    """Finds terms in a sentence; of overlapping matches the longest stays, then the leftmost, then the first term."""

    _nlp: Language
    _phrases: TargetMatcher
    _gapped: dict[str, list[_Gapped]] = field(factory=dict)

    @classmethod
    def of(cls, nlp: Language, terms: Iterable[Term], normaliser: Normaliser) -> RuleMatcher:
        """A matcher over terms, which may be gapped."""
        phrases: dict[tuple[str, ...], TargetRule] = {}
        gapped: list[_Gapped] = []
        for order, term in enumerate(terms):
            elements = parse_term(term.text, normaliser.phrase)
            expanded = expand(elements)
            if expanded is None:
                gapped.append(_gapped_term(term, order, elements))
                continue
            for phrase in map(normaliser.join, expanded):
                if phrase not in phrases:
                    phrases[phrase] = TargetRule(" ".join(phrase), term.label, metadata=(order, term))
        return cls(nlp, _matcher(nlp, list(phrases.values())), _by_anchor(gapped))

    def __call__(self, doc: Doc, words: Sequence[str]) -> list[Match]:
        """Matches in a sentence's words, in reading order, none overlapping another."""
        # spaCy keeps a span's rule by the span's place: read it before another matcher finds the same words.
        matches = [_match(span, span._.target_rule) for span in self._phrases(doc)]
        present = set(words)
        for word in present:
            for term in self._gapped.get(word, ()):
                if term.can_match(present):
                    if term.matcher is None:
                        term.matcher = _matcher(self._nlp, [term.rule])
                    matches.extend(_match(span, term.rule) for span in term.matcher(doc))
        return _longest(matches)


def _match(span: Span, rule: TargetRule) -> Match:
    order, term = rule.metadata
    return Match(term, span.start, span.end, order)


def _token_pattern(elements: Iterable[Element]) -> list[dict[str, object]]:
    """A term as a spaCy token pattern."""
    return [_token(element) for element in elements]


def _token(element: Element) -> dict[str, object]:
    if element.is_gap:
        return {"ORTH": {"NOT_IN": sorted(GAP_FORBIDDEN)}, "OP": f"{{0,{GAP_LENGTH}}}"}
    pattern: dict[str, object] = {"ORTH": {"IN": list(element.alternatives)}}
    if element.optional:
        pattern["OP"] = "?"
    return pattern


def _gapped_term(term: Term, order: int, elements: tuple[Element, ...]) -> _Gapped:
    rule = TargetRule(term.text, term.label, pattern=_token_pattern(elements), metadata=(order, term))
    return _Gapped(rule, tuple(frozenset(e.alternatives) for e in elements if not e.is_gap and not e.optional))


def _by_anchor(terms: Sequence[_Gapped]) -> dict[str, list[_Gapped]]:
    """Gapped terms by each word of their anchor, the required element whose words fewest terms share."""
    shared = Counter(word for term in terms for choice in term.required for word in choice)
    index: defaultdict[str, list[_Gapped]] = defaultdict(list)
    for term in terms:
        for word in min(term.required, key=lambda choice: sum(shared[word] for word in choice)):
            index[word].append(term)
    return dict(index)


def _matcher(nlp: Language, rules: list[Any]) -> TargetMatcher:
    matcher = TargetMatcher(nlp, phrase_matcher_attr="ORTH", result_type=None, prune=False)
    matcher.add([*rules, *_NEVER])
    return matcher


def _longest(matches: Iterable[Match]) -> list[Match]:
    """Of overlapping matches the longest, of equally long ones the leftmost, of those at one place the first term's."""
    kept: list[Match] = []
    for match in sorted(matches, key=lambda m: (m.start - m.end, m.start, m.order)):
        if all(match.end <= other.start or other.end <= match.start for other in kept):
            kept.append(match)
    return sorted(kept, key=lambda match: match.start)


def plain_rules(terms: Iterable[str], normaliser: Normaliser) -> Iterator[tuple[str, list[dict[str, object]] | None]]:
    """Each term as plain phrases where it can be, else as one token pattern."""
    for term in terms:
        elements = parse_term(term, normaliser.phrase)
        expanded = expand(elements)
        if expanded is None:
            yield term, _token_pattern(elements)
        else:
            for phrase in dict.fromkeys(map(normaliser.join, expanded)):
                yield " ".join(phrase), None
