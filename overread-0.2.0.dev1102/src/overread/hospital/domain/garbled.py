"""Texts of which a system on their way lost or changed characters."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["garbled_in"]

_LOST: Final = "\ufffd"

_WINDOWS: Final = "".join(bytes([code]).decode("cp1252", errors="ignore") for code in range(0x80, 0xC0))
_REST: Final = f"[\x80-\xbf{re.escape(_WINDOWS)}]"
_TWICE: Final = re.compile(f"[\u00c2\u00c3\u00ce\u00cf]{_REST}|[\u00e2\u00ef]{_REST}{{2}}")
"""The first byte of a letter, a sign or a mark in UTF-8, and those that go on, as Windows-1252 shows them. Letters with
which words end, such as É before a quotation mark, are not among the first."""


def garbled_in(text: str) -> str:
    r"""Describe the sign that characters of a text were lost or changed in transit; "" if there is none.

    A comparison sign, a degree sign or a dash between numbers may have stood there: "nodule of \ufffd 5 mm" says
    nothing certain, and what stands in place of a sign is read as a word.

    >>> [bool(garbled_in(f"nodule {sign} 5 mm")) for sign in ("\u2265", "\ufffd", "\u00e2\u2030\u00a5")]
    [False, True, True]
    >>> garbled_in("Dr. Andr\u00e9\u2019s \u201cCAF\u00c9\u201d, 37 \u00b0C, 3 \u00b1 1 \u00b5m")
    ''
    """
    if _LOST in text:
        return "a character was lost on the way (U+FFFD stands in its place)"
    if _TWICE.search(text):
        return "its UTF-8 was read as another character set on the way, so that two or three signs stand for one"
    return ""
