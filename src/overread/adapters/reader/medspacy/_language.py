"""Whether a report is written in a language the reader knows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["foreign_language"]

_WORD: Final = re.compile(r"[^\W\d_]+")
_LEAST_LETTERS: Final = 3
_BEYOND_LATIN: Final = "\u0250"
"""First character after the Latin blocks of Unicode."""

_LEAST_HITS: Final = 3


def foreign_language(text: str, stopwords: Mapping[str, frozenset[str]]) -> str | None:
    """The language of a report that is not English, or None.

    Two signs, overread's own: fewer than half of the letters are Latin, or the function words of another language
    outnumber the English ones (at least three of them, and twice as many).
    """
    letters = [c for c in text if c.isalpha()]
    if len(letters) >= _LEAST_LETTERS and sum(c < _BEYOND_LATIN for c in letters) < len(letters) / 2:
        return "not to be in Latin script"
    words = [w.lower() for w in _WORD.findall(text)]
    hits = {language: sum(w in known for w in words) for language, known in stopwords.items()}
    english = hits.pop("en", 0)
    best = max(hits, key=hits.__getitem__, default=None)
    if best is not None and hits[best] >= _LEAST_HITS and hits[best] >= 2 * english + 2:
        return f"to be in another language ({best})"
    return None
