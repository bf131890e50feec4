"""medspaCy matchers built from the lexicon: one for findings, one for attributes, and ConText."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import spacy
from attrs import frozen
from medspacy.context import ConText, ConTextRule
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from overread.adapters.lexicon.loader import Knowledge
from overread.adapters.lexicon.words import Normaliser
from overread.adapters.medspacy._rules import RuleMatcher, Term, plain_rules

_VERBS: Final = frozenset({"is", "remain", "remains", "appear", "appears", "demonstrate", "has", "have"})

_MUTE: Final = frozenset({"TERMINATE", "PSEUDO"})

__all__ = ["AttributeMatch", "ContextMatch", "Matchers", "SentenceMatches", "TargetMatch"]


@frozen
class TargetMatch:
    """A finding or normal statement at words ``[start, end)``; ``cues`` are the ConText cues that bear on it."""

    concept: str
    start: int
    end: int
    cues: tuple[ContextMatch, ...]


@frozen
class ContextMatch:
    """A ConText cue at words ``[start, end)``."""

    category: str
    start: int
    end: int


@frozen
class AttributeMatch:
    """An attribute at words ``[start, end)``; ``kind`` is side, zone, organ, severity or modifier."""

    kind: str
    labels: tuple[str, ...]
    start: int
    end: int


@frozen
class SentenceMatches:
    """All that was found in one sentence, each list in reading order."""

    targets: tuple[TargetMatch, ...]
    attributes: tuple[AttributeMatch, ...]
    cues: tuple[ContextMatch, ...]


class Matchers:
    """Finds findings, attributes and context cues in a sentence's normalised words."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._nlp = _blank_pipeline(knowledge.normaliser)
        self._targets = RuleMatcher.of(self._nlp, _finding_terms(knowledge), knowledge.normaliser)
        self._attributes = RuleMatcher.of(self._nlp, _attribute_terms(knowledge), knowledge.normaliser)
        self._context = ConText(
            self._nlp,
            rules=None,
            phrase_matcher_attr="ORTH",
            span_attrs=None,
            input_span_type="group",
            span_group_name="targets",
        )
        self._context.add(list(_context_rules(knowledge)))

    def match(self, words: tuple[str, ...]) -> SentenceMatches:
        """What the words of one sentence hold."""
        doc = Doc(self._nlp.vocab, words=list(words), sent_starts=[True] + [False] * (len(words) - 1))
        targets = self._targets(doc, words)
        doc.spans["targets"] = targets
        self._context(doc)
        graph = doc._.context_graph
        cues: dict[tuple[int, int], list[ContextMatch]] = {}
        for target, modifier in graph.edges:
            cue = _cue(modifier)
            if not _owner(cue, targets) and _bears_on(words, cue, target):
                cues.setdefault((target.start, target.end), []).append(cue)
        for modifier in graph.modifiers:
            cue = _cue(modifier)
            if modifier.direction not in _MUTE and cue.category != "NEGATED" and (owner := _owner(cue, targets)):
                cues.setdefault(owner, []).append(cue)
        return SentenceMatches(
            targets=tuple(
                TargetMatch(span._.target_rule.metadata, span.start, span.end, tuple(cues.get((span.start, span.end), ())))
                for span in targets
            ),
            attributes=tuple(_attribute_matches(self._attributes(doc, words))),
            cues=tuple(
                sorted(
                    (_cue(m) for m in graph.modifiers if m.direction not in _MUTE),
                    key=lambda cue: cue.start,
                )
            ),
        )


def _attribute_matches(spans: Iterable[Span]) -> Iterator[AttributeMatch]:
    for span in spans:
        kind, labels = span._.target_rule.metadata
        if not kind.startswith("ignored"):
            yield AttributeMatch(kind, labels, span.start, span.end)


def _owner(cue: ContextMatch, targets: Iterable[Span]) -> tuple[int, int] | None:
    """The target whose own words hold the cue: "heart remains enlarged" is stable, and says nothing of others."""
    spans = ((target.start, target.end) for target in targets)
    return next(((start, end) for start, end in spans if start <= cue.start and cue.end <= end), None)


def _bears_on(words: tuple[str, ...], cue: ContextMatch, target: Span) -> bool:
    """Whether a cue that ConText links to a target really bears on it.

    A negation does not cross the comma before a clause of its own: "no pneumothorax, heart is enlarged",
    "no effusion, lungs clear".
    """
    if cue.category != "NEGATED" or cue.end > target.start or "," not in words[cue.end : target.start]:
        return True
    own = words[target.start : target.end]
    return target.label_ != "NORMAL" and not _VERBS.intersection(own)


def _cue(modifier: Any) -> ContextMatch:
    start, end = modifier.modifier_span
    return ContextMatch(modifier.category, start, end)


def _blank_pipeline(normaliser: Normaliser) -> Language:
    """A pipeline whose tokenizer is ours, so that rules and sentences are cut alike."""
    nlp = spacy.blank("en")
    vocab: Vocab = nlp.vocab
    # Shapes, prefixes and the like of 50,000 rule names and words are never asked for, and take most of the start.
    vocab.lex_attr_getters = {}

    def tokenizer(text: str) -> Doc:
        return Doc(vocab, words=text.split())

    nlp.tokenizer = tokenizer
    return nlp


def _finding_terms(knowledge: Knowledge) -> Iterator[Term]:
    lexicon = knowledge.lexicon
    for finding in lexicon.findings.values():
        for text in finding.terms:
            yield Term(text, "FINDING", finding.id)
    for normal in lexicon.normals.values():
        for text in normal.terms:
            yield Term(text, "NORMAL", normal.id)


def _attribute_terms(knowledge: Knowledge) -> Iterator[Term]:
    for rule in knowledge.attributes:
        for text in rule.terms:
            yield Term(text, "ATTRIBUTE", (rule.kind, rule.labels))


def _context_rules(knowledge: Knowledge) -> Iterator[ConTextRule]:
    for rule in knowledge.context:
        for phrase, pattern in plain_rules(rule.terms, knowledge.normaliser):
            yield ConTextRule(
                phrase, rule.category, pattern=pattern, direction=rule.direction, max_scope=rule.max_scope
            )
