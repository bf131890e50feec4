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

_STOPS: Final = frozenset({";", ":", ".", "?"})

# "The ventricles, slit-like before, are dilated": what stands between the commas is beside the statement.
_PREDICATES: Final = frozenset({"is", "has", "have", "appear", "remain", "look", "now"})

# "Ventricles, bigger than in May": a state behind a comma that no noun follows is that of the place before it.
_NOTE_ENDS: Final = frozenset({".", ",", ";", "than", "since", "compared", "as", "again", "now", "in", "on", "at"})


@frozen(init=False, eq=False)
class Composer:
    """Finds substances and states that stand near a place."""

    _matcher: RuleMatcher
    _compositions: tuple[Composition, ...]
    _prepositions: frozenset[str]
    _denials: frozenset[str]

    def __init__(self, knowledge: Knowledge) -> None:
        terms = (
            Term(text, "FINDING", (str(index),))
            for index, composition in enumerate(knowledge.compositions)
            for text in composition.terms
        )
        matcher = RuleMatcher.of(terms, knowledge.normaliser, knowledge.elements)
        grammar = knowledge.grammar
        self.__attrs_init__(matcher, knowledge.compositions, grammar.attachment.prepositions, grammar.clauses.denials)

    def compose(self, words: Sequence[str], limit: int, targets: list[Match], sites: Sequence[Site]) -> list[Match]:
        """The targets with those that substances and states make with places among ``sites``, in reading order."""
        if not sites:
            return targets
        composites = list(self._composites(words, limit, targets, sites))
        return sorted([*targets, *composites], key=lambda match: match.start) if composites else targets

    def _composites(
        self, words: Sequence[str], limit: int, targets: list[Match], sites: Sequence[Site]
    ) -> Iterator[Match]:
        taken = {i for target in targets for i in range(target.start, target.end)}
        free = [site for site in sites if taken.isdisjoint(range(site[1], site[2]))]
        described = {i for _, start, end in sites for i in range(start, end)}
        for match in self._matcher(words, limit) if free else ():
            if not taken.isdisjoint(range(match.start, match.end)) or self._is_no_more(words, match):
                continue
            finding = self._finding(words, match, taken, free, described)
            if finding:
                yield Match(Term(match.term.text, "FINDING", (finding,)), match.start, match.end, match.order)

    def _finding(
        self, words: Sequence[str], match: Match, taken: set[int], sites: Sequence[Site], described: set[int]
    ) -> str:
        """The finding that the nearest listed place makes of a substance or state; "" if none is near.

        Words for sides and places between the two don't count as distance: "a crack in the middle third of the left
        clavicle".
        """
        composition = self._compositions[int(match.term.meaning[0])]
        best = composition.reach + 1
        finding = ""
        for labels, start, end in sites:
            between = range(match.end, start) if match.end <= start else _between(words, end, match, described)
            named = next((composition.places[label] for label in labels if label in composition.places), "")
            apart = sum(i not in described for i in between)
            is_near = apart < best and taken.isdisjoint(between)
            if not named or not is_near or not _PARTS.isdisjoint(words[i] for i in between):
                continue
            if composition.adjectives or self._is_subject(words, match, start, end):
                best, finding = apart, named
        return finding

    def _is_no_more(self, words: Sequence[str], match: Match) -> bool:
        """Return whether a state is compared and denied: ventricles that are "no bigger" need not be big."""
        return words[match.end - 1].endswith("er") and match.start > 0 and words[match.start - 1] in self._denials

    def _is_subject(self, words: Sequence[str], match: Match, start: int, end: int) -> bool:
        """Return whether a state is the place's own: not "enlarged hilar nodes" or "behind the heart is large"."""
        if words[end - 1].endswith(_ADJECTIVES):
            return False
        lead = words[match.end : start] if match.end <= start else words[max(start - 2, 0) : start]
        return (self._prepositions - _OF).isdisjoint(lead)


def _between(words: Sequence[str], end: int, match: Match, described: set[int]) -> range:
    """The words that part a state from a place before it, which ends at ``end``, but for what is told in passing."""
    if words[end] != "," or not _STOPS.isdisjoint(words[end : match.start]):
        return range(end, match.start)
    closing = max((i for i in range(end + 1, match.start) if words[i] == ","), default=None)
    if closing is not None and words[closing + 1] in _PREDICATES:
        return range(closing + 1, match.start)
    lead = range(end + 1, match.start)
    is_note = words[match.end] in _NOTE_ENDS and all(i in described or words[i].endswith("ly") for i in lead)
    return lead if is_note and _PREDICATES.isdisjoint(words[:end]) else range(end, match.start)
