"""Lines of an error section: each belongs to a sub-category, denies that there are errors, states a total, or is prose.

A line that is none of these and may tell of an error is refused: what an answer says must not be passed over.
"""

from __future__ import annotations

import re
from typing import Final

from attrs import define, field

from overread.adapters.llm.green._counts import NUMBER_WORD
from overread.adapters.llm.green._denials import denies
from overread.adapters.llm.green._labels import MARKS, has_label, is_lettered, label, one_a_line
from overread.adapters.llm.green._lists import is_bullet
from overread.domain.vocabulary.taxonomy import ErrorCategory

__all__ = ["Entry", "ErrorLines", "is_harmless", "sub_categories"]

_TOTAL: Final = re.compile(
    r"(?:the\s+)?(?:total|sum)(?:\s+(?:number|of|clinically|significant|insignificant|errors?|is)){0,6}\s*[:=]?\s*(\d{1,3})\s*"
    r"(?:(?:clinically\s+)?(?:in)?significant\s+)?(?:errors?)?\W*$",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(
    rf"[^:=;.\n]{{1,60}}[:=]\s*(?:\d{{1,2}}\s*(?:[.;,]|$)|(?:{NUMBER_WORD})\b)|.{{0,60}}\berrors?\b.{{0,20}}[:=]|"
    rf"(?:\d{{1,3}}|{NUMBER_WORD})\b.{{0,30}}\berrors?\b",
    re.IGNORECASE,
)
"""A line that counts something without being a sub-category's."""
_TELLING: Final = re.compile(
    rf"\d|\b(?:{NUMBER_WORD}|(?:false|mis|omi|incorrect|wrong|hallucinat|fabricat|invent|extra|addition|overlook)\w*|"
    r"also|however|but|except|although|laterality)\b",
    re.IGNORECASE,
)


@define
class Entry:
    """A sub-category's own line, without its label, and the lines that follow it."""

    category: ErrorCategory
    text: str
    more: list[str] = field(factory=list)

    @property
    def is_open(self) -> bool:
        """True if the count is yet to come."""
        return not self.more and (not self.text.strip() or self.text.rstrip().endswith(":"))


@define
class ErrorLines:
    """The lines of an error section by kind.

    Attributes:
        denials: lines that say that there are no errors, or none of some kind.
        totals: of errors, as stated.
        prose: lines that belong to nothing and report no error.
        unclaimed: the same, but they may report one.
    """

    entries: list[Entry] = field(factory=list)
    denials: list[str] = field(factory=list)
    totals: list[int] = field(factory=list)
    prose: list[str] = field(factory=list)
    unclaimed: list[str] = field(factory=list)


def sub_categories(body: str) -> ErrorLines:
    """The lines of an error section, sorted."""
    error_lines = ErrorLines()
    lines = one_a_line(body)
    bare = [MARKS.sub("", line, count=1) for line in lines]
    lettered = any(map(is_lettered, bare))
    gap = False
    for line, stripped in zip(lines, bare, strict=True):
        if not stripped:
            gap = True
            continue
        if (stated := label(stripped, lettered=lettered)) is not None:
            error_lines.entries.append(Entry(*stated))
            gap = False
        else:
            _sort(error_lines, line, stripped, gap=gap)
    return error_lines


def _sort(found: ErrorLines, line: str, stripped: str, *, gap: bool) -> None:
    last = found.entries[-1] if found.entries else None
    if last is not None and last.is_open:
        last.more.append(line)
    elif total := _TOTAL.match(stripped):
        found.totals.append(int(total[1]))
    elif denies(stripped) and (last is None or not is_bullet(line)):
        found.denials.append(stripped)
    elif last is not None and (is_bullet(line) or not gap):
        (found.unclaimed if _COUNTS.match(stripped) else last.more).append(line)
    else:
        (found.prose if is_harmless(stripped) else found.unclaimed).append(stripped)


def is_harmless(line: str) -> bool:
    """Returns whether a line that belongs to nothing can be skipped: it has no number, label or kind of error."""
    return not has_label(line) and not _TELLING.search(line)
