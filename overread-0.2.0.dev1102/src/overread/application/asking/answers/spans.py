"""Finding in a report what a model quotes from it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from overread.application.asking.control_tokens import MARKS
from overread.domain.reports.report import Span

__all__ = ["CLOSE_ENOUGH", "find_quote", "locate", "normalise_quote"]

CLOSE_ENOUGH: Final = 0.85
"""Share of words in common from which a passage counts as what a quote means (overread's choice)."""

_SAME_WORD: Final = 75.0
"""Similarity of two words, 0 to 100, below which they are not the same word misspelt or inflected."""
_LEAST_FUZZY: Final = 5
_LONGEST_FUZZY: Final = 500
"""Characters; a shorter or longer quote must stand in the report as it is."""
_LEAST_WITHIN_WORDS: Final = 3
_SENTENCE_END: Final = re.compile(r"[.!?;]\s")
_WIDEST_GAP: Final = 200
"""Characters that the dots of a quote may stand for."""

_QUOTES: Final = "'\"`´‘’‚‛“”„‟«»‹›"  # noqa: RUF001 - reports and models use them all
_DASHES: Final = "-‐‑‒–—―−"  # noqa: RUF001
_ELISION: Final = re.compile(r"\.{3,}|…|\[…\]")
_WORD: Final = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")


def locate(quote: str, text: str, threshold: float = CLOSE_ENOUGH) -> Span | None:
    """Find the first good match of a quote in a text; None if there is none.

    Tried in this order: `find_quote`; then the passage that shares most words with the quote, if the shared words make
    up at least ``threshold`` of both (twice their number over the words of quote and passage). A misspelt or inflected
    word counts in part, a different number not at all.

    >>> locate("small plueral effusion", "There is a small pleural effusion.")
    Span(start=11, end=33)
    >>> locate("8 mm nodule", "A 5 mm nodule.") is None
    True
    """
    return find_quote(quote, text) or _nearest(quote, text, threshold)


def find_quote(quote: str, text: str) -> Span | None:
    """Find a quote in a text word for word; None if nowhere.

    Case, white space, the kinds of dashes and quotation marks, and punctuation around the quote do not matter, and
    dots within it may stand for up to 200 characters of one sentence. Nor does white space after a bracket, where
    `inert` puts some. Whole words are found before parts of words.

    >>> find_quote("“Small … effusion.”", "There is a small left effusion.")
    Span(start=11, end=30)
    """
    exact = quote.strip()
    if not any(map(str.isalnum, exact)):
        return None
    if (start := _find(exact, text)) >= 0:
        return Span(start, start + len(exact))
    folded, origin = _fold_text(text)
    bare = normalise_quote(quote)
    parts = [part for part in map(_bare, _ELISION.split(bare)) if part]
    for start, end in _passages(parts, folded):
        return Span(origin[start], origin[end - 1] + 1)
    if len(bare) >= _LEAST_WITHIN_WORDS and (start := folded.find(bare)) >= 0:
        return Span(origin[start], origin[start + len(bare) - 1] + 1)
    return None


def normalise_quote(quote: str) -> str:
    """A quote without what `find_quote` passes over: two that are equal then are the same words.

    >>> normalise_quote("“No  Effusion.”")
    'no effusion'
    """
    return _bare(_fold_text(quote)[0])


def _bare(quote: str) -> str:
    return quote.strip(f" .,;:…{_QUOTES}")


@lru_cache(maxsize=64)
def _fold_text(text: str) -> tuple[str, Sequence[int]]:
    """A text with case, white space, dashes and quotation marks evened out, and where each character comes from."""
    folded: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(text):
        if character.isspace():
            if folded and (folded[-1] == " " or folded[-1] in MARKS):
                continue
            even = " "
        elif character in _DASHES:
            even = "-"
        elif character in _QUOTES:
            even = "'"
        else:
            even = "" if unicodedata.category(character) == "Cf" else character.lower()
        folded.extend(even)
        origin.extend([index] * len(even))
    return "".join(folded), origin


def _find(quote: str, text: str, start: int = 0) -> int:
    """Offset of whole words in a text; -1 if they are not there."""
    start = text.find(quote, start)
    while start >= 0 and (_is_within_word(text, start) or _is_within_word(text, start + len(quote))):
        start = text.find(quote, start + 1)
    return start


def _is_within_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def _passages(parts: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Passages that hold the parts in order and near one another, from the left."""
    first = _find(parts[0], text) if parts else -1
    while first >= 0:
        end = first + len(parts[0])
        for part in parts[1:]:
            start = _find(part, text, end)
            if not end <= start <= end + _WIDEST_GAP or _SENTENCE_END.search(text, end, start):
                break
            end = start + len(part)
        else:
            yield first, end
        first = _find(parts[0], text, first + 1)


def _nearest(quote: str, text: str, threshold: float) -> Span | None:
    folded, origin = _fold_text(text)
    bare = normalise_quote(quote)
    if not _LEAST_FUZZY <= len(bare) <= min(_LONGEST_FUZZY, 2 * len(folded)):
        return None
    alignment = fuzz.partial_ratio_alignment(bare, folded)
    if alignment is None:
        return None
    quoted = _WORD.findall(bare)
    near = [
        word
        for word in _WORD.finditer(folded)
        if word.start() < alignment.dest_end and word.end() > alignment.dest_start
    ]
    matched = _match_words(quoted, [word[0] for word in near])
    if not matched:
        return None
    passage = near[matched[0][0] : matched[-1][0] + 1]
    shared = sum(similarity for _, similarity in matched)
    if 2 * shared / (len(quoted) + len(passage)) < threshold:
        return None
    return Span(origin[passage[0].start()], origin[passage[-1].end() - 1] + 1)


def _match_words(quoted: Sequence[str], near: Sequence[str]) -> list[tuple[int, float]]:
    """Index and similarity of the words of a passage that stand, in order, for words of the quote."""
    best = [[0.0] * (len(near) + 1) for _ in range(len(quoted) + 1)]
    alike = [[_similarity(one, other) for other in near] for one in quoted]
    for i, row in enumerate(alike, start=1):
        for j, similarity in enumerate(row, start=1):
            best[i][j] = max(best[i - 1][j], best[i][j - 1], best[i - 1][j - 1] + similarity)
    i, j, matched = len(quoted), len(near), []
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            matched.append((j, alike[i][j]))
    return matched[::-1]


def _similarity(one: str, other: str) -> float:
    if one == other:
        return 1.0
    if one[0].isdigit() or other[0].isdigit():
        return 0.0
    return fuzz.ratio(one, other, score_cutoff=_SAME_WORD) / 100.0
