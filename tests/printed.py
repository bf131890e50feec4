"""Comparison of what a page shows with what was printed."""

from __future__ import annotations

import difflib
import re
from typing import Final

_NUMBER: Final = re.compile(r"-?\d+(?:[.,]\d+)*")
_DIGEST: Final = re.compile(r"(?<=[=@#])[0-9a-f]{8,}")
_RATE: Final = re.compile(r"in [\d.]+ s \([\d,]+ \w+/s\)")
_MOST_DIGITS: Final = 6
"""After the point of a number: those behind them may be another processor's."""


def difference(example: str, shown: str, printed: str) -> str:
    """The lines of an example that are printed otherwise than shown."""
    lines = difflib.unified_diff(shown.splitlines(), printed.splitlines(), "shown", "printed", lineterm="", n=1)
    return "\n".join([example, *lines])


def agrees(shown: str, printed: str) -> bool:
    """Return whether a page shows what was printed, but for what "..." leaves out and the last digit of numbers."""
    shown, printed = (_DIGEST.sub("digest", _RATE.sub("in a moment", text)) for text in (shown, printed))
    lines = [line.split() for line in printed.splitlines() if line.strip()]
    place = 0
    for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE):
        wanted = [line.split() for line in part.splitlines() if line.strip()]
        found = next(
            (
                start
                for start in range(place, len(lines) - len(wanted) + 1)
                if all(_is_like(one, other) for one, other in zip(wanted, lines[start:], strict=False))
            ),
            None,
        )
        if found is None:
            return False
        place = found + len(wanted)
    return True


def _is_like(shown: list[str], printed: list[str]) -> bool:
    return len(shown) == len(printed) and all(map(_is_like_word, shown, printed))


def _is_like_word(shown: str, printed: str) -> bool:
    if shown == printed:
        return True
    numbers = _NUMBER.findall(shown), _NUMBER.findall(printed)
    if _NUMBER.sub("#", shown) != _NUMBER.sub("#", printed) or len(numbers[0]) != len(numbers[1]):
        return False
    return all(map(_is_near, *numbers))


def _is_near(shown: str, printed: str) -> bool:
    """Return whether two numbers differ by their last digit at most, of those with a point."""
    if shown == printed:
        return True
    if shown.count(".") != 1 or printed.count(".") != 1:
        return False
    one, other = float(shown.replace(",", "")), float(printed.replace(",", ""))
    return abs(one - other) <= 1.5 * 10.0 ** -min(len(shown.rpartition(".")[2]), _MOST_DIGITS)
