"""Headings, sentences and cues of a report as the lexicon knows them, for those who show reports."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from overread.adapters.lexicon.loader import Knowledge
from overread.adapters.lexicon.matching import RuleMatcher, Term
from overread.adapters.lexicon.segments import Outline, SectionSplitter
from overread.domain.findings.signs import Cue, CueKind, SignReader, Signs
from overread.domain.reports.report import Span

__all__ = ["sign_reader"]

_KINDS: Final = {
    "NEGATED": CueKind.NEGATION,
    "NEVER": CueKind.NEGATION,
    "RESOLVED": CueKind.NEGATION,
    "POSSIBLE": CueKind.UNCERTAINTY,
    "PROBABLE": CueKind.UNCERTAINTY,
}
_PSEUDO: Final = "PSEUDO"
"""Words that look like a cue and are none: they are looked for too, so that no cue is found in them."""


@lru_cache(maxsize=8)
def sign_reader(knowledge: Knowledge) -> SignReader:
    """A reader of signs that knows the lexicon's headings and cues."""
    splitter = SectionSplitter(knowledge)
    terms = [
        Term(text, rule.category, (rule.direction,))
        for rule in knowledge.context
        if rule.category in _KINDS or rule.category == _PSEUDO
        for text in rule.terms
    ]
    matcher = RuleMatcher.of(terms, knowledge.normaliser, knowledge.elements)

    def read(text: str) -> Signs:
        outline = splitter.outline(text)
        sentences = tuple(outline.given(span) for _, span in outline.sentences)
        cues = tuple(cue for _, span in outline.sentences for cue in _cues(matcher, knowledge, outline, span))
        return Signs(sections=outline.sections_as_given, sentences=sentences, cues=cues)

    return read


def _cues(matcher: RuleMatcher, knowledge: Knowledge, outline: Outline, span: Span) -> Iterator[Cue]:
    words = knowledge.normaliser.words(span.of(outline.plain.text))
    for match in matcher(words.words):
        kind = _KINDS.get(match.term.label)
        if kind is not None:
            [direction] = match.term.meaning
            # ": none" denies what stands before it; the mark in front is no word of it.
            first = next((i for i in range(match.start, match.end) if words.words[i][0].isalpha()), match.start)
            place = outline.given(Span(span.start + words.starts[first], span.start + words.ends[match.end - 1]))
            yield Cue(
                place.start,
                place.end,
                kind,
                forward=direction != "BACKWARD",
                backward=direction != "FORWARD",
            )
