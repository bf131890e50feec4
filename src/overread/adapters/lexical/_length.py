"""How long a report may be for a metric of words."""

from __future__ import annotations

import re
from typing import Final

from overread.domain.report import ReportPair
from overread.domain.result import EMPTY_PAIR, Fault, Unscored

__all__ = ["unaffordable"]

_WORD: Final = re.compile(r"[^\W_]+")


def unaffordable(pair: ReportPair, max_words: int) -> Unscored | None:
    """Why a pair is not scored: both reports are empty, or one has more words than ``max_words``; else None.

    A word is a run of letters and digits.
    """
    if pair.is_blank:
        return EMPTY_PAIR
    for side, report in ((Fault.REFERENCE, pair.reference), (Fault.CANDIDATE, pair.candidate)):
        words = _words(report.text, max_words)
        if words > max_words:
            detail = f"{words} words, more than the limit of {max_words}"
            return Unscored("too long", detail, fault=Fault.REPORT).of(side)
    return None


def _words(text: str, most: int) -> int:
    """Words of a text; 0, uncounted, for one that is too short to have more than ``most``."""
    return sum(1 for _ in _WORD.finditer(text)) if len(text) > 2 * most else 0
