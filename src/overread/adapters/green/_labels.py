"""Sub-categories of an error section: their lines, whatever labels and names these have."""

from __future__ import annotations

import re
from typing import Final

from attrs import define, field

from overread.adapters.green._counts import is_bullet, read_count
from overread.domain.taxonomy import REXVAL_SIX, ErrorCategory

__all__ = ["Entry", "category_named", "name_and_count", "sub_categories"]

_LETTER: Final = re.compile(r"(?:[(\[]\s*([a-f])\s*[)\]]|([a-f])\s*\))\s*[.:]?\s*", re.IGNORECASE)
_LOOSE_LETTER: Final = re.compile(r"([a-f])\s*[.:–-]\s+", re.IGNORECASE)
_DIGIT: Final = re.compile(r"[(\[]\s*([1-6])\s*[)\]]\s*")
_LOOSE_DIGIT: Final = re.compile(r"([1-6])\s*[.)]\s+")
_MARKS: Final = re.compile(r"[\s>#•*-]*")
_SEPARATOR: Final = re.compile(r":|=|\s[-–—]\s")
_TAIL: Final = re.compile(r"[(\[](\d{1,3})(?:\s+errors?)?[)\]][\s.]*$")
_KIND: Final = r"(?:false|mis|mention|omi|wrong|incorrect|hallucinat|fabricat|extra)"
_NAME: Final = re.compile(rf"(?:a\s+|an\s+|the\s+)?{_KIND}", re.IGNORECASE)
_NAME_WORDS: Final = 14
_INLINE: Final = re.compile(rf"\s(?=\([a-f]\)\s*{_KIND})", re.IGNORECASE)


@define
class Entry:
    """A sub-category's own line, without its label, and the lines that follow it."""

    category: ErrorCategory
    text: str
    more: list[str] = field(factory=list)


def sub_categories(body: str) -> tuple[list[Entry], list[str]]:
    """The sub-categories of an error section in order, and the lines that belong to none."""
    lines = _INLINE.sub("\n", body).splitlines()
    bare = [_MARKS.sub("", line, count=1) for line in lines]
    lettered = any(_LETTER.match(line) for line in bare)
    entries: list[Entry] = []
    prose: list[str] = []
    gap = False
    for line, stripped in zip(lines, bare, strict=True):
        if not stripped:
            gap = True
        elif (label := _label(stripped, lettered=lettered)) is not None:
            entries.append(label)
            gap = False
        elif entries and (is_bullet(line) or not gap or not (entries[-1].text or entries[-1].more)):
            entries[-1].more.append(line)
        else:
            prose.append(stripped)
    return entries, prose


def _label(line: str, *, lettered: bool) -> Entry | None:
    """The sub-category that a line states, if it states one."""
    if (found := _LETTER.match(line)) is not None:
        return Entry(ErrorCategory((found[1] or found[2]).upper()), line[found.end() :])
    if (found := _LOOSE_LETTER.match(line)) is not None and _states(line[found.end() :]):
        return Entry(ErrorCategory(found[1].upper()), line[found.end() :])
    if not lettered:
        found = _DIGIT.match(line)
        if found is None and (loose := _LOOSE_DIGIT.match(line)) and _named_count(line[loose.end() :]):
            found = loose
        if found is not None:
            return Entry(REXVAL_SIX[int(found[1]) - 1], line[found.end() :])
    named = _named_count(line)
    return None if named is None else Entry(named, line)


def _states(text: str) -> bool:
    return read_count(text) is not None or _named_count(text) is not None


def _named_count(text: str) -> ErrorCategory | None:
    """The category whose name a text begins with, if a count follows the name."""
    if not _NAME.match(text):
        return None
    name, count = name_and_count(text)
    return None if count is None else category_named(name)


def name_and_count(text: str) -> tuple[str, tuple[int, str] | None]:
    """The name of a category before its count, and the count with what follows; None where there is no count."""
    if (found := read_count(text)) is not None:
        return "", found
    separator = _SEPARATOR.search(text)
    name, rest = (text[: separator.start()], text[separator.end() :]) if separator else (text, "")
    found = read_count(rest) if rest.strip() else None
    if found is None and (tail := _TAIL.search(name)):
        found = int(tail[1]), rest
    return name, found


def category_named(name: str) -> ErrorCategory | None:
    """The category that a name of a kind of error describes, None where it could be any.

    >>> category_named("Misidentification of a finding's anatomic location/position").label
    'wrong location'
    """
    words = name.lower()
    if len(words.split()) > _NAME_WORDS:
        return None
    for category, sign in _SIGNS.items():
        if sign.search(words):
            return category
    return None


_SIGNS: Final = {
    ErrorCategory.OMITTED_COMPARISON: re.compile(r"\b(?:omi\w+|miss\w+)\b.*\bcomparison|\bcomparison.*\bomi"),
    ErrorCategory.COMPARISON_NOT_IN_REFERENCE: re.compile(r"\bcomparison"),
    ErrorCategory.LOCATION: re.compile(r"\b(?:location|position)"),
    ErrorCategory.SEVERITY: re.compile(r"\bseverity"),
    ErrorCategory.FALSE_FINDING: re.compile(r"\b(?:false(?!\s+negative)|hallucinat|fabricat|extra)"),
    ErrorCategory.OMITTED_FINDING: re.compile(r"\b(?:miss(?:ing|ed)|omi)|false\s+negative"),
}
