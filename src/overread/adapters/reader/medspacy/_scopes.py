"""ConText's scopes (Harkema et al. 2009) by the rules of medspaCy 1.3, computed without it.

A cue reaches from where it stands to the end of its sentence, ahead, back or both ways. Another cue of its category
ends its reach, and so does one that terminates. What bears on few findings alone bears on the nearest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import define, field

from overread.adapters.lexicon.loader import ContextRule
from overread.adapters.lexicon.matching import Match

__all__ = ["ScopedCue", "Scopes"]

_TERMINATE: Final = "TERMINATE"
_MUTE: Final = frozenset({_TERMINATE, "PSEUDO"})
"""Directions of cues that bear on nothing themselves."""


@define(eq=False)
class ScopedCue:
    """A cue at words ``[start, end)``, and the words ``[first, last)`` that it reaches."""

    rule: ContextRule
    start: int
    end: int
    first: int
    last: int
    targets: list[Match] = field(factory=list)

    @classmethod
    def of(cls, rule: ContextRule, start: int, end: int, length: int) -> ScopedCue:
        """A cue of a sentence of ``length`` words, which no other cue limits yet."""
        most = length if rule.max_scope is None else rule.max_scope
        ahead, back = min(length, end + most), max(0, start - most)
        match rule.direction:
            case "FORWARD":
                return cls(rule, start, end, end, ahead)
            case "BACKWARD":
                return cls(rule, start, end, back, start)
            case _:
                return cls(rule, start, end, back, ahead)

    @property
    def category(self) -> str:
        """The kind of cue: a denial, a doubt, a change."""
        return self.rule.category

    @property
    def direction(self) -> str:
        """The way that it reaches."""
        return self.rule.direction

    @property
    def modifier_span(self) -> tuple[int, int]:
        """Its own words."""
        return self.start, self.end

    def limit(self, other: ScopedCue) -> None:
        """Ends the reach at another cue that is within it, if that is of the same category or terminates."""
        if self.direction == _TERMINATE or not _overlap((self.first, self.last), (other.first, other.last)):
            return
        if other.direction != _TERMINATE and other.category != self.category:
            return
        if self.direction != "BACKWARD" and other.start > self.start:
            self.last = min(self.last, other.start)
        if self.direction != "FORWARD" and other.end < self.end:
            self.first = max(self.first, other.end)

    def reaches(self, target: Match) -> bool:
        """Return whether a finding is within reach and shares no word with the cue."""
        place = target.start, target.end
        is_apart = self.direction not in _MUTE and not _overlap(self.modifier_span, place)
        return is_apart and _overlap((self.first, self.last), place)

    def choose(self, targets: Iterable[Match]) -> None:
        """Keeps the findings within reach, or as many of them as the rule allows, the nearest first."""
        self.targets = [target for target in targets if self.reaches(target)]
        most = self.rule.max_targets
        if most is not None and len(self.targets) > most:
            self.targets = sorted(self.targets, key=self._distance)[:most]

    def _distance(self, target: Match) -> int:
        return min(abs(self.start - target.end), abs(target.start - self.end))


@define
class Scopes:
    """The cues of a sentence, as ``modifiers``, and which of its findings each bears on, as ``edges``."""

    modifiers: Sequence[ScopedCue]
    edges: Sequence[tuple[Match, ScopedCue]]

    @classmethod
    def of(cls, cues: Iterable[tuple[ContextRule, int, int]], targets: Sequence[Match], length: int) -> Scopes:
        """Link the cues of a sentence to its findings.

        Args:
            cues: rule and words of each.
            targets: findings and normal statements.
            length: words of the sentence.
        """
        scoped = [ScopedCue.of(rule, start, end, length) for rule, start, end in cues]
        for index, one in enumerate(scoped):
            for other in scoped[index + 1 :]:
                one.limit(other)
                other.limit(one)
        for cue in scoped:
            cue.choose(targets)
        return cls(scoped, [(target, cue) for cue in scoped for target in cue.targets])


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Return whether two ranges overlap, as medspaCy sees it: the first must hold an end of the second."""
    return a[0] <= b[0] < a[1] or a[0] < b[1] <= a[1]
