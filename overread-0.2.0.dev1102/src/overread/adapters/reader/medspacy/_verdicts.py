"""Verdicts on findings that a sentence first leaves open: "pneumonia was suspected, but none is seen".

Such a cue takes the finding up by a pronoun, so it reaches over the ends of scopes; it decides only what is open, so
"the effusion is in fact larger" is about an effusion that is there.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping, Sequence
from typing import Final, TypeAlias

from attrs import evolve, frozen

from overread.adapters.reader.medspacy._scope import Range

__all__ = ["OPENING", "VERDICTS", "ContextMatch", "settle"]

OPENING: Final = frozenset({"POSSIBLE", "PROBABLE", "HYPOTHETICAL", "LIMITATION", "SEEMING"})
"""Categories of cues that leave a finding open. What only seems to be there is there, if no verdict follows."""

_YIELDING: Final = frozenset({"LIMITATION", "HYPOTHETICAL"})
"""Those of them that a denial behind the finding overrules: "the concern for pneumonia is unfounded"."""

VERDICTS: Final = frozenset({"REFUTED", "UPHELD"})
"""Categories of cues that say of an open finding that it is not there, or that it is there after all."""


@frozen
class ContextMatch:
    """A ConText cue at words ``[start, end)``."""

    category: str
    start: int
    end: int


_Cues: TypeAlias = MutableMapping[tuple[int, int], list[ContextMatch]]


def settle(targets: Sequence[Range], cues: _Cues, verdicts: Iterable[ContextMatch]) -> None:
    """Replaces the cues that leave findings open by the verdicts on them.

    A verdict is on the open findings right before it. One that opens its sentence is on all of them: "were it not for
    the lateral view, the fracture would have been missed".

    Args:
        targets: of the sentence, in reading order.
        cues: those that bear on each target, by its place.
        verdicts: cues of `VERDICTS`.
    """
    for target in targets:
        place = target.start, target.end
        if any(cue.category == "NEGATED" and cue.start >= target.end for cue in cues.get(place, ())):
            cues[place] = [cue for cue in cues[place] if cue.category not in _YIELDING]
    for verdict in verdicts:
        for target in _decided_targets(targets, cues, verdict):
            remaining = [cue for cue in _others(cues, target, verdict) if cue.category not in OPENING]
            if verdict.category == "REFUTED":
                remaining.append(evolve(verdict, category="NEGATED"))
            cues[target.start, target.end] = remaining
    for place, own in cues.items():
        cues[place] = [cue for cue in own if cue.category != "SEEMING"]


def _decided_targets(targets: Sequence[Range], cues: _Cues, verdict: ContextMatch) -> Iterable[Range]:
    before = [target for target in targets if target.end <= verdict.start]
    if not before and verdict.category == "UPHELD":
        return [target for target in targets if _is_open(cues, target, verdict)]
    decided = []
    for target in reversed(before):
        if not _is_open(cues, target, verdict):
            break
        decided.append(target)
    return decided


def _is_open(cues: _Cues, target: Range, verdict: ContextMatch) -> bool:
    categories = {cue.category for cue in _others(cues, target, verdict)}
    return not categories.isdisjoint(OPENING) and "NEGATED" not in categories


def _others(cues: _Cues, target: Range, verdict: ContextMatch) -> list[ContextMatch]:
    """The cues that bear on a target but for those among the words of a verdict: the "none" of "but none is seen"."""
    own = cues.get((target.start, target.end), ())
    return [cue for cue in own if cue.start < verdict.start or verdict.end < cue.end]
