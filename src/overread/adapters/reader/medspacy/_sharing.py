"""Findings named once for two statements: "large right and small left effusion", "no effusion but a trace on the left".

Each side with a degree or a denial of its own, and each exception without a noun, becomes a target of its own.
A cue between two findings that weighs them, "atelectasis favored over pneumonia", says something of either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from attrs import evolve

from overread.adapters.lexicon.grammar import SharingWords
from overread.adapters.reader.medspacy._matching import AttributeMatch, ContextMatch, SentenceMatches, TargetMatch
from overread.adapters.reader.medspacy._scope import CHANGES

__all__ = ["share"]

_WEIGHED: Final = {"PROBABLE": "POSSIBLE", "POSSIBLE": "PROBABLE"}

# One letter a word: Denial, degree (S), Change, Left, Right, zone, modifier, joint (&), preposition,
# filler, Target; "x" for any other.
_BEFORE: Final = re.compile(r"(?P<a>[DSCm]*[LR]f?[zm]*)&+(?P<b>[DSC][mSC]*[LR]f?[zm]*)T")
_BEHIND: Final = re.compile(r"T[&pfx]{0,3}(?P<a>[DSm]*p?[LR]f?z*)&+(?P<b>[DS][mS]*f?p?[LR]f?z*)(?![mzS]*T)")
_SIDE_FIRST: Final = re.compile(r"T[&pfx]{0,3}(?P<a>[LR]f{0,2}[DS][mS]*)&+(?P<b>p?[LR]f{0,2}[DS][mS]*)(?![mzS]*T)")


def share(rules: SharingWords, words: Sequence[str], matches: SentenceMatches) -> SentenceMatches:
    """The matches with one more target for each statement that shares the name of another."""
    targets, attributes = matches.targets, matches.attributes
    if not targets:
        return matches
    targets = _weighed(rules, words, targets, matches.cues)
    matches = evolve(matches, targets=targets)
    labels = {label for attribute in attributes for label in attribute.labels}
    sides = list(_sides(rules, _code(rules, words, matches), words, targets)) if labels >= {"left", "right"} else []
    found = [*sides, *_exceptions(rules, words, targets, attributes)]
    if not found:
        return matches
    changed = {index: target for index, target, _ in found}
    kept = [changed.get(index, target) for index, target in enumerate(targets)]
    whole = {index for index, _, _ in sides}
    return evolve(
        matches,
        targets=tuple(sorted([*kept, *(extra for _, _, extra in found)], key=lambda target: target.start)),
        attributes=tuple(_one_sided(attribute, targets, whole) for attribute in attributes),
    )


def _weighed(
    rules: SharingWords, words: Sequence[str], targets: tuple[TargetMatch, ...], cues: Sequence[ContextMatch]
) -> tuple[TargetMatch, ...]:
    """The targets with what a comparison of likelihood says of the one behind it."""
    for cue in cues:
        if cue.category not in _WEIGHED or cue.end > len(words) or words[cue.end - 1] not in rules.scales:
            continue
        index = next((i for i, target in enumerate(targets) if target.start >= cue.end), None)
        if index is not None and index > 0:
            other = ContextMatch(_WEIGHED[cue.category], cue.start, cue.end)
            changed = evolve(targets[index], cues=(*targets[index].cues, other))
            targets = (*targets[:index], changed, *targets[index + 1 :])
    return targets


def _one_sided(attribute: AttributeMatch, targets: Sequence[TargetMatch], parted: set[int]) -> AttributeMatch:
    """A word for both sides before a target that was parted into them names neither."""
    if not {"left", "right"} <= set(attribute.labels):
        return attribute
    owner = next((i for i, target in enumerate(targets) if target.end > attribute.start), None)
    if owner not in parted:
        return attribute
    return evolve(attribute, labels=tuple(label for label in attribute.labels if label not in {"left", "right"}))


def _code(rules: SharingWords, words: Sequence[str], matches: SentenceMatches) -> str:
    code = [_letter(rules, word) for word in words]
    for cue in matches.cues:
        if cue.category in CHANGES:
            code[cue.start : cue.end] = "C" * (min(cue.end, len(words)) - cue.start)
    for attribute in matches.attributes:
        for i in range(attribute.start, attribute.end):
            code[i] = _attribute_letter(attribute)
    for target in matches.targets:
        for i in range(target.start, target.end):
            code[i] = "t" if i > target.start else "T"
    return "".join(code)


def _letter(rules: SharingWords, word: str) -> str:
    if word in rules.denials:
        return "D"
    if word in rules.joints:
        return "&"
    if word in rules.prepositions:
        return "p"
    return "f" if word in rules.fillers else "x"


def _attribute_letter(attribute: AttributeMatch) -> str:
    labels = set(attribute.labels)
    if attribute.kind == "severity":
        return "S"
    if "left" in labels and "right" not in labels:
        return "L"
    if "right" in labels and "left" not in labels:
        return "R"
    if labels >= {"left", "right"}:
        return "x"
    return "m" if attribute.kind == "modifier" else "z"


def _sides(
    rules: SharingWords, code: str, words: Sequence[str], targets: Sequence[TargetMatch]
) -> Iterator[tuple[int, TargetMatch, TargetMatch]]:
    places = {target.start: index for index, target in enumerate(targets)}
    for match in _BEFORE.finditer(code):
        if _differ(match):
            index = places[match.end() - 1]
            first, second = match.span("a"), match.span("b")
            if "C" not in match["b"]:
                # "No change in moderate right and small left effusion": the change is that of both.
                first = (first[1] - len(match["a"].lstrip("C")), first[1])
            yield _parted(rules, words, targets, index, first, second, named=second)
    for match in _behind(code.replace("t", "T")):
        owner = next((i for i, target in enumerate(targets) if target.end - 1 == match.start()), None)
        if owner is not None and _differ(match):
            yield _parted(rules, words, targets, owner, match.span("b"), match.span("a"), named=match.span("a"))


def _behind(code: str) -> Iterator[re.Match[str]]:
    """Two sides behind a finding, each with its degree in front of it or else behind it."""
    side_first = list(_SIDE_FIRST.finditer(code))
    return iter(side_first) if side_first else _BEHIND.finditer(code)


def _differ(match: re.Match[str]) -> bool:
    """Whether the two groups name different sides, or sides of which one has a degree or denial of its own."""
    sides = [next(letter for letter in match[group] if letter in "LR") for group in ("a", "b")]
    return sides[0] != sides[1]


def _parted(
    rules: SharingWords,
    words: Sequence[str],
    targets: Sequence[TargetMatch],
    index: int,
    extra: tuple[int, int],
    rest: tuple[int, int],
    *,
    named: tuple[int, int],
) -> tuple[int, TargetMatch, TargetMatch]:
    """A target without the cues of the words taken from it, and the new target over these words."""
    target = targets[index]
    kept = tuple(cue for cue in target.cues if not _within(cue, extra))
    shared = tuple(cue for cue in target.cues if cue.category != "NEGATED" and not _within(cue, named))
    denials = tuple(ContextMatch("NEGATED", i, i + 1) for i in range(*extra) if words[i] in rules.denials)
    inherited = tuple(
        cue
        for cue in target.cues
        if cue.category == "NEGATED"
        and not _within(cue, rest)
        and not _within(cue, extra)
        and cue.end <= extra[0]
        and cue.end <= rest[0]
    )
    start, end = extra
    if words[start] in rules.denials and end - start > 1:
        start += 1
    new = TargetMatch(target.concept, start, end, (*shared, *denials, *inherited))
    return index, evolve(target, cues=kept), new


def _within(cue: ContextMatch, span: tuple[int, int]) -> bool:
    return span[0] <= cue.start and cue.end <= span[1]


def _exceptions(
    rules: SharingWords, words: Sequence[str], targets: Sequence[TargetMatch], attributes: Sequence[AttributeMatch]
) -> Iterator[tuple[int, TargetMatch, TargetMatch]]:
    """What an exception leaves of a denied finding without naming it: "no effusion other than a trace on the left"."""
    for at in range(len(words) - 2):
        if f"{words[at]} {words[at + 1]}" not in rules.exceptions:
            continue
        denied = [i for i, t in enumerate(targets) if t.end <= at and any(c.category == "NEGATED" for c in t.cues)]
        end = next((i for i in range(at + 2, len(words)) if words[i] in rules.ends), len(words))
        if not denied or any(at <= target.start < end for target in targets):
            continue
        own = [a for a in attributes if at + 2 <= a.start < end and a.kind in {"severity", "side", "zone"}]
        if not own or not any(a.kind in {"severity", "side"} for a in own):
            continue
        stop = own[-1].end
        while stop < end and words[stop] in rules.nouns:
            stop += 1
        index = denied[-1]
        yield index, targets[index], TargetMatch(targets[index].concept, own[0].start, stop, ())
