"""Which finding an attribute belongs to: the words between them decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from overread.adapters.reader.medspacy._matching import AttributeMatch, TargetMatch

__all__ = ["attach"]

_CLAUSE_ENDS: Final = frozenset(
    {";", "but", "however", "although", "though", "while", "whereas", "except", "apart", "aside", "-", "?"}
)
# fmt: off
_PREPOSITIONS: Final = frozenset({
    "in", "at", "within", "over", "along", "overlying", "involving", "throughout", "projecting", "near", "about",
    "around", "on", "under", "behind", "of", "to", "from", "into", "adjacent",
})
# fmt: on
_LINKS: Final = frozenset({"of", "to", "from"})
_PLACING: Final = _PREPOSITIONS | {"is", "side", "sided"}
_FORWARD_STOPS: Final = (
    frozenset(["is", "there", "has", "have", "with", "which", "that", "due", ":", "(", ")"]) | _CLAUSE_ENDS
)
_LIST_WORDS: Final = frozenset({",", "and", "or", "nor", "and/or", "plus", "&"})


def attach(
    words: Sequence[str], targets: Sequence[TargetMatch], attributes: Sequence[AttributeMatch]
) -> list[list[AttributeMatch]]:
    """Attributes of each target, by the position of the targets.

    An attribute inside a target is the target's. One right before a finding belongs to it ("effusion at the base
    and left pneumothorax"). One behind a preposition ("effusion at the left base") belongs to the findings
    before it, and to all of a list ("atelectasis or consolidation at the left base"). Any other belongs to the
    finding it leads to ("small left effusion"), or else to the one before it ("effusion, small").
    """
    owned: list[list[AttributeMatch]] = [[] for _ in targets]
    for attribute in attributes:
        for owner in _owners(words, targets, attributes, attribute):
            owned[owner].append(attribute)
    return owned


def _owners(
    words: Sequence[str],
    targets: Sequence[TargetMatch],
    attributes: Sequence[AttributeMatch],
    attribute: AttributeMatch,
) -> list[int]:
    for index, target in enumerate(targets):
        if target.start < attribute.end and attribute.start < target.end:
            return [index]
    before = _nearest_before(words, targets, attribute)
    after = _nearest_after(words, targets, attribute)
    if before is not None and (
        _closes(words, targets[before].end, attribute)
        or (after is not None and _is_taken_up(words, targets, attributes, before, after))
    ):
        return [before]
    if after is not None and _right_before(words, attributes, attribute, targets[after].start):
        return _list_after(words, targets, after) if attribute.kind == "side" else [after]
    if before is not None and _behind_preposition(words, attributes, attribute, targets[before].end):
        return _list_before(words, targets, attributes, before)
    if after is not None and _leads_to(words, attribute.end, targets[after].start):
        return _list_after(words, targets, after) if attribute.kind == "side" else [after]
    owner = after if before is None else before
    return [] if owner is None else [owner]


def _is_taken_up(
    words: Sequence[str], targets: Sequence[TargetMatch], attributes: Sequence[AttributeMatch], before: int, after: int
) -> bool:
    """Whether the finding before is taken up by attributes alone: "effusions, small right, moderate left"."""
    if targets[before].concept != targets[after].concept:
        return False
    covered = {i for a in attributes for i in range(a.start, a.end)}
    own = range(targets[after].start, targets[after].end)
    return any(i in covered for i in own) and all(i in covered or words[i] in _PLACING for i in own)


def _closes(words: Sequence[str], end: int, attribute: AttributeMatch) -> bool:
    """Whether a degree is said of the finding before and closes its clause: "effusion is small, left lung clear"."""
    if attribute.kind != "severity" or attribute.end >= len(words) or words[attribute.end] != ",":
        return False
    return list(words[end : attribute.start]) in ([], ["is"])


def _nearest_before(words: Sequence[str], targets: Sequence[TargetMatch], attribute: AttributeMatch) -> int | None:
    found = [i for i, t in enumerate(targets) if t.end <= attribute.start]
    if not found or _CLAUSE_ENDS.intersection(words[targets[found[-1]].end : attribute.start]):
        return None
    return found[-1]


def _nearest_after(words: Sequence[str], targets: Sequence[TargetMatch], attribute: AttributeMatch) -> int | None:
    found = [i for i, t in enumerate(targets) if t.start >= attribute.end]
    if not found or _CLAUSE_ENDS.intersection(words[attribute.end : targets[found[0]].start]):
        return None
    return found[0]


def _behind_preposition(
    words: Sequence[str], attributes: Sequence[AttributeMatch], attribute: AttributeMatch, limit: int
) -> bool:
    """Whether a preposition introduces the run of attributes that this one stands in."""
    covered = {i for a in attributes for i in range(a.start, a.end)}
    position = attribute.start - 1
    while position >= limit and (position in covered or words[position] in {"and", "or", ",", "lung", "side"}):
        position -= 1
    return position >= limit and words[position] in _PREPOSITIONS


def _right_before(
    words: Sequence[str], attributes: Sequence[AttributeMatch], attribute: AttributeMatch, end: int
) -> bool:
    """Whether nothing but attributes stands between an attribute and a finding, and no "in" or "at" before a place."""
    covered = {i for a in attributes for i in range(a.start, a.end)}
    if not covered.issuperset(range(attribute.end, end)):
        return False
    lead = next((i for i in range(attribute.start - 1, -1, -1) if i not in covered), -1)
    is_place = attribute.kind in {"side", "zone", "organ"} and lead >= 0
    return not (is_place and words[lead] in _PREPOSITIONS - _LINKS)


def _leads_to(words: Sequence[str], start: int, end: int) -> bool:
    between = words[start:end]
    return not _FORWARD_STOPS.intersection(between) and not (_PREPOSITIONS - {"of"}).intersection(between)


def _list_before(
    words: Sequence[str], targets: Sequence[TargetMatch], attributes: Sequence[AttributeMatch], last: int
) -> list[int]:
    """The target and those before it in the same list."""
    first = last
    while first > 0 and _listed(words, attributes, targets[first - 1].end, targets[first].start):
        first -= 1
    return list(range(first, last + 1))


def _list_after(words: Sequence[str], targets: Sequence[TargetMatch], first: int) -> list[int]:
    """The target and those behind it in the same list that bring no attribute of their own."""
    last = first
    while last + 1 < len(targets) and _joined(words[targets[last].end : targets[last + 1].start]):
        last += 1
    return list(range(first, last + 1))


def _joined(between: Sequence[str]) -> bool:
    return bool(between) and set(between) <= _LIST_WORDS


def _listed(words: Sequence[str], attributes: Sequence[AttributeMatch], start: int, end: int) -> bool:
    covered = {i for a in attributes if a.kind in {"modifier", "severity"} for i in range(a.start, a.end)}
    between = [words[i] for i in range(start, end) if i not in covered]
    return bool(between) and set(between) <= _LIST_WORDS
