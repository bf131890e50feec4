"""Counts and lists as models write them: "2. A; B", "2 A", "There are 2.", "two", "None", bullets, numbered lists."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_bullet", "is_filler", "listed", "numbered", "read_count"]

_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_LEAD: Final = (
    r"(?:there\s+(?:is|are|was|were)\s+|(?:a\s+)?total(?:\s+of)?\s*[:=]?\s*|"
    r"(?:the\s+)?(?:total\s+)?(?:number|count)(?:\s+of(?:\s+[a-z]+){0,3}?\s+(?:errors?|findings?))?"
    r"\s*(?:is|are|[:=])?\s*)?"
)
_NOUN: Final = r"(?:(?:clinically\s+)?(?:in|non-?)?significant\s+)?(?:match(?:ed|ing)\s+)?(?:errors?|findings?)\b"
_VERB: Final = (
    r"(?:(?:were|was|are|is|have been)\s+)?(?:found|identified|noted|reported|present|detected|match(?:ed|es)?)"
)
_NOT_A_COUNT: Final = (
    r"(?!\d|[.,]\d|\s*[-–/]\s*\d|\s*(?:mm|cm|%|x\s*\d)|(?:st|nd|rd|th)\b|\s+(?:(?:out\s+)?of|to|or)\b)"
)

_DIGITS: Final = re.compile(
    rf"\s*{_LEAD}[(\[<]?\s*(\d{{1,3}}){_NOT_A_COUNT}\s*[)\]>]?(?:\s*{_NOUN})?(?:\s+{_VERB})?\s*[.:,;)]*\s*",
    re.IGNORECASE,
)
_WORD: Final = re.compile(
    rf"\s*{_LEAD}[(\[<]?({'|'.join(_WORDS)})\b[)\]>]?(?:\s*{_NOUN}(?:\s+{_VERB})?\s*[.:,;]*\s*|\s*(?:[.:,;]+\s*|$))",
    re.IGNORECASE,
)
_NOTHING: Final = re.compile(
    r"\s*[(\[<]?(?:"
    rf"(?:there\s+(?:is|are|was|were)\s+)?(?:none|nil|nothing)(?:\s*(?:$|[.;,:()\]>\n])|\s+{_VERB}|\s+to\s+report)|"
    r"n/?a\b|not\s+applicable|"
    r"(?:there\s+(?:is|are|was|were)\s+)?no(?:\s*(?:$|[.;,)\]>\n])|(?:\s+[a-z-]+){0,4}?\s+(?:errors?|findings?|matches|issues?|"
    rf"discrepanc(?:y|ies))(?:\s*(?:$|[.;,)\]>\n])|\s+{_VERB}|\s+(?:in|to|were|was|are|is|can|could)\b))"
    r")[^.;\n]*[.;]*\s*",
    re.IGNORECASE,
)
_EXCEPTION: Final = re.compile(r"\b(?:except|but|however|other\s+than|apart\s+from|although)\b", re.IGNORECASE)

_BULLET: Final = re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.)])\s+(?=\S)")
_PARTS: Final = re.compile(r"[;\n]")
_NUMBERED_PARTS: Final = re.compile(r"(?:(?<=[.;,])|\n)\s*(?=\d{1,2}[.)]\s)")
_NUMBER: Final = re.compile(r"(\d{1,2})[.)]\s")
_FILLER: Final = re.compile(
    r"(?:none|nothing|nil|n/?a|not\s+applicable|there\s+(?:is|are|was|were)\s+(?:no|none))\b|"
    r"no(?:\s*$|\s+(?:clinically|significant|insignificant|false|missing|missed|errors?|findings?|such|mis\w+|omitted|omissions?|"
    r"comparisons?|discrepanc\w+|issues?|differences?|additional|other|further|incorrect|severity|location)\b)|"
    r"(?:the\s+)?candidate(?:\s+report)?\s+(?:does|did)\s+not\b.*\bany\b",
    re.IGNORECASE,
)


def read_count(text: str) -> tuple[int, str] | None:
    """The count that a text begins with and what follows it, None where it begins with none.

    A measurement, a fraction or "No effusion" is no count.

    >>> read_count("2 A; B"), read_count("There are 2."), read_count("No errors found."), read_count("No effusion")
    ((2, 'A; B'), (2, ''), (0, ''), None)
    """
    if found := _DIGITS.match(text):
        return int(found[1]), text[found.end() :]
    if found := _WORD.match(text):
        return _WORDS.index(found[1].lower()), text[found.end() :]
    found = _NOTHING.match(text)
    if found is None or _EXCEPTION.search(found[0]):
        return None
    return 0, text[found.end() :]


def listed(text: str) -> tuple[str, ...]:
    r"""The items of a list: between semicolons, or one a line.

    >>> listed("- left effusion.\n- None\n- 2 cm nodule")
    ('left effusion', 'None', '2 cm nodule')
    """
    parts = (_BULLET.sub("", part, count=1).strip().strip(" .,") for part in _PARTS.split(text))
    bare = (part[1:-1].strip() if part[:1] + part[-1:] in {"()", "[]", "<>"} else part for part in parts)
    return tuple(part for part in bare if part and any(map(str.isalnum, part)))


def numbered(text: str) -> tuple[str, ...]:
    """The items of a list numbered 1, 2, ... from its first character, at least two; else nothing.

    >>> numbered("1. clear lungs; 2. normal heart"), numbered("1. clear lungs; normal heart")
    (('clear lungs', 'normal heart'), ())
    """
    parts = [part.strip() for part in _NUMBERED_PARTS.split(text) if part.strip()]
    numbers = [_NUMBER.match(part) for part in parts]
    if len(parts) < 2 or any(n is None or int(n[1]) != i for i, n in enumerate(numbers, start=1)):  # noqa: PLR2004
        return ()
    return tuple(words.strip(" .,;") for part in parts if (words := _NUMBER.sub("", part, count=1)).strip(" .,;"))


def is_filler(item: str) -> bool:
    """Whether an item only says that there is nothing to list."""
    return _FILLER.match(item) is not None


def is_bullet(line: str) -> bool:
    """Whether a line is an item of a bulleted or numbered list."""
    return _BULLET.match(line) is not None
