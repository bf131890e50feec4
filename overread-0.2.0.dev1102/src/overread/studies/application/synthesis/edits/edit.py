"""Edits: stretches of a report replaced by other words, everything else byte-equal, and the spans that they leave."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from attrs import field, frozen

from overread.domain.reports.report import Span
from overread.domain.vocabulary.severity import Severity
from overread.studies.application.synthesis.vocabulary import opens_sentence

__all__ = ["Change", "Edit", "LabelledSpan", "article", "mend_change"]

_ARTICLE: Final = re.compile(r"\b(an?)\s+$", re.IGNORECASE)
_VOWEL: Final = re.compile(r"[aeio]|u(?!ni[^nm]|re)|8|11\b|18\b", re.IGNORECASE)
_WORD: Final = re.compile(r"\s*([A-Za-z0-9]\S*)")
_TRIM: Final = " \t\n,;.:*•-"


@frozen(order=True)
class Change:
    """``text[start:end]`` becomes other words; an empty stretch is an insertion, empty words a deletion."""

    start: int
    end: int
    words: str = field(repr=False)


@frozen
class LabelledSpan:
    """Location of one change: in the reference unless something was added, in the candidate unless it was removed.

    Attributes:
        text: the words as in the candidate, or as in the reference if they were removed.
    """

    text: str = field(repr=False)
    reference: Span | None
    candidate: Span | None


@frozen
class Edit:
    """Changes that together make one difference.

    Attributes:
        changes: in order, none overlapping another.
        explanation: what was done, in words without report text.
        severity: what the difference is meant to be, where its subset does not say it.
    """

    changes: tuple[Change, ...]
    explanation: str
    severity: Severity | None = None

    @classmethod
    def of(cls, text: str, changes: Iterable[Change], explanation: str, severity: Severity | None = None) -> Edit:
        """An edit whose changes leave articles and capitals right."""
        return cls(tuple(sorted(mend_change(text, change) for change in changes)), explanation, severity)

    @classmethod
    def each(cls, text: str, changes: Iterable[Change], explanation: str) -> Iterator[Edit]:
        """An edit of every change for itself."""
        return (cls.of(text, [change], explanation) for change in changes)

    @classmethod
    def merged(cls, edits: Iterable[Edit]) -> Edit:
        """Edits of different places as one."""
        return cls(tuple(sorted(change for edit in edits for change in edit.changes)), "")

    def apply(self, text: str) -> str:
        """The report with the changes made."""
        pieces, last = [], 0
        for change in self.changes:
            pieces += [text[last : change.start], change.words]
            last = change.end
        return "".join([*pieces, text[last:]])

    def spans(self, text: str) -> tuple[LabelledSpan, ...]:
        """The label of each change, without white space and punctuation at its ends."""
        return tuple(self._spans(text))

    def _spans(self, text: str) -> Iterator[LabelledSpan]:
        candidate, moved = self.apply(text), 0
        for change in self.changes:
            reference = _trim_span(text, change.start, change.end)
            start = change.start + moved
            candidate_span = _trim_span(candidate, start, start + len(change.words))
            moved += len(change.words) - (change.end - change.start)
            if candidate_span is None and reference is not None:
                # What is left of a deletion may be no more than a capital letter.
                yield LabelledSpan(reference.of(text), reference, None)
            elif candidate_span is not None:
                yield _narrow_label(text, candidate, reference, candidate_span)


def _narrow_label(text: str, candidate: str, reference: Span | None, said: Span) -> LabelledSpan:
    """The label without what both sides share at its ends, if one side is then empty."""
    if reference is None:
        return LabelledSpan(said.of(candidate), None, said)
    old, new = reference.of(text), said.of(candidate)
    if len(new) > len(old):
        added = _inserted_range(old, new)
        if added is not None:
            span = _trim_span(candidate, said.start + added[0], said.start + added[1])
            if span is not None:
                return LabelledSpan(span.of(candidate), None, span)
    elif len(new) < len(old):
        lost = _inserted_range(new, old)
        if lost is not None:
            span = _trim_span(text, reference.start + lost[0], reference.start + lost[1])
            if span is not None:
                return LabelledSpan(span.of(text), span, None)
    return LabelledSpan(new, reference, said)


def _inserted_range(short: str, long: str) -> tuple[int, int] | None:
    """Range of the whole words of ``long`` that ``short`` lacks, if nothing else differs except case."""
    a, b = short.lower().split(" "), long.lower().split(" ")
    front = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if a[front:] != b[front + len(b) - len(a) :]:
        return None
    words = long.split(" ")
    start = len(" ".join(words[:front])) + (front > 0)
    return start, start + len(" ".join(words[front : front + len(b) - len(a)]))


def _trim_span(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start] in _TRIM:
        start += 1
    while start < end and text[end - 1] in _TRIM:
        end -= 1
    return Span(start, end) if start < end else None


def mend_change(text: str, change: Change) -> Change:
    """The change with the article before it, and the capital at the start of a sentence, made to fit.

    >>> change = mend_change("There is a small effusion.", Change(11, 16, "enormous"))
    >>> (change.start, change.words)
    (9, 'an enormous')
    """
    start, end, words = change.start, change.end, change.words
    old = text[start:end].lstrip()
    capital = old[:1].isupper() and not old[:2].isupper() and opens_sentence(text, start)
    if not words.strip() and capital and text[end : end + 1].islower():
        words, end = words + text[end].upper(), end + 1
    before = _ARTICLE.search(text[:start])
    follows = _WORD.match(words + text[end:])
    if before and follows:
        right = article(follows[1])
        if right != before[1].lower():
            shown = _as(before[1], right, upper=text[start:].isupper())
            words, start = shown + text[before.end(1) : start] + words, before.start(1)
    return Change(start, end, words)


def article(phrase: str) -> str:
    """The indefinite article before a phrase.

    >>> article("opacity"), article("unilateral effusion"), article("8 mm nodule")
    ('an', 'a', 'an')
    """
    return "an" if _VOWEL.match(phrase) else "a"


def _as(old: str, new: str, *, upper: bool) -> str:
    if upper:
        return new.upper()
    return new.capitalize() if old[:1].isupper() else new
