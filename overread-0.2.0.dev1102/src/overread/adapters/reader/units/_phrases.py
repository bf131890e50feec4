"""Words of a unit that name its parts: subject, predicate, name, places.

Ranges are of words, ``[start, end)``. A name includes the words right before it that describe it or give its side or
change ("new small left effusion"); words of anatomy that stand before these or apart are a separate place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import frozen

from overread.adapters.lexicon.grammar import NamingWords
from overread.adapters.reader.units._marks import Mark, MarkKind

__all__ = ["Phrasing", "Range", "apart", "led", "runs"]

Range = tuple[int, int]

_EVIDENCE_WITHIN: Final = 5


@frozen
class Phrasing:
    """Parts statements into subject and predicate by the words of the grammar."""

    rules: NamingWords

    def clause(self, words: Sequence[str], marks: Sequence[Mark], core: Range) -> tuple[list[Range], Range] | None:
        """Subjects and predicate of a statement: "heart size is | normal"; None where it has no subject.

        Args:
            words: normalised words.
            marks: marks among them.
            core: the words of the statement itself.
        """
        start, end = core
        start = next((i for i in range(start, end) if words[i] not in self.rules.fillers), start)
        if words[start] in self.rules.negations:
            return None
        placed = {i for mark in marks if mark.kind is MarkKind.PLACE for i in range(mark.start, mark.end)}
        verb = self.verb_of(words, (start, end))
        if verb is not None:
            subject, predicate = (start, verb), (verb + 1, end)
        elif start in placed:
            middle = next((i for i in range(start, end) if words[i] in self.rules.predicates and i not in placed), None)
            last = max(i for i in placed if start <= i < end) + 1
            subject, predicate = (start, middle or last), (middle or last, end)
        else:
            middle = next((i for i in range(start, end) if i in placed), end)
            subject, predicate = (middle, end), (start, middle)
        pieces = [piece for piece in self._split_list(words, subject) if piece[0] < piece[1]]
        predicate = self._trim(words, predicate)
        return (pieces, predicate) if pieces and predicate[0] < predicate[1] else None

    def verb_of(self, words: Sequence[str], span: Range) -> int | None:
        """Position of the verb of a clause, with words on both sides; None where there is none."""
        return next((i for i in range(span[0] + 1, span[1] - 1) if words[i] in self.rules.verbs), None)

    def strip_denial(self, words: Sequence[str], span: Range) -> Range:
        """The words that a denial denies: "no evidence of active disease" denies "active disease"."""
        start, end = self._trim(words, span)
        if start == end or words[start] not in self.rules.negations:
            return start, end
        evidence = next(
            (i for i in range(start, min(end, start + _EVIDENCE_WITHIN)) if words[i] in self.rules.evidence), start
        )
        after = evidence + 1
        while after < end and words[after] in self.rules.links:
            after += 1
        return (after, end) if after < end else (start, end)

    def _split_list(self, words: Sequence[str], span: Range) -> Iterator[Range]:
        start = span[0]
        for i in range(*span):
            if words[i] in self.rules.listing:
                yield start, i
                start = i + 1
        yield start, span[1]

    def _trim(self, words: Sequence[str], span: Range) -> Range:
        start, end = span
        while start < end and words[start] in self.rules.fillers:
            start += 1
        while start < end and words[end - 1] in self.rules.trailing:
            end -= 1
        return start, end


def led(marks: Iterable[Mark], span: Range, *, kinds: frozenset[MarkKind]) -> Range:
    """The range with the marks of some kinds that stand right before it."""
    start, end = span
    for mark in reversed(list(marks)):
        if mark.end == start and mark.kind in kinds:
            start = mark.start
    return start, end


def runs(marks: Iterable[Mark], kinds: frozenset[MarkKind], taken: Iterable[Range]) -> list[Range]:
    """Runs of neighbouring marks of some kinds outside the ranges taken: "left lower lobe"."""
    ranges: list[Range] = []
    taken = list(taken)
    for mark in marks:
        if mark.kind not in kinds or not apart((mark.start, mark.end), taken):
            continue
        if ranges and ranges[-1][1] == mark.start:
            ranges[-1] = (ranges[-1][0], mark.end)
        else:
            ranges.append((mark.start, mark.end))
    return ranges


def apart(span: Range, others: Iterable[Range]) -> bool:
    """Return whether a range overlaps none of the others."""
    return all(span[1] <= start or end <= span[0] for start, end in others)
