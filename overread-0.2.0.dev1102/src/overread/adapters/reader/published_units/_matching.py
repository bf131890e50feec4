"""Matching of a text to its report in a table that holds no texts: the one whose words stand in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from attrs import define, field

from overread.adapters.reader.published_units._table import Listed

__all__ = ["WordMatcher"]

_WORDS: Final = re.compile(r"\w+")
_STANDING: Final = 0.8
"""Share of a report's units whose words must stand in the text: parsers misquote some."""

_COVERED: Final = 0.5
"""Share of the text's words that these must make up, so that one common sentence makes no report."""


@define
class WordMatcher:
    """Finds the report of a table that a text is, by the words that its rows quote.

    Attributes:
        reports: those without a text.
    """

    reports: Sequence[Listed] = field(repr=False)
    _quotes: list[list[str]] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self._quotes = [[even for quote in one.quotes if (even := _even(quote))] for one in self.reports]

    def find(self, text: str, compared: str) -> Listed | None:
        """The report of a text, None where none fits.

        Of several the one is taken that covers most of its words, then that which quotes it letter by letter, then that
        which quotes it in order.

        Args:
            text: the whole report.
            compared: what of it a parser tells, whose words must be covered.

        Raises:
            LookupError: if two with other units fit equally well.
        """
        even, length = f" {_even(text)} ", max(1, len(_WORDS.findall(compared)))
        fits: dict[int, tuple[float, float, float]] = {}
        for place, quotes in enumerate(self._quotes):
            starts = _starts(quotes, even)
            if not starts or len(starts) < _STANDING * len(quotes):
                continue
            covered = _count_quoted(starts, even) / length
            if covered >= _COVERED:
                fits[place] = covered, _verbatim(self.reports[place].quotes, text), _share_in_order(starts)
        best = [place for place, fit in fits.items() if fit == max(fits.values())]
        if len({self.reports[place].units for place in best}) > 1:
            raise LookupError
        return self.reports[best[0]] if best else None


def _starts(quotes: Sequence[str], text: str) -> list[tuple[int, str]]:
    """Places of the quotes that stand in a text; a quote given twice is taken at its next place."""
    starts: list[tuple[int, str]] = []
    after: dict[str, int] = {}
    for quote in quotes:
        start = text.find(f" {quote} ", after.get(quote, 0))
        start = start if start >= 0 else text.find(f" {quote} ")
        if start >= 0:
            starts.append((start, quote))
            after[quote] = start + 1
    return starts


def _count_quoted(starts: Sequence[tuple[int, str]], text: str) -> int:
    """Words of a text that stand in any of the quotes."""
    taken: set[int] = set()
    for start, quote in starts:
        before = text.count(" ", 0, start + 1)
        taken.update(range(before, before + quote.count(" ") + 1))
    return len(taken)


def _verbatim(quotes: Sequence[str], text: str) -> float:
    return sum(quote.strip() in text for quote in quotes) / len(quotes)


def _share_in_order(starts: Sequence[tuple[int, str]]) -> float:
    places = [start for start, _ in starts]
    return sum(one <= other for one, other in pairwise(places)) / max(1, len(places) - 1)


def _even(text: str) -> str:
    return " ".join(_WORDS.findall(text.lower()))
