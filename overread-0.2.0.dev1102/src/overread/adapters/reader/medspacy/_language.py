"""Recognition of reports in a language that the reader does not know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

__all__ = ["foreign_language"]

_WORD: Final = re.compile(r"[^\W\d_]+")
_LEAST_LETTERS: Final = 3
_BEYOND_LATIN: Final = "\u0250"
"""First character after the Latin blocks of Unicode."""

_LEAST_HITS: Final = 3
_LONG_ENOUGH: Final = 3
"""Letters of a word that tells a language alone: "de" and "la" stand in English reports too."""


def foreign_language(
    text: str, stopwords: Mapping[str, frozenset[str]], vocabulary: AbstractSet[str] = frozenset()
) -> str | None:
    """The language of a report that is not English, or None.

    Three signs, overread's own: fewer than half of the letters are Latin; the words of another language outnumber the
    English ones (at least three of them, and twice as many); or, as in "Kein Erguss.", there is no English function
    word at all and at least as many words are the other language's own as ``vocabulary`` holds.

    Args:
        text: the report.
        stopwords: common words of each language, by its two letters; "en" is English.
        vocabulary: words that English reports are made of, which no other language can claim.
    """
    letters = [c for c in text if c.isalpha()]
    if len(letters) >= _LEAST_LETTERS and sum(c < _BEYOND_LATIN for c in letters) < len(letters) / 2:
        return "not to be in Latin script"
    words = [w.lower() for w in _WORD.findall(text)]
    hits = {language: sum(w in known for w in words) for language, known in stopwords.items()}
    english = hits.pop("en", 0)
    best = max(hits, key=hits.__getitem__, default=None)
    if best is None or not hits[best]:
        return None
    if hits[best] < _LEAST_HITS or hits[best] < 2 * english + 2:
        own = stopwords[best] - stopwords.get("en", frozenset()) - vocabulary
        plain = stopwords.get("en", frozenset()) - vocabulary - stopwords[best]
        telling = sum(len(w) >= _LONG_ENOUGH and w in own for w in words)
        if not telling or telling < sum(w in vocabulary for w in words) or not plain.isdisjoint(words):
            return None
    return f"to be in another language ({best})"
