"""Paired parts that a sentence is about and does not name: "The right kidney is small. The left shows a stone."."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from overread.adapters.lexicon.grammar import EllipsisWords, ReferenceWords
from overread.adapters.lexicon.words import Words

__all__ = ["PairedSubjects"]

_SIDE_ITSELF = "side"


@frozen
class PairedSubjects:
    """Knows parts of which a body has two, and what stands for one of them."""

    _rules: ReferenceWords
    _sides: frozenset[str]

    @classmethod
    def of(cls, rules: ReferenceWords, ellipsis: EllipsisWords) -> PairedSubjects:
        """The words of a grammar."""
        return cls(rules, ellipsis.sides)

    def named(self, words: Sequence[str]) -> str:
        """The part that a sentence is about: "kidney" in "right kidney is small"; "" where it is about no such part."""
        at = 0
        while at < len(words) and (words[at] in self._sides or words[at] in self._rules.both):
            at += 1
        return words[at] if at < len(words) and self._is_part(words[at]) else ""

    def lacks(self, words: Sequence[str]) -> bool:
        """Return whether a sentence is about a side of what was named before it."""
        return self._gap(words, 0) is not None

    def complete_sides(self, words: Words, part: str) -> Words:
        """The words with the part behind the side that stands for it.

        Args:
            words: of the sentence.
            part: that the sentence before is about, "" for none.
        """
        start = next((i for i, word in enumerate(words.words) if word not in self._rules.both), 0)
        if start and self._is_part(words.words[start]):
            # "Of the two breasts the right is normal".
            part, start = words.words[start], start + 1
        else:
            start = 0
        gap = self._gap(words.words, start)
        if gap is None or not part:
            return words
        first, rest = gap
        return Words(
            (*words.words[:first], part, *words.words[rest:]),
            (*words.starts[:first], words.starts[first - 1], *words.starts[rest:]),
            (*words.ends[:first], words.ends[rest - 1], *words.ends[rest:]),
        )

    def _gap(self, words: Sequence[str], start: int) -> tuple[int, int] | None:
        """The place ``[first, rest)`` of the part behind a side at a word, "one" or nothing; None where it is named."""
        pointing = self._sides | self._rules.opposite | self._rules.opposite_part
        if start >= len(words) or words[start] not in pointing:
            return None
        rest = start + 2 if words[start + 1 : start + 2] == ("one",) else start + 1
        return (start + 1, rest) if rest < len(words) and words[rest] in self._rules.says else None

    def _is_part(self, word: str) -> bool:
        return word in self._rules.parts and word != _SIDE_ITSELF
