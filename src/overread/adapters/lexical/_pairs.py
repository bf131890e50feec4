"""What both baselines do with a pair."""

from __future__ import annotations

from collections.abc import Callable

from overread.domain.report import ReportPair
from overread.domain.result import Outcome, Scored, Unscored

__all__ = ["outcome"]


def outcome(pair: ReportPair, score: Callable[[str, str], Scored]) -> Outcome:
    """The score of the two texts, or Unscored where both are empty."""
    if pair.reference.is_blank and pair.candidate.is_blank:
        return Unscored("empty", "both reports are empty")
    return score(pair.reference.text, pair.candidate.text)
