"""How far a ConText cue reaches: medspaCy's scopes, cut where a new clause begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from attrs import frozen

__all__ = ["CHANGES", "Range", "Sentence"]

CHANGES: Final = frozenset({"RESOLVED", "WORSENED", "IMPROVED", "NEW", "STABLE"})
"""Categories of cues that compare with an earlier examination."""

_VERBS: Final = frozenset({"is", "remain", "appear", "demonstrate", "show", "has", "have", "persist"})
_CLAUSE_ENDS: Final = frozenset({";", ":", ".", "?", "but"})
_DENIALS: Final = frozenset({"no", "not", "without", "nor", "neither"})
_JOINTS: Final = frozenset({",", "and", "with"})


class Range(Protocol):
    """Words ``[start, end)`` of a sentence."""

    @property
    def start(self) -> int:
        """The first word."""

    @property
    def end(self) -> int:
        """One past the last word."""


@frozen
class Sentence:
    """A sentence's words and where its targets, normal statements, attributes and scope ends stand."""

    words: Sequence[str]
    targets: Sequence[Range]
    normals: frozenset[int]
    degrees: frozenset[int]
    strong_degrees: frozenset[int]
    sides: frozenset[int]
    changes: frozenset[int]
    stops: Sequence[Range]

    def bears_on(self, category: str, cue: Range, index: int) -> bool:
        """Whether a cue that medspaCy links to the target at ``index`` really bears on it."""
        target = self.targets[index]
        if any(self._parts(stop, cue, target) for stop in self.stops):
            return False
        if cue.end <= target.start:
            return not self._ends_before(category, cue, index)
        return target.end > cue.start or not self._belongs_behind(category, cue, index)

    def _parts(self, stop: Range, cue: Range, target: Range) -> bool:
        """Whether a scope end parts a target from a cue; one before a cue's first target, "maybe due to", does not."""
        if cue.end <= target.start:
            first = next(other.start for other in self.targets if other.start >= cue.end)
            return first < stop.start and stop.end <= target.start
        return target.end <= stop.start and stop.end <= cue.start

    def _ends_before(self, category: str, cue: Range, index: int) -> bool:
        """Whether a cue in front ends before the target, at the start of a clause the target or one before it opens."""
        between = [i for i in range(index + 1) if self.targets[i].start >= cue.end]
        if category == "NEGATED":
            return any(self._opens_clause(cue, i) for i in between)
        if category not in CHANGES:
            return False
        reach = self.words[cue.end : self.targets[index].start]
        return not _DENIALS.isdisjoint(reach) or (len(between) > 1 and any(self._is_clause(i) for i in between[1:]))

    def _opens_clause(self, cue: Range, index: int) -> bool:
        """Whether a denial ends before a target: "no pneumothorax, heart is enlarged", "no edema, small effusion".

        A list with "or" goes on ("no edema, large effusion or pneumothorax"), and so does one before its first item.
        """
        target = self.targets[index]
        lead = self.words[cue.end : target.start]
        if "," in lead and self._is_clause(index):
            return True
        first = next(i for i, other in enumerate(self.targets) if other.start >= cue.end)
        if first == index or not {"or", "nor"}.isdisjoint(self.words[cue.end : self._clause_end(cue.end)]):
            return False
        joint = max((i for i in range(cue.end, target.start) if self.words[i] in _JOINTS), default=None)
        if joint is None:
            return False
        if self._has_size(range(joint, target.start)) or target.end in self.changes:
            return True
        new_clause = tuple(self.words[joint - 1 : joint + 1]) == (",", "and")
        return new_clause and first == index - 1 and self._has_verb_behind(index)

    def _has_size(self, lead: range) -> bool:
        """Whether the words before a target give a size of what is there; a denial may well name "large effusion"."""
        is_strong = not self.strong_degrees.isdisjoint(lead) and not self.sides.isdisjoint(lead)
        return is_strong or not self.degrees.isdisjoint(lead)

    def _belongs_behind(self, category: str, cue: Range, index: int) -> bool:
        """Whether a cue behind belongs to a later target: "heart is enlarged and effusion is unchanged"."""
        target = self.targets[index]
        later = [t for t in self.targets[index + 1 :] if t.end <= cue.start]
        if not later:
            return False
        gap = self.words[target.end : later[0].start]
        if self._is_clause(index) or not (_VERBS | {"there"}).isdisjoint(gap):
            return True
        is_splice = "," in gap and {"and", "or", "nor", "with"}.isdisjoint(gap)
        if category in CHANGES:
            return is_splice and cue.start == later[0].end
        return len(later) == 1 and (is_splice or "with" in gap)

    def _is_clause(self, index: int) -> bool:
        """Whether a target is a clause of its own: a normal statement, or one whose words hold a verb."""
        target = self.targets[index]
        return index in self.normals or not _VERBS.isdisjoint(self.words[target.start : target.end])

    def _has_verb_behind(self, index: int) -> bool:
        start = self.targets[index].end
        end = self.targets[index + 1].start if index + 1 < len(self.targets) else len(self.words)
        return not _VERBS.isdisjoint(self.words[start : min(end, self._clause_end(start))])

    def _clause_end(self, start: int) -> int:
        return next((i for i in range(start, len(self.words)) if self.words[i] in _CLAUSE_ENDS), len(self.words))
