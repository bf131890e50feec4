"""White space of a document: layout is left out, and its lines remain."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["tidy_lines"]

_SPACE: Final = re.compile(r"[^\S\n]+")
_GAPS: Final = re.compile(r"\n{3,}")


def tidy_lines(text: str) -> str:
    r"""A text with single blanks, and with one empty line at most between others.

    >>> tidy_lines(" Clear\t lungs. \n\n\n\n5\xa0mm")
    'Clear lungs.\n\n5 mm'
    """
    lines = (_SPACE.sub(" ", line).strip() for line in text.replace("\r\n", "\n").split("\n"))
    return _GAPS.sub("\n\n", "\n".join(lines)).strip()
