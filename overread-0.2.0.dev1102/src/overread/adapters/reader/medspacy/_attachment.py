"""Attachment of attributes to findings: the words between them decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from attrs import evolve, field, frozen

from overread.adapters.lexicon.grammar import AttachmentWords
from overread.adapters.reader.medspacy._matching import AttributeMatch, TargetMatch

__all__ = ["attach", "inherit", "taken_for"]


_UNSETTLED: Final = frozenset(
    {"NEGATED", "NEVER", "POSSIBLE", "PROBABLE", "HYPOTHETICAL", "LIMITATION", "HISTORICAL", "FAMILY"}
)
_INFERRED: Final = frozenset({"PROBABLE", "POSSIBLE", "DEFINITE"})


def attach(
    rules: AttachmentWords, words: tuple[str, ...], targets: Sequence[TargetMatch], attributes: Sequence[AttributeMatch]
) -> list[list[AttributeMatch]]:
    """Attributes of each target, by the position of the targets.

    An attribute inside a target is the target's. One right before a finding belongs to it ("effusion at the base
    and left pneumothorax"). One behind a preposition ("effusion at the left base") belongs to the findings
    before it, and to all of a list ("atelectasis or consolidation at the left base"). Any other belongs to the
    finding it leads to ("small left effusion"), or else to the one before it ("effusion, small").
    """
    sentence = _Sentence(rules, words, targets, attributes)
    owned: list[list[AttributeMatch]] = [[] for _ in targets]
    for attribute in attributes:
        for owner in sentence.owners(attribute):
            owned[owner].append(attribute)
    return owned


def inherit(
    rules: AttachmentWords,
    words: Sequence[str],
    targets: Sequence[TargetMatch],
    attributes: Sequence[AttributeMatch],
    owned: Sequence[list[AttributeMatch]],
    takes: Iterable[int],
) -> None:
    """Gives diagnoses the side and zone of the sign that they explain: "left basal density, probably atelectasis".

    The sign need be no finding that is known: "left base is grayer, likely atelectasis". What joins the two is a word
    of doubt or certainty, or one of ``rules.explaining``; where the sentence names several sides before, none is
    inherited.

    Args:
        rules: the words that join and part.
        words: of the sentence.
        targets: findings of the sentence.
        attributes: all of the sentence.
        owned: the attributes of each target, which grow.
        takes: the targets that may lie on a side.
    """
    for index in takes:
        target = targets[index]
        if any(a.side for a in owned[index]):
            continue
        before = [a for a in attributes if a.kind == "side" and a.end <= target.start]
        if not before or len({a.side for a in before}) > 1 or not before[-1].side:
            continue
        if _explains(rules, words, before[-1].end, target) or _follows(rules, words, targets, owned, index):
            owners = [group for group in owned if before[-1] in group]
            zones = [a for group in owners for a in group if a.kind == "zone" and a.end <= target.start]
            own = any(a.kind == "zone" for a in owned[index])
            owned[index].extend(dict.fromkeys([before[-1], *(() if own else zones)]))


def taken_for(
    rules: AttachmentWords,
    words: Sequence[str],
    targets: Sequence[TargetMatch],
    attributes: Sequence[AttributeMatch],
    explains_away: Callable[[str, str], bool],
) -> tuple[TargetMatch, ...]:
    """The targets without those that are said to be something harmless: "the rounded density is a nipple shadow".

    What a sentence is sure of alone explains anything away; one of ``rules.identities`` joins the two.

    Args:
        rules: the words that join and part.
        words: of the sentence.
        targets: findings of the sentence.
        attributes: all of the sentence.
        explains_away: whether the second concept is harmless, and taken for the first.
    """
    covered = _word_indices(attributes)
    result: list[TargetMatch] = []
    for target in targets:
        seen = result[-1] if result else None
        if seen is not None and explains_away(seen.concept, target.concept) and _is_sure(seen, target):
            gap = [words[i] for i in range(seen.end, target.start) if i not in covered]
            if gap and gap[-1] in rules.identities and rules.prepositions.issuperset(gap[:-1]):
                result[-1] = evolve(target, start=seen.start)
                continue
        result.append(target)
    return tuple(result)


def _is_sure(*targets: TargetMatch) -> bool:
    return _UNSETTLED.isdisjoint(cue.category for target in targets for cue in target.cues)


def _explains(rules: AttachmentWords, words: Sequence[str], start: int, target: TargetMatch) -> bool:
    """Return whether words from a sign to a target, or behind it, say that one is the other."""
    between = words[start : target.start]
    if not rules.parting.isdisjoint(between):
        return False
    link = max((i for i, word in enumerate(between) if word in rules.explaining), default=None)
    if link is not None and rules.adding.isdisjoint(between[link:]):
        return True
    cues = [cue for cue in target.cues if cue.category in _INFERRED and cue.start >= start]
    return any(words[cue.start - 1] not in rules.adding or words[cue.start] in rules.going_on for cue in cues)


def _follows(
    rules: AttachmentWords,
    words: Sequence[str],
    targets: Sequence[TargetMatch],
    owned: Sequence[Sequence[AttributeMatch]],
    index: int,
) -> bool:
    """Return whether a target stands right behind another of the same place, or is the other of two possibilities."""
    if index == 0 or not any(a.side for a in owned[index - 1]):
        return False
    gap = words[targets[index - 1].end : targets[index].start]
    return not gap or (len(gap) == 1 and gap[0] in rules.alternatives)


def _word_indices(attributes: Iterable[AttributeMatch]) -> frozenset[int]:
    return frozenset(i for attribute in attributes for i in range(attribute.start, attribute.end))


@frozen
class _Sentence:
    """The findings and attributes among a sentence's words; ``covered`` are the words of attributes."""

    rules: AttachmentWords
    words: tuple[str, ...]
    targets: Sequence[TargetMatch]
    attributes: Sequence[AttributeMatch]
    covered: frozenset[int] = field(init=False)

    @covered.default
    def _words_of_attributes(self) -> frozenset[int]:
        return _word_indices(self.attributes)

    def owners(self, attribute: AttributeMatch) -> Sequence[int]:
        """The targets an attribute belongs to."""
        words, targets = self.words, self.targets
        for index, target in enumerate(targets):
            if target.start < attribute.end and attribute.start < target.end:
                return [index]
        before, after = self._nearest_before(attribute), self._nearest_after(attribute)
        if before is not None and (
            self._closes(before, attribute) or (after is not None and self._is_taken_up(before, after))
        ):
            return [before]
        # Nobody repeats the side for each finding of a list; a degree or a zone is said of its first item alone.
        if after is not None and self._is_right_before(attribute, after):
            return self._list_after(after) if attribute.kind == "side" else [after]
        if before is not None and self._is_behind_preposition(attribute, targets[before].end):
            return self._list_before(before)
        if after is not None and self._leads_to(words[attribute.end : targets[after].start]):
            return self._list_after(after) if attribute.kind == "side" else [after]
        owner = after if before is None else before
        return [] if owner is None else [owner]

    def _nearest_before(self, attribute: AttributeMatch) -> int | None:
        candidates = [i for i, t in enumerate(self.targets) if t.end <= attribute.start]
        between = self.words[self.targets[candidates[-1]].end : attribute.start] if candidates else ()
        return None if not candidates or self.rules.clause_ends.intersection(between) else candidates[-1]

    def _nearest_after(self, attribute: AttributeMatch) -> int | None:
        after = next((i for i, t in enumerate(self.targets) if t.start >= attribute.end), None)
        between = self.words[attribute.end : self.targets[after].start] if after is not None else ()
        return None if self.rules.clause_ends.intersection(between) else after

    def _is_taken_up(self, before: int, after: int) -> bool:
        """Return whether attributes alone take up the finding before: "effusions, small right, moderate left"."""
        target = self.targets[after]
        if self.targets[before].concept != target.concept:
            return False
        own = range(target.start, target.end)
        if not any(a.kind in {"side", "severity"} and a.start in own for a in self.attributes):
            return False
        rest = [self.words[i] for i in own if i not in self.covered]
        return len(rest) < len(own) and all(w in self.rules.prepositions or w in self.rules.placing for w in rest)

    def _closes(self, before: int, attribute: AttributeMatch) -> bool:
        """Return whether an attribute closes the clause of the finding before: "effusion is small, left lung clear"."""
        if self.words[attribute.end : attribute.end + 1] != (",",) or attribute.kind == "modifier":
            return False
        between = self.words[self.targets[before].end : attribute.start]
        return between in ((), ("is",)) or (between == (",",) and attribute.kind in {"side", "severity"})

    def _is_behind_preposition(self, attribute: AttributeMatch, limit: int) -> bool:
        """Return whether a preposition introduces the run of attributes that this one stands in."""
        position = attribute.start - 1
        while position >= limit and (position in self.covered or self.words[position] in self.rules.run_words):
            position -= 1
        return position >= limit and self.words[position] in self.rules.prepositions

    def _is_right_before(self, attribute: AttributeMatch, after: int) -> bool:
        """Return whether only attributes separate an attribute from a finding, and no "in" or "at" precedes a place.

        Dictation leaves out the mark between two findings: a place behind "in" belongs to the finding before it.
        """
        if not self.covered.issuperset(range(attribute.end, self.targets[after].start)):
            return False
        lead = next((i for i in range(attribute.start - 1, -1, -1) if i not in self.covered), -1)
        is_place = attribute.kind in {"side", "zone", "organ"} and lead >= 0
        return not (
            is_place and self.words[lead] in self.rules.prepositions and self.words[lead] not in self.rules.links
        )

    def _leads_to(self, between: Sequence[str]) -> bool:
        stops = (self.rules.forward_stops, self.rules.clause_ends, self.rules.prepositions)
        return not any(word != "of" and word in listed for word in between for listed in stops)

    def _list_before(self, last: int) -> Sequence[int]:
        """The target and those before it in the same list."""
        first = last
        while first > 0 and self._is_listed(self.targets[first - 1].end, self.targets[first].start):
            first -= 1
        return range(first, last + 1)

    def _list_after(self, first: int) -> Sequence[int]:
        """The target and those behind it in the same list that bring no attribute of their own."""
        last = first
        while last + 1 < len(self.targets) and self._joins(
            self.words[self.targets[last].end : self.targets[last + 1].start]
        ):
            if self._has_side(self.targets[last + 1]):
                break
            last += 1
        return range(first, last + 1)

    def _has_side(self, target: TargetMatch) -> bool:
        """Return whether a target's own words name its side: "left lower lobe collapse"."""
        return any(a.kind == "side" and target.start <= a.start and a.end <= target.end for a in self.attributes)

    def _is_listed(self, start: int, end: int) -> bool:
        described = _word_indices(a for a in self.attributes if a.kind in {"modifier", "severity"})
        return self._joins([self.words[i] for i in range(start, end) if i not in described])

    def _joins(self, between: Sequence[str]) -> bool:
        return bool(between) and self.rules.list_words.issuperset(between)
