"""Findings named once for two statements: "large right and small left effusion", "no effusion but a trace on the left".

Each side with a degree or a denial of its own, and each exception without a noun, becomes a target of its own.
A cue between two findings that weighs them, "atelectasis favored over pneumonia", says something of either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from attrs import evolve, frozen

from overread.adapters.lexicon.grammar import SharingWords
from overread.adapters.reader.medspacy._matching import AttributeMatch, ContextMatch, SentenceMatches, TargetMatch
from overread.adapters.reader.medspacy._scope import CHANGES

__all__ = ["share"]

# Whoever calls one finding likely beside another leaves that one open, and the other way round.
_WEIGHED: Final = {"PROBABLE": "POSSIBLE", "POSSIBLE": "PROBABLE"}

_Parted = tuple[int, TargetMatch, TargetMatch]
"""Index of a target, what it becomes, and the target made of the words taken from it."""

# One letter a word: Denial, degree (S), Change, Left, Right, zone, modifier, joint (&), preposition,
# filler, Target; "x" for any other. The order of these kinds decides whether two statements share a name, whatever
# their words; so patterns of kinds tell it. The second statement must have a degree or a denial of its own: with a
# bare side, "right and left effusion", both sides have one statement.
_BEFORE: Final = re.compile(r"(?P<a>[DSCm]*[LR]f?[zm]*)&+(?P<b>[DSC][mSC]*[LR]f?[zm]*)T")
_BEHIND: Final = re.compile(r"T[&pfx]{0,5}(?P<a>[DSm]*p?[LR]f?z*)&+(?P<b>[DS][mS]*f?p?[LR]f?z*)(?![mzS]*T)")
_SIDE_FIRST: Final = re.compile(r"T[&pfx]{0,5}(?P<a>[LR]f{0,2}[DS][mS]*)&+(?P<b>p?[LR]f{0,2}[DS][mS]*)(?![mzS]*T)")

# Each in its own order: "that on the right large, with only a trace on the left".
_SIDE_THEN_DEGREE: Final = re.compile(
    r"T[&pfx]{0,5}(?P<a>[LR]f{0,2}[DS][mS]*)&+f?(?P<b>[DS][mS]*f?p?[LR]f?z*)(?![mzS]*T)"
)
_DEGREE_THEN_SIDE: Final = re.compile(
    r"T[&pfx]{0,5}(?P<a>[DS][mS]*f?p?[LR]f?z*)&+(?P<b>p?[LR]f{0,2}[DS][mS]*)(?![mzS]*T)"
)

# One side before the finding and one behind: "moderate left effusion, with a trace on the right".
_AROUND: Final = re.compile(r"(?P<a>[DSCm]*[LR]f?[zm]*)T+&+f?(?P<b>[DS][mS]*f?p[LR]f?z*)(?![mzS]*T)")


def share(rules: SharingWords, words: Sequence[str], matches: SentenceMatches) -> SentenceMatches:
    """The matches with one more target for each statement that shares the name of another."""
    if not matches.targets:
        return matches
    matches = evolve(matches, targets=_with_likelihoods(rules, words, matches))
    return _Sentence(rules, words, matches).shared()


def _with_likelihoods(rules: SharingWords, words: Sequence[str], matches: SentenceMatches) -> tuple[TargetMatch, ...]:
    """The targets with what a comparison of likelihood says of the one behind it."""
    targets = matches.targets
    for cue in matches.cues:
        if cue.category not in _WEIGHED or cue.end > len(words) or words[cue.end - 1] not in rules.scales:
            continue
        index = next((i for i, target in enumerate(targets) if target.start >= cue.end), None)
        if index is not None and index > 0:
            other = ContextMatch(_WEIGHED[cue.category], cue.start, cue.end)
            changed = evolve(targets[index], cues=(*targets[index].cues, other))
            targets = (*targets[:index], changed, *targets[index + 1 :])
    return targets


@frozen
class _Sentence:
    """A sentence's words and what was found among them."""

    rules: SharingWords
    words: Sequence[str]
    matches: SentenceMatches

    def shared(self) -> SentenceMatches:
        """The matches with the targets parted."""
        targets, attributes = self.matches.targets, self.matches.attributes
        named = {attribute.side for attribute in attributes}
        sides = list(self._sides()) if "both" in named or named >= {"left", "right"} else []
        splits = [*sides, *self._exceptions()]
        if not splits:
            return self.matches
        changed = {index: target for index, target, _ in splits}
        remaining = [changed.get(index, target) for index, target in enumerate(targets)]
        whole = {index for index, _, _ in sides}
        return evolve(
            self.matches,
            targets=tuple(sorted([*remaining, *(extra for _, _, extra in splits)], key=lambda target: target.start)),
            attributes=tuple(self._one_sided(attribute, whole) for attribute in attributes),
        )

    def _one_sided(self, attribute: AttributeMatch, parted: set[int]) -> AttributeMatch:
        """A word for both sides beside a target that was parted into them names neither.

        It stands before the target, or behind it and a preposition: "effusions on both sides: small left, large right".
        """
        if attribute.side != "both":
            return attribute
        targets = self.matches.targets
        index = next((i for i, target in enumerate(targets) if target.end > attribute.start), len(targets))
        if attribute.start and self.words[attribute.start - 1] in self.rules.prepositions:
            index -= 1
        if index not in parted:
            return attribute
        return evolve(attribute, labels=tuple(label for label in attribute.labels if label not in {"left", "right"}))

    def _code(self) -> str:
        code = [self._letter(word) for word in self.words]
        for cue in self.matches.cues:
            if cue.category in CHANGES:
                code[cue.start : cue.end] = "C" * (min(cue.end, len(self.words)) - cue.start)
        for attribute in self.matches.attributes:
            letter = _attribute_letter(attribute)
            for i in range(attribute.start, attribute.end):
                # "Left side", "the other side": one place in two words.
                code[i] = "f" if letter in "LR" and i > attribute.start else letter
        for target in self.matches.targets:
            for i in range(target.start, target.end):
                code[i] = "t" if i > target.start else "T"
        return "".join(code)

    def _letter(self, word: str) -> str:
        if word in self.rules.denials:
            return "D"
        if word in self.rules.joints:
            return "&"
        if word in self.rules.prepositions:
            return "p"
        return "f" if word in self.rules.fillers else "x"

    def _sides(self) -> Iterator[_Parted]:
        code, targets = self._code(), self.matches.targets
        places = {target.start: index for index, target in enumerate(targets)}
        for match in _BEFORE.finditer(code):
            if _differ(match):
                first, second = match.span("a"), match.span("b")
                if "C" not in match["b"]:
                    # "No change in moderate right and small left effusion": the change is that of both.
                    first = (first[1] - len(match["a"].lstrip("C")), first[1])
                yield self._split(places[match.end() - 1], first, second, named=second)
        for match in _behind(code.replace("t", "T")):
            owner = next((i for i, target in enumerate(targets) if target.end - 1 == match.start()), None)
            if owner is not None and _differ(match):
                yield self._split(owner, match.span("b"), match.span("a"), named=match.span("a"))
        for match in _AROUND.finditer(code.replace("t", "T")):
            owner = places.get(match.end("a"))
            if owner is not None and _differ(match) and self._is_one(match.end("a"), match.start("b")):
                yield self._split(owner, match.span("b"), match.span("a"), named=match.span("a"))

    def _is_one(self, start: int, end: int) -> bool:
        """Return whether exactly one target begins among some words."""
        return sum(start <= target.start < end for target in self.matches.targets) == 1

    def _split(self, index: int, extra: tuple[int, int], rest: tuple[int, int], *, named: tuple[int, int]) -> _Parted:
        """A target without the cues of the words taken from it, and the new target over these words.

        A denial in front of both statements is that of both; one between them is that of the second alone.
        """
        target = self.matches.targets[index]
        start, end = extra
        own_cues = tuple(cue for cue in target.cues if not _within(cue, extra))
        shared = tuple(cue for cue in target.cues if cue.category != "NEGATED" and not _within(cue, named))
        denials = tuple(ContextMatch("NEGATED", i, i + 1) for i in range(start, end) if self._denies(i))
        first = min(start, rest[0])
        inherited = tuple(cue for cue in target.cues if cue.category == "NEGATED" and cue.end <= first)
        if self._denies(start) and end - start > 1:
            start += 1
        new = TargetMatch(target.concept, start, end, (*shared, *denials, *inherited))
        return index, evolve(target, cues=own_cues), new

    def _denies(self, at: int) -> bool:
        return self.words[at] in self.rules.denials

    def _exceptions(self) -> Iterator[_Parted]:
        """Yield what an exception leaves of a denied finding without naming it: "no effusion except for a trace"."""
        words, targets = self.words, self.matches.targets
        for at in range(len(words) - 2):
            if f"{words[at]} {words[at + 1]}" not in self.rules.exceptions:
                continue
            denied = [i for i, t in enumerate(targets) if t.end <= at and any(c.category == "NEGATED" for c in t.cues)]
            end = next((i for i in range(at + 2, len(words)) if words[i] in self.rules.ends), len(words))
            if not denied or any(at <= target.start < end for target in targets):
                continue
            described = [a for a in self.matches.attributes if at + 2 <= a.start < end]
            own = [a for a in described if a.kind in {"severity", "side", "zone"}]
            # A zone alone is a place that was looked at, not something that is there.
            if all(a.kind == "zone" for a in own):
                continue
            stop = own[-1].end
            while stop < end and words[stop] in self.rules.nouns:
                stop += 1
            index = denied[-1]
            yield index, targets[index], TargetMatch(targets[index].concept, own[0].start, stop, ())


def _attribute_letter(attribute: AttributeMatch) -> str:
    if attribute.kind == "severity":
        return "S"
    other = "m" if attribute.kind == "modifier" else "z"
    return {"left": "L", "right": "R", "both": "x"}.get(attribute.side, other)


def _behind(code: str) -> Iterator[re.Match[str]]:
    """Two sides behind a finding, each with its degree in front of it or behind it."""
    orders = (_SIDE_FIRST, _SIDE_THEN_DEGREE, _DEGREE_THEN_SIDE)
    matches = next((attempt for order in orders if (attempt := list(order.finditer(code)))), None)
    return iter(matches) if matches else _BEHIND.finditer(code)


def _differ(match: re.Match[str]) -> bool:
    """Return whether the two groups name different sides."""
    sides = [next(letter for letter in match[group] if letter in "LR") for group in ("a", "b")]
    return sides[0] != sides[1]


def _within(cue: ContextMatch, span: tuple[int, int]) -> bool:
    return span[0] <= cue.start and cue.end <= span[1]
