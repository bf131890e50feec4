"""Which report of a table a text is, where the table does not hold the texts: the one whose words stand in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    """Finds the report of a table that a text is, by the words that its units quote.

    Attributes:
        reports: those without a text.
    """

    reports: Sequence[Listed] = field(repr=False)
    _spans: list[list[str]] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self._spans = [[_even(unit.span_text) for unit in listed.units] for listed in self.reports]

    def find(self, text: str, compared: str) -> Listed | None:
        """The report of a text, None where none fits.

        Args:
            text: the whole report.
            compared: the same without what is not compared, whose words must be covered.

        Raises:
            LookupError: if two with other units fit equally well.
        """
        even, length = f" {_even(text)} ", max(1, len(_WORDS.findall(compared)))
        fits: dict[int, float] = {}
        for place, spans in enumerate(self._spans):
            standing = {span for span in spans if f" {span} " in even}
            if not spans or sum(span in standing for span in spans) < _STANDING * len(spans):
                continue
            covered = _covered(standing, even) / length
            if covered >= _COVERED:
                fits[place] = covered
        best = [place for place, share in fits.items() if share == max(fits.values())]
        if len({self.reports[place].units for place in best}) > 1:
            raise LookupError
        return self.reports[best[0]] if best else None


def _covered(spans: set[str], text: str) -> int:
    """Words of a text that stand in any of some spans, each span where it stands first."""
    taken: set[int] = set()
    for span in spans:
        first = text.index(f" {span} ")
        before = text.count(" ", 0, first + 1)
        taken.update(range(before, before + span.count(" ") + 1))
    return len(taken)


def _even(text: str) -> str:
    return " ".join(_WORDS.findall(text.lower()))
