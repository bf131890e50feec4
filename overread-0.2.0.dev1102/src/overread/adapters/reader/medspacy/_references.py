"""Sides that are named by one before: "on that side", "the contralateral lung", "in the ipsilateral axilla"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from overread.adapters.lexicon.grammar import ReferenceWords

__all__ = ["SideReference", "references"]

_OPPOSITE: Final = {"left": "right", "right": "left"}


@frozen
class SideReference:
    """Words ``[start, end)`` that mean the side named last, or the one across from it."""

    is_opposite: bool
    start: int
    end: int

    def side(self, named: Sequence[tuple[str, int]], before: str) -> str:
        """The side meant, "" where the text does not tell.

        Args:
            named: the sides that the sentence names, each with its first word, in reading order.
            before: the side that the text before the sentence named last, "" for none.
        """
        earlier = [side for side, at in named if at < self.start and side in _OPPOSITE]
        behind = {side for side, at in named if at >= self.end}
        if earlier:
            meant = earlier[-1]
        elif before:
            meant = before
        else:
            # "Ipsilateral nodes beside the left breast mass": one side behind is no less clear.
            meant = behind.pop() if len(behind) == 1 else ""
        return _OPPOSITE.get(meant, "") if self.is_opposite else meant if meant in _OPPOSITE else ""


def references(rules: ReferenceWords, words: Sequence[str]) -> Iterator[SideReference]:
    """The references among the words of a sentence, in reading order.

    A paired part behind "other" or "that" is left to be read as a part; "side" says nothing more and is taken along.
    """
    for at, word in enumerate(words):
        lead, behind = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        end = at + 2 if behind == "side" else at + 1
        is_part = behind in rules.parts and lead not in rules.not_behind
        is_pointed_at = is_part and word in rules.pointing and lead in rules.prepositions
        if word in rules.same or is_pointed_at or (is_part and word in rules.same_part):
            yield SideReference(is_opposite=False, start=at, end=end)
        elif word in rules.opposite or (is_part and word in rules.opposite_part):
            yield SideReference(is_opposite=True, start=at, end=end)
