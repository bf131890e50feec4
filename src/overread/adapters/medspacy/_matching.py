"""medspaCy matchers built from the lexicon: one for findings, one for attributes, and ConText."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import spacy
from attrs import frozen
from spacy.language import Language
from spacy.tokens import Doc, Span

from overread.adapters.lexicon.loader import Knowledge
from overread.adapters.medspacy._medspacy import ConText, ConTextRule
from overread.adapters.medspacy._rules import Match, RuleMatcher, Term, plain_rules
from overread.adapters.medspacy._scope import CHANGES, Sentence

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
        self._nlp = _blank_pipeline()
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
        attributes = tuple(_attribute_matches(self._attributes(doc, words)))
        doc.spans["targets"] = [Span(doc, t.start, t.end, label=t.term.label) for t in targets]
        self._context(doc)
        graph = doc._.context_graph
        sentence = _sentence(words, targets, attributes, graph.modifiers)
        places = {(target.start, target.end): index for index, target in enumerate(targets)}
        cues: dict[tuple[int, int], list[ContextMatch]] = {}
        for target, modifier in graph.edges:
            cue, place = _cue(modifier), (target.start, target.end)
            if not _owner(cue, targets) and sentence.bears_on(cue.category, cue, places[place]):
                cues.setdefault(place, []).append(cue)
        for modifier in graph.modifiers:
            cue = _cue(modifier)
            if modifier.direction not in _MUTE and cue.category != "NEGATED" and (owner := _owner(cue, targets)):
                cues.setdefault(owner, []).append(cue)
        return SentenceMatches(
            targets=tuple(
                TargetMatch(t.term.meaning[0], t.start, t.end, tuple(cues.get((t.start, t.end), ()))) for t in targets
            ),
            attributes=attributes,
            cues=tuple(
                sorted(
                    (_cue(m) for m in graph.modifiers if m.direction not in _MUTE),
                    key=lambda cue: cue.start,
                )
            ),
        )


def _attribute_matches(matches: Iterable[Match]) -> Iterator[AttributeMatch]:
    for match in matches:
        kind, *labels = match.term.meaning
        if not kind.startswith("ignored"):
            yield AttributeMatch(kind, tuple(labels), match.start, match.end)


def _owner(cue: ContextMatch, targets: Iterable[Match]) -> tuple[int, int] | None:
    """The target whose own words hold the cue: "heart remains enlarged" is stable, and says nothing of others."""
    spans = ((target.start, target.end) for target in targets)
    return next(((start, end) for start, end in spans if start <= cue.start and cue.end <= end), None)


def _sentence(
    words: tuple[str, ...], targets: Sequence[Match], attributes: Iterable[AttributeMatch], modifiers: Sequence[Any]
) -> Sentence:
    return Sentence(
        words=words,
        targets=targets,
        normals=frozenset(index for index, target in enumerate(targets) if target.term.label == "NORMAL"),
        degrees=_places(attributes, "mild", "moderate"),
        strong_degrees=_places(attributes, "severe"),
        sides=_places(attributes, "left", "right"),
        changes=frozenset(cue.start for cue in map(_cue, modifiers) if cue.category in CHANGES),
        stops=tuple(_cue(modifier) for modifier in modifiers if modifier.direction == "TERMINATE"),
    )


def _places(attributes: Iterable[AttributeMatch], *labels: str) -> frozenset[int]:
    return frozenset(a.start for a in attributes if not set(labels).isdisjoint(a.labels))


def _cue(modifier: Any) -> ContextMatch:
    start, end = modifier.modifier_span
    return ContextMatch(modifier.category, start, end)


def _blank_pipeline() -> Language:
    """A pipeline whose tokenizer is ours, so that rules and sentences are cut alike."""
    nlp = spacy.blank("en")
    vocab = nlp.vocab
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
            yield Term(text, "FINDING", (finding.id,))
    for normal in lexicon.normals.values():
        for text in normal.terms:
            yield Term(text, "NORMAL", (normal.id,))


def _attribute_terms(knowledge: Knowledge) -> Iterator[Term]:
    for rule in knowledge.attributes:
        for text in rule.terms:
            yield Term(text, "ATTRIBUTE", (rule.kind, *rule.labels))


def _context_rules(knowledge: Knowledge) -> Iterator[ConTextRule]:
    for rule in knowledge.context:
        for phrase, pattern in plain_rules(rule.terms, knowledge.normaliser):
            yield ConTextRule(
                phrase, rule.category, pattern=pattern, direction=rule.direction, max_scope=rule.max_scope
            )
