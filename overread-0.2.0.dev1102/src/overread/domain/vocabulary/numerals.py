"""Numbers in words before a unit of measure or time, and the digits that they stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

__all__ = ["MEASURED", "cardinal", "in_digits"]

_ONES: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TIMES_TEN: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_CARDINALS: Final = {word: number for number, word in enumerate(_ONES)} | {
    word: 10 * tens for tens, word in enumerate(_TIMES_TEN, 2)
}
_NAMES: Final = "|".join(sorted(_CARDINALS, key=len, reverse=True))
_CARDINAL: Final = (
    rf"(?:{_NAMES})(?:[- ](?:{_NAMES}))?(?: (?:point|decimal) (?:{_NAMES})(?: (?:{_NAMES}))?| and a half)?"
)
_UNIT: Final = (
    r"(?:mm|cm|ml|cc|hu|(?:milli|centi)met(?:er|re)s?|(?:milli)?lit(?:er|re)s?|inch(?:es)?|percent|per cent|degrees?"
    r"|hounsfield|hours?|days?|weeks?|months?|years?)\b"
)
_FURTHER: Final = rf"[- ](?:by|x|to|or|and)[- ](?:{_CARDINAL}|\d+(?:\.\d+)?)"
MEASURED: Final = re.compile(
    rf"(?i)\b(?:{_CARDINAL}|half an?)(?=(?:{_FURTHER}){{0,2}}[- ]{_UNIT})|(?<= )a half(?= {_UNIT})"
)
"""Numbers in words before a unit of measure or time: "twenty-five mm", "two by three cm", "one point five"."""

_TENS: Final = 20
_TEN: Final = 10


def in_digits(match: re.Match[str]) -> str | None:
    """The number that a match of `MEASURED` names, in digits; None where it names none."""
    words = match.group().lower()
    if "half" in words and not words.endswith(" and a half"):
        return "0.5"
    whole, _, part = re.sub(r" (?:point|decimal) ", ".", words.replace(" and a half", ".five")).partition(".")
    number = _number(re.split(r"[- ]", whole))
    if number is None:
        return None
    return f"{number}.{''.join(str(_CARDINALS[word]) for word in part.split())}" if part else str(number)


def cardinal(words: Sequence[str]) -> int | None:
    """The number that the first one or two words name; None where they name none.

    >>> cardinal(["three", "ribs"]), cardinal(["twenty", "two"]), cardinal(["ribs"])
    (3, 22, None)
    """
    known = list(takewhile(_CARDINALS.__contains__, words[:2]))
    if not known:
        return None
    number = _number(known)
    return _CARDINALS[known[0]] if number is None else number


def _number(words: Sequence[str]) -> int | None:
    """The number that one or two words name; None where two name none ("five six")."""
    numbers = [_CARDINALS[word] for word in words]
    if len(numbers) == 1:
        return numbers[0]
    tens, ones = numbers
    return tens + ones if tens >= _TENS and 0 < ones < _TEN else None
