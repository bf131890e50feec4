"""Placeholders: what stands in examples of prompts where an answer has words of a report, or of its own.

A weak model repeats examples. Words that no report holds are found in none, and an answer that has one is told at once.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["PLACEHOLDER", "holds_placeholder"]

PLACEHOLDER: Final = re.compile(r"\bXX_[A-Z]+(?:_[A-Z0-9]+)*\b")
"""A placeholder in a prompt, for example ``XX_SPAN_1``."""

_THOUGHT: Final = "</think>"


def holds_placeholder(answer: str) -> bool:
    """Return whether an answer, apart from thoughts before it, repeats a placeholder.

    >>> holds_placeholder("<think>XX_SPAN_1 is the effusion.</think> [effusion]"), holds_placeholder('["XX_SPAN_1"]')
    (False, True)
    """
    return PLACEHOLDER.search(answer.rpartition(_THOUGHT)[2]) is not None
