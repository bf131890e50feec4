"""Pairs too long for the model, read in parts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final

import numpy as np
from attrs import frozen

from overread.domain.differences.cost import tokens

__all__ = ["Window", "windows"]

_SENTENCE_END: Final = re.compile(r"(?<=[.!?;])\s+|\n\s*\n")


@frozen
class Window:
    """A part of the reference and the part of the candidate that is held against it; one of them may be ""."""

    reference: str
    candidate: str


def windows(reference: str, candidate: str, count: Callable[[Sequence[str]], Sequence[int]], room: int) -> list[Window]:
    """Parts of a pair that each fit, in reading order; every word of either report stands in exactly one.

    The report with more tokens is halved at the end of a sentence, and each sentence of the other goes with the half
    that holds the sentence most like it: the one with which it shares most words, rare ones counting more, and among
    equals the one at the nearest place in its report. Halves that do not fit are halved again. A finding and its
    counterpart thus meet in one window also where the reports tell them in another order, so that neither is taken
    for an omission or a fabrication, and no sentence can be counted twice, so that errors may be added up.

    Two limits remain. A sentence that repeats another, or sums up many as impressions do, meets only one of those it
    belongs to. And the model was trained on whole pairs, so a sum over windows is this project's extension, not the
    published score.

    A sentence of more than half the room is cut between words, and a word that is longer still within.

    Args:
        reference: text of the reference.
        candidate: text of the candidate.
        count: number of tokens of each text, without special ones.
        room: tokens that the two parts of a window may have together.
    """
    sides = (_sentences(reference, count, room // 2), _sentences(candidate, count, room // 2))
    return [Window(_text(one), _text(other)) for one, other in _fitting(sides, room)]


@frozen
class _Sentence:
    text: str
    words: frozenset[str]
    tokens: int
    place: float
    """Share of its report's tokens that stand before its middle."""


_Side = Sequence[_Sentence]


def _fitting(sides: tuple[_Side, _Side], room: int) -> list[tuple[_Side, _Side]]:
    sizes = [_size(side) for side in sides]
    cuttable = [index for index, side in enumerate(sides) if len(side) > 1]
    if sum(sizes) <= room or not cuttable:
        return [sides]
    longer = max(cuttable, key=lambda index: sizes[index])
    cut, other = sides[longer], sides[1 - longer]
    middle = _middle(cut)
    is_later = [counterpart >= middle for counterpart in _counterparts(other, cut)]
    parts: list[tuple[_Side, _Side]] = []
    for later, half in ((False, cut[:middle]), (True, cut[middle:])):
        follower = [sentence for sentence, goes_later in zip(other, is_later, strict=True) if goes_later is later]
        parts += _fitting((half, follower) if longer == 0 else (follower, half), room)
    return parts


def _text(side: _Side) -> str:
    return " ".join(sentence.text for sentence in side)


def _size(side: _Side) -> int:
    return sum(sentence.tokens for sentence in side)


def _middle(side: _Side) -> int:
    """Index of the cut that makes the halves about equal in tokens; neither is empty."""
    before = list(accumulate(sentence.tokens for sentence in side))
    return min(range(1, len(side)), key=lambda cut: abs(2 * before[cut - 1] - before[-1]))


def _counterparts(sentences: _Side, others: _Side) -> list[int]:
    """Index of each sentence's counterpart among the others."""
    spread = Counter(word for sentence in (*sentences, *others) for word in sentence.words)
    places = np.array([other.place for other in others])
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, other in enumerate(others):
        for word in other.words:
            holders[word].append(index)

    def counterpart(sentence: _Sentence) -> int:
        likeness = np.zeros(len(others))
        for word in sorted(sentence.words & holders.keys()):  # in one order, so that equals come out equal
            likeness[holders[word]] += 1 / spread[word]
        likest = np.flatnonzero(likeness == likeness.max())
        return int(likest[np.abs(places[likest] - sentence.place).argmin()])

    return [counterpart(sentence) for sentence in sentences]


def _sentences(text: str, count: Callable[[Sequence[str]], Sequence[int]], longest: int) -> list[_Sentence]:
    texts = [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence.strip()]
    sized = [
        piece
        for sentence, size in zip(texts, count(texts), strict=True)
        for piece in ([(sentence, size)] if size <= longest else _pieces(sentence.split(), count, longest))
    ]
    total = sum(size for _, size in sized) or 1
    ends = accumulate(size for _, size in sized)
    return [
        _Sentence(piece, tokens(piece), size, (end - size / 2) / total)
        for (piece, size), end in zip(sized, ends, strict=True)
    ]


def _pieces(
    words: Sequence[str], count: Callable[[Sequence[str]], Sequence[int]], longest: int
) -> list[tuple[str, int]]:
    """Runs of words of at most so many tokens; a word that has more by itself is cut."""
    runs: list[tuple[list[str], int]] = []
    for word, size in _cut_words(words, count, longest):
        if runs and runs[-1][1] + size <= longest:
            runs[-1][0].append(word)
            runs[-1] = (runs[-1][0], runs[-1][1] + size)
        else:
            runs.append(([word], size))
    return [(" ".join(run), size) for run, size in runs]


def _cut_words(
    words: Sequence[str], count: Callable[[Sequence[str]], Sequence[int]], longest: int
) -> list[tuple[str, int]]:
    """The words with their tokens, those of more than so many in halves until they fit."""
    sized = list(zip(words, count(words), strict=True))
    while any(size > longest and len(word) > 1 for word, size in sized):
        parts = [
            part
            for word, size in sized
            for part in ([word] if size <= longest else [word[: len(word) // 2], word[len(word) // 2 :]])
            if part
        ]
        sized = list(zip(parts, count(parts), strict=True))
    return sized
