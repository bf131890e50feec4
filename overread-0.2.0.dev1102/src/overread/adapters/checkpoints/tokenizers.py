"""Rules for any tokenizer: the texts that it can read, and how many words it may know."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["fits_vocabulary", "readable"]

_LEAST_SHARE: Final = 0.9
"""Of a model's word vectors that its tokenizer uses; models are padded to round numbers, but not by more than that."""
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def readable(text: str) -> str:
    r"""The text with halves of surrogate pairs, which no tokenizer takes, replaced.

    >>> readable("a\ud800b")
    'a?b'
    """
    return _LONE_SURROGATE.sub("?", text)


def fits_vocabulary(words: int, vectors: int) -> bool:
    """Return whether a tokenizer with this many words can belong to a model with this many word vectors."""
    return _LEAST_SHARE * vectors <= words <= vectors
