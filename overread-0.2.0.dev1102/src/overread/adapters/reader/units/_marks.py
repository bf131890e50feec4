"""Words that place, describe or compare a finding, found by the lexicon's own terms for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from attrs import frozen

from overread.adapters.lexicon import Knowledge
from overread.adapters.lexicon.matching import RuleMatcher, Term
from overread.adapters.reader.units._scheme import Scheme
from overread.domain.findings.unit import Change

__all__ = ["Mark", "MarkKind", "Marker"]


class MarkKind(StrEnum):
    """Kinds of marked words."""

    SIDE = "side"
    PLACE = "place"
    SEVERITY = "severity"
    DESCRIPTION = "description"
    CHANGE = "change"
    IN_PLACE = "in place"
    OUT_OF_PLACE = "out of place"


@frozen
class Mark:
    """Words ``[start, end)`` of a kind, and the lexicon's labels for them."""

    kind: MarkKind
    start: int
    end: int
    labels: tuple[str, ...] = ()


_KINDS: Final = {
    "side": MarkKind.SIDE,
    "zone": MarkKind.PLACE,
    "organ": MarkKind.PLACE,
    "severity": MarkKind.SEVERITY,
    "modifier": MarkKind.DESCRIPTION,
}
_CHANGES: Final = frozenset(change.name for change in Change)
_LEADS: Final = frozenset({"FORWARD", "BIDIRECTIONAL"})
_IGNORED: Final = "ignored"


class Marker:
    """Finds marks: anatomy, sides, severity and description, words of change before a finding, how a device lies."""

    def __init__(self, knowledge: Knowledge, scheme: Scheme) -> None:
        places = [*_attributes(knowledge), *_changes(knowledge)]
        self._marks = RuleMatcher.of(places, knowledge.normaliser, knowledge.elements)
        self._positions = RuleMatcher.of(_positions(scheme), knowledge.normaliser)

    def marks(self, words: Sequence[str]) -> list[Mark]:
        """Marks of a finding's words in reading order, none overlapping another."""
        matches = self._marks(words)
        return [
            Mark(MarkKind(m.term.label), m.start, m.end, m.term.meaning) for m in matches if m.term.label != _IGNORED
        ]

    def positions(self, words: Sequence[str]) -> list[Mark]:
        """Marks on the words that say how a device lies, in reading order."""
        return [Mark(MarkKind(m.term.label), m.start, m.end) for m in self._positions(words)]


def _attributes(knowledge: Knowledge) -> Iterator[Term]:
    for rule in knowledge.attributes:
        for text in rule.terms:
            yield Term(text, _KINDS[rule.kind].value if rule.kind in _KINDS else _IGNORED, rule.labels)


def _changes(knowledge: Knowledge) -> Iterator[Term]:
    """Terms of change of one word, which stand like adjectives: "stable", not "there is stable"."""
    for rule in knowledge.context:
        if rule.category in _CHANGES and rule.direction in _LEADS:
            for text in rule.terms:
                if " " not in text and text not in knowledge.grammar.naming.comparing:
                    yield Term(text, MarkKind.CHANGE.value, ())


def _positions(scheme: Scheme) -> Iterator[Term]:
    for kind, terms in ((MarkKind.IN_PLACE, scheme.in_place), (MarkKind.OUT_OF_PLACE, scheme.out_of_place)):
        for text in terms:
            yield Term(text, kind.value, ())
