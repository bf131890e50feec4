"""The count that a text begins with: "2. A; B", "2 A", "There are 2.", "two", "None"."""

from __future__ import annotations

import re
from typing import Final

from overread.adapters.llm.green._denials import VERB, denies

__all__ = ["NUMBER_WORD", "read_count"]

_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBER_WORD: Final = "|".join((*_WORDS, "eleven", "twelve", "several", "many", "multiple"))
"""Words that tell a number or hide one."""

_LEAD: Final = (
    r"(?:there\s+(?:is|are|was|were)\s+|(?:a\s+)?total(?:\s+of)?\s*[:=]?\s*|"
    r"(?:the\s+)?(?:total\s+)?(?:number|count)(?:\s+of(?:\s+[a-z]+){0,3}?\s+(?:errors?|findings?))?"
    r"\s*(?:is|are|[:=])?\s*)?"
)
_NOUN: Final = r"(?:(?:clinically\s+)?(?:in|non-?)?significant\s+)?(?:match(?:ed|ing)\s+)?(?:errors?|findings?)\b"
_NOT_A_COUNT: Final = (
    r"(?!\d|[.,]\d|\s*[-–—/\u2044]\s?\d{1,2}(?!\d|\s*[.)]|\s*(?:mm|cm|%))|[-–—/\u2044]|"
    r"\s*(?:mm|cm|%|x\s*\d)|[^\W\d]|\s*[?+½×*&~°=#$]|\s+(?:(?:out\s+)?of|to|or|and)\b)"
)
_DIGITS: Final = re.compile(
    rf"\s*{_LEAD}[(\[<]?\s*(?<![\d.,])(\d{{1,3}}){_NOT_A_COUNT}(?P<told>(?:\s*[)\]>])?(?:\s*{_NOUN})?(?:\s+{VERB})?"
    r"(?:\s*[.:,;)]|[^\S\n]+[-–—](?=\s))*)\s*",
    re.IGNORECASE,
)
_WORD: Final = re.compile(
    rf"\s*{_LEAD}[(\[<]?({'|'.join(_WORDS)})\b(?P<told>[)\]>]?(?:\s*{_NOUN}(?:\s+{VERB})?\s*[.:,;]*|\s*(?:[.:,;]+|$)))\s*",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"\s*([^.;\n]+)[.;\s]*")
_AND_MORE: Final = re.compile(r"(?:and|or|to|out\s+of|of|[-–—&+])\s*\d", re.IGNORECASE)
_NUMBERS: Final = re.compile(r"\W*\d[\d\W]*$")


def read_count(text: str) -> tuple[int, str, bool] | None:
    """The count that a text begins with, what follows it, and whether anything sets the two apart.

    None where the text begins with no count, as with a measurement, a fraction, a range or "No effusion". Where
    nothing sets it apart the number may belong to what follows: "12 ribs".

    >>> read_count("2. A; B"), read_count("There are 2."), read_count("No errors found."), read_count("No effusion")
    ((2, 'A; B', True), (2, '', True), (0, '', True), None)
    """
    for pattern in (_DIGITS, _WORD):
        if match := pattern.match(text):
            rest = text[match.end() :]
            broken = "\n" in text[match.end("told") : match.end()]
            if _NUMBERS.match(rest) or (not broken and _AND_MORE.match(rest)):
                return None
            count = int(match[1]) if match[1].isdecimal() else _WORDS.index(match[1].lower())
            return count, rest, broken or bool(match["told"].strip())
    sentence = _SENTENCE.match(text)
    if sentence is None or not denies(sentence[1], matches=True):
        return None
    return 0, text[sentence.end() :], True
