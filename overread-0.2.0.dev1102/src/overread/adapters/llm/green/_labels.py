"""Labels and names of the six sub-categories as models write them: "(a) False report", "B.", "[3]", a name alone."""

from __future__ import annotations

import re
from typing import Final

from overread.adapters.llm.green._counts import NUMBER_WORD, read_count
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorCategory

__all__ = ["MARKS", "category_named", "has_label", "is_lettered", "label", "name_and_count", "one_a_line"]

_LETTER: Final = re.compile(
    r"(?:[(\[{]\s*([a-f])\s*\.?\s*[)\]}]|([a-f])\s*\)|(?:category|error|type|kind)\s+[(\[]?([a-f])\b[)\]]?)\s*[.:]?\s*",
    re.IGNORECASE,
)
_LOOSE_LETTER: Final = re.compile(r"([a-f])\s*[.:–-]\s+(?=\S)", re.IGNORECASE)
_DIGIT: Final = re.compile(r"[(\[{]\s*([1-6])\s*[)\]}]\s*")
_LOOSE_DIGIT: Final = re.compile(r"([1-6])\s*[.)]\s+")
MARKS: Final = re.compile(r"(?:[^\w(\[{<]|_)*")
"""Bullets, quotation marks and the like before a label."""
_SEPARATOR: Final = re.compile(r":|=|\s[-–—]\s")
_TAIL: Final = re.compile(r"[(\[](\d{1,3})(?:\s+errors?)?[)\]][\s.]*$")
_OFFICIAL: Final = (
    r"(?:False\s+report\b|(?:Missing|Omitting|Omission\s+of)\s+a\s+finding\b|Misidentification\s+of\b|Misassessment\s+of\b|"
    r"Mentioning\s+a\s+comparison\b|Omitting\s+a\s+comparison\b)"
)
_KIND: Final = r"(?:false|mis|mention|omi|wrong|incorrect|hallucinat|fabricat|extra)"
_NAME: Final = re.compile(rf"(?:a\s+|an\s+|the\s+)?{_KIND}", re.IGNORECASE)
_OFFICIAL_NAME: Final = re.compile(_OFFICIAL, re.IGNORECASE)
_NAME_WORDS: Final = 14
_ANY_COUNT: Final = rf"(?:[(\[]?\d|no\b|none\b|nil\b|n/a\b|there\s|(?:{NUMBER_WORD})\b)"
_INLINE: Final = re.compile(
    rf"(?<=[\s;,.])(?:(?=\(?[a-f]\)\s*(?:{_KIND}|[:=-]?\s*{_ANY_COUNT}))|(?=(?:\(?[a-f1-6]\)|[a-f1-6]\.)\s*{_OFFICIAL})|"
    rf"(?={_OFFICIAL}[^:=;\n]{{0,90}}(?:[:=]|\s[-–—]\s)\s*{_ANY_COUNT}))",
    re.IGNORECASE,
)
_LABEL_LIKE: Final = re.compile(
    r"[(\[{]\s*[^\W\d]\s*\.?\s*[)\]}]|\b(?:category|error|type)\s+[(\[]?[a-f]\b", re.IGNORECASE
)
_QUOTED: Final = re.compile(r'"[^"\n]*"|“[^”\n]*”|«[^»\n]*»')


def one_a_line(body: str) -> list[str]:
    """The lines of an error section, each with one sub-category at most."""
    lines: list[str] = []
    for line in body.splitlines():
        for part in _INLINE.sub("\n", line).split("\n"):
            if lines and _is_label_alone(lines[-1]) and part:
                lines[-1] += part
            else:
                lines.append(part)
    return lines


def _is_label_alone(line: str) -> bool:
    return re.fullmatch(r"\W*[a-f1-6]\W{1,4}", line, re.IGNORECASE) is not None and ":" not in line


def label(line: str, *, lettered: bool) -> tuple[ErrorCategory, str] | None:
    """The sub-category that a line without marks states, and the rest of the line; None where it states none.

    A label, or a name from the format, states one whether or not a count follows.

    Args:
        line: to be read.
        lettered: letters are the labels of this section, so that numbers are none.
    """
    if (match := _LETTER.match(line) or _LOOSE_LETTER.match(line)) is not None:
        return ErrorCategory(next(filter(None, match.groups())).upper()), line[match.end() :]
    if not lettered:
        match = _DIGIT.match(line)
        if match is None and (loose := _LOOSE_DIGIT.match(line)) and _leading_category(line[loose.end() :]):
            match = loose
        if match is not None:
            return REXVAL_SIX[int(match[1]) - 1], line[match.end() :]
    named = _leading_category(line)
    return None if named is None else (named, line)


def is_lettered(line: str) -> bool:
    """Returns whether a line, stripped of its marks, begins with a letter as its label."""
    return _LETTER.match(line) is not None


def has_label(text: str) -> bool:
    """Returns whether a text contains what looks like a label, outside quotation marks."""
    return _LABEL_LIKE.search(_QUOTED.sub("", text)) is not None


def _leading_category(text: str) -> ErrorCategory | None:
    """The category whose name a text begins with, if a count follows the name or the name is one of the format."""
    if not _NAME.match(text):
        return None
    name, count = name_and_count(text)
    return category_named(name) if count is not None or _OFFICIAL_NAME.match(text) else None


def name_and_count(text: str) -> tuple[str, str | None]:
    """The name of a category before its count, and the text from the count on; None where there is no count."""
    if read_count(text) is not None:
        return "", text
    separator = _SEPARATOR.search(text)
    name, rest = (text[: separator.start()], text[separator.end() :]) if separator else (text, "")
    if rest.strip() and read_count(rest) is not None:
        return name, rest
    if tail := _TAIL.search(name):
        return name, f"{tail[1]}. {rest}"
    return name, None


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
