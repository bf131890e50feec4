"""CRIMSON's arithmetic: findings that are matched, missed and false, weighed, as one score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen

__all__ = ["ATTRIBUTE_WEIGHTS", "FINDING_WEIGHTS", "MatchedFinding", "crimson_score"]

FINDING_WEIGHTS: Final = {
    "urgent": 1.0,
    "actionable_not_urgent": 0.5,
    "not_actionable_not_urgent": 0.25,
    "benign_expected": 0.0,
    "unknown": 0.25,
}
"""Weight of a finding, as CRIMSON's release has it."""

ATTRIBUTE_WEIGHTS: Final = {"significant": 0.5, "negligible": 0.0, "unknown": 0.25}
"""Weight of an error about an attribute of a matched finding, as CRIMSON's release has it."""


@frozen
class MatchedFinding:
    """A finding of the reference that the candidate has, too: its weight, and those of the errors about it."""

    weight: float
    errors: tuple[float, ...] = ()

    @property
    def credit(self) -> float:
        """The weight w, times w / (w + weights of the errors) if there are any.

        >>> MatchedFinding(1.0).credit, MatchedFinding(0.5, (0.5,)).credit, MatchedFinding(0.0, (0.5,)).credit
        (1.0, 0.25, 0.0)
        """
        return self.weight * self.weight / (self.weight + sum(self.errors)) if self.weight else 0.0


def crimson_score(matched: Sequence[MatchedFinding], missed: Sequence[float], false: Sequence[float]) -> float:
    """CRIMSON's score, above -1 and up to 1, higher is better; 1 for two reports without a finding.

    Args:
        matched: findings of the reference that the candidate has.
        missed: weight of each finding of the reference that it has not.
        false: weight of each finding that only the candidate has.

    One that is matched at no fault, and a false one that asks for as much:

    >>> crimson_score([MatchedFinding(0.5)], [], [0.5])
    0.0
    """
    correct = sum(finding.credit for finding in matched)
    whole = sum(finding.weight for finding in matched) + sum(missed)
    error = sum(false)
    if not whole and not error and not missed:
        return 1.0
    score = (correct - error) / whole if whole else -(error + len(missed) + 1)
    if score >= 0:
        return score
    deficit = error - correct
    return -deficit / (1 + deficit) if deficit > 0 else 0.0
