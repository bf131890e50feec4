"""Findings that a substance or state and its place make together, wherever they stand in the sentence.

"The left pleural cavity now holds liquid" names no effusion, and yet is one: the substance becomes the target, and the
place makes it a finding. So a substance without a place that the lexicon lists is no target at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from overread.adapters.lexicon.loader import Composition, Knowledge
from overread.adapters.lexicon.matching import Match, RuleMatcher, Term

__all__ = ["Composer", "Site"]

Site = tuple[tuple[str, ...], int, int]
"""Labels of an attribute at words ``[start, end)``."""

_ADJECTIVES: Final = ("al", "ar", "ic")

# "A crack in the rib", "fullness of the hilum": what stands in the place is of it.
_OF: Final = frozenset({"of", "in", "to"})

_PARTS: Final = frozenset(
    {",", "and", ";", ":", ".", "?", "but", "although", "though", "while", "whereas", "however", "from"}
)


@frozen(init=False, eq=False)
class Composer:
    """Finds substances and states that stand near a place."""

    _matcher: RuleMatcher
    _compositions: tuple[Composition, ...]
    _prepositions: frozenset[str]

    def __init__(self, knowledge: Knowledge) -> None:
        terms = (
            Term(text, "FINDING", (str(index),))
            for index, composition in enumerate(knowledge.compositions)
            for text in composition.terms
        )
        matcher = RuleMatcher.of(terms, knowledge.normaliser, knowledge.elements)
        self.__attrs_init__(matcher, knowledge.compositions, knowledge.grammar.attachment.prepositions)

    def composed(self, words: Sequence[str], limit: int, targets: list[Match], sites: Sequence[Site]) -> list[Match]:
        """The targets with those that substances and states make with places among ``sites``, in reading order."""
        if not sites:
            return targets
        found = list(self._made(words, limit, targets, sites))
        return sorted([*targets, *found], key=lambda match: match.start) if found else targets

    def _made(self, words: Sequence[str], limit: int, targets: list[Match], sites: Sequence[Site]) -> Iterator[Match]:
        taken = {i for target in targets for i in range(target.start, target.end)}
        free = [site for site in sites if taken.isdisjoint(range(site[1], site[2]))]
        for match in self._matcher(words, limit) if free else ():
            if not taken.isdisjoint(range(match.start, match.end)):
                continue
            finding = self._finding(words, match, taken, free)
            if finding:
                yield Match(Term(match.term.text, "FINDING", (finding,)), match.start, match.end, match.order)

    def _finding(self, words: Sequence[str], match: Match, taken: set[int], sites: Sequence[Site]) -> str:
        """What the nearest listed place makes of a substance or state; "" where none is near."""
        composition = self._compositions[int(match.term.meaning[0])]
        best = composition.reach + 1
        finding = ""
        for labels, start, end in sites:
            between = range(match.end, start) if match.end <= start else range(end, match.start)
            named = next((composition.places[label] for label in labels if label in composition.places), "")
            is_near = len(between) < best and taken.isdisjoint(between)
            if not named or not is_near or not _PARTS.isdisjoint(words[i] for i in between):
                continue
            if composition.adjectives or self._is_subject(words, match, start, end):
                best, finding = len(between), named
        return finding

    def _is_subject(self, words: Sequence[str], match: Match, start: int, end: int) -> bool:
        """Whether a state is that of the place itself: not "enlarged hilar nodes", nor "behind the heart is large"."""
        if words[end - 1].endswith(_ADJECTIVES):
            return False
        lead = words[match.end : start] if match.end <= start else words[max(start - 2, 0) : start]
        return (self._prepositions - _OF).isdisjoint(lead)
