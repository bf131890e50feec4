"""Pairs in which nothing comes again: the worst case of a reader that remembers what it has read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, cycle, islice

from _common import Row, generated

__all__ = ["all_unrepeated", "unrepeated"]

_END = re.compile(r"(?<=[a-zA-Z])(?=\.(?:\s|$)|\n|$)")
"""Where a sentence ends, before its mark."""


def unrepeated(pairs: int, studies: int = 500, sentences: int | None = None) -> Iterator[Row]:
    """Generated pairs, each of whose sentences tells of an image of its own, and every fourth of a size of its own.

    No sentence stands twice, in one pair or in two; each holds a word that no other holds, and every fourth means what
    no other means.

    Args:
        pairs: how many.
        studies: generated studies, four pairs each, which are gone through again and again.
        sentences: of each report, its last; all where omitted.
    """
    images = count(1)
    for number, row in enumerate(islice(cycle(generated(studies)), pairs)):
        texts = {
            side: _END.sub(lambda _: _aside(next(images)), _last(row[side], sentences))
            for side in ("reference", "candidate")
        }
        yield {"id": f"{row['id']}+{number}", **texts}


def all_unrepeated(pairs: int, sentences: int | None = None) -> list[Row]:
    """The same as a list."""
    return list(unrepeated(pairs, sentences=sentences))


def _last(text: str, sentences: int | None) -> str:
    ends = [match.end() for match in _END.finditer(text)]
    if sentences is None or len(ends) <= sentences:
        return text
    return text[ends[-sentences - 1] :].lstrip(". \n")


def _aside(image: int) -> str:
    lengths = (_length(image // 997**power) for power in range(3))
    size = f", {' x '.join(lengths)} mm" if image % 4 == 0 else ""
    return f"{size} (image {image})"


def _length(number: int) -> str:
    """One of 997 lengths from 3 to 102.6 mm."""
    return f"{3 + number % 997 / 10:.1f}"
