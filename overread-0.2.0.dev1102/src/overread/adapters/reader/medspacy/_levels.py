"""Levels of lists and ranges: "ribs 5, 6 and 7", "fourth to seventh ribs", "L1 through L4"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from attrs import frozen

from overread.adapters.lexicon import Knowledge
from overread.adapters.lexicon.grammar import LevelWords
from overread.domain.vocabulary.anatomy import Place

__all__ = ["Level", "LevelReader"]

_RIB: Final = "rib"

Level = tuple[tuple[str, ...], int, int]
"""Labels of levels at words ``[start, end)``."""


@frozen
class LevelReader:
    """Reads the levels that a list or range names.

    Attributes:
        ordinals: numbers of ribs by the words that stand before "rib", or behind it.
        labels: the labels of each level, by its number in `Place`.
    """

    _rules: LevelWords
    ordinals: Mapping[str, int]
    labels: Mapping[int, tuple[str, ...]]

    @classmethod
    def of(cls, knowledge: Knowledge) -> LevelReader:
        """The levels of a lexicon's anatomy."""
        ordinals: dict[str, int] = {}
        labels: dict[int, tuple[str, ...]] = {}
        for rule in knowledge.attributes:
            levels = Place.of(frozenset(rule.labels)).levels
            if rule.kind != "organ" or len(levels) != 1:
                continue
            (number,) = levels
            labels.setdefault(number, rule.labels)
            for term in rule.terms if _RIB in rule.labels else ():
                elements = [set(element.split("|")) for element in term.split()]
                if len(elements) == 2 and {_RIB} in elements:  # noqa: PLR2004 - "fifth rib", "rib 5"
                    ordinals |= dict.fromkeys(elements[elements.index({_RIB}) - 1], number)
        return cls(knowledge.grammar.levels, ordinals, labels)

    def read(self, words: Sequence[str], sites: Sequence[Level]) -> Iterator[Level]:
        """The lists and ranges among the words of a sentence.

        Args:
            words: of the sentence.
            sites: the labels of its places, of which vertebrae are used.
        """
        for at, word in enumerate(words):
            if word == _RIB:
                yield from self._ribs(words, at)
        vertebrae = [site for site in sites if _RIB not in site[0] and Place.of(frozenset(site[0])).levels]
        for (first, start, end), (last, other, stop) in pairwise(sorted(vertebrae, key=lambda site: site[1])):
            if all(word in self._rules.ranges for word in words[end:other]):
                low, high = max(Place.of(frozenset(first)).levels), min(Place.of(frozenset(last)).levels)
                if low < high:
                    yield self._level_of(range(low, high + 1), start, stop)

    def _ribs(self, words: Sequence[str], at: int) -> Iterator[Level]:
        behind = list(self._listed_ordinals(words, range(at + 1, len(words))))
        first = at - 1
        while first >= 0 and words[first] in self._rules.between:
            first -= 1
        before = [] if behind else list(self._listed_ordinals(words, range(first, -1, -1)))
        positions = behind or before[::-1]
        if len(positions) > 1:
            numbers = self._numbers(words, positions)
            yield self._level_of(numbers, min(at, positions[0]), max(at, positions[-1]) + 1)

    def _listed_ordinals(self, words: Sequence[str], places: Iterable[int]) -> Iterator[int]:
        """The places of the ordinals that words list, from the one next to the rib on."""
        is_joined = True
        for i in places:
            if words[i] in self.ordinals and not self._is_size(words, i):
                yield i
                is_joined = False
            elif words[i] not in self._rules.joints | self._rules.ranges or (is_joined and words[i] != "and"):
                return
            else:
                is_joined = True

    def _is_size(self, words: Sequence[str], at: int) -> bool:
        return at + 1 < len(words) and words[at + 1] in self._rules.units

    def _numbers(self, words: Sequence[str], found: Sequence[int]) -> set[int]:
        numbers = {self.ordinals[words[at]] for at in found}
        for one, other in pairwise(found):
            # "Ribs 4-7" is two words without a joint.
            if all(word in self._rules.ranges for word in words[one + 1 : other]):
                numbers |= set(range(self.ordinals[words[one]], self.ordinals[words[other]] + 1))
        return numbers

    def _level_of(self, numbers: Iterable[int], start: int, end: int) -> Level:
        labels = (label for number in sorted(numbers) for label in self.labels.get(number, ()))
        return tuple(dict.fromkeys(labels)), start, end
