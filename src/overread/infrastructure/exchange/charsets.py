"""Characters that a program of Windows wrote and another took for those of ISO 8859-1."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["WINDOWS", "has_controls", "mended"]

WINDOWS: Final = "cp1252"
"""Python's name of Windows-1252."""

_CONTROLS: Final = re.compile("[\x80-\x9f]")
_UNDEFINED: Final = frozenset({0x81, 0x8D, 0x8F, 0x90, 0x9D})
_MENDED: Final = {code: bytes([code]).decode(WINDOWS) for code in range(0x80, 0xA0) if code not in _UNDEFINED}


def has_controls(text: str) -> bool:
    """Whether a text holds control characters of the second set (C1), which no report has."""
    return _CONTROLS.search(text) is not None


def mended(text: str) -> str:
    r"""A text in which such control characters are what Windows-1252 has at their place, as HTML takes them.

    >>> mended("the patient\x92s nodule \x96 5 mm")
    'the patient\u2019s nodule \u2013 5 mm'
    """
    return text.translate(_MENDED) if has_controls(text) else text
