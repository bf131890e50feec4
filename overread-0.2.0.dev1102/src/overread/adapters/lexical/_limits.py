"""Limits of what a metric of words can score: how long a report may be, and what must be left of it as words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import EMPTY_PAIR, Fault, Unscored

__all__ = ["unaffordable", "wordless"]

_WORD: Final = re.compile(r"[^\W_]+")


def unaffordable(pair: ReportPair, max_words: int) -> Unscored | None:
    """The reason a pair is not scored: both reports are empty, or one has more words than ``max_words``; else None.

    A word is a run of letters and digits.
    """
    if pair.is_blank:
        return EMPTY_PAIR
    for side, report in _sides(pair):
        words = _words(report.text, max_words)
        if words > max_words:
            detail = f"{words} words, more than the limit of {max_words}"
            return Unscored("too long", detail, fault=Fault.REPORT).of(side)
    return None


def wordless(pair: ReportPair, has_words: Callable[[str], bool], tokenizer: str) -> Unscored | None:
    """The reason a pair is not scored: a report that isn't blank has no word for the tokenizer; else None.

    Args:
        pair: a pair in which one report may be blank: it has no words, and is scored as such.
        has_words: whether the tokenizer leaves anything of a text.
        tokenizer: its name and what it keeps, for the reason.
    """
    for side, report in _sides(pair):
        if not report.is_blank and not has_words(report.text):
            return Unscored("nothing to read", f"{tokenizer}, and nothing of it is left", fault=Fault.REPORT).of(side)
    return None


def _sides(pair: ReportPair) -> tuple[tuple[Fault, Report], tuple[Fault, Report]]:
    return (Fault.REFERENCE, pair.reference), (Fault.CANDIDATE, pair.candidate)


def _words(text: str, most: int) -> int:
    """Words of a text; 0, uncounted, for one that is too short to have more than ``most``."""
    return sum(1 for _ in _WORD.finditer(text)) if len(text) > 2 * most else 0
