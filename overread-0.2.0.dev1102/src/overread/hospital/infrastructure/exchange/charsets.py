"""Bytes as text, where what a sender names and what it writes are not always the same."""

from __future__ import annotations

import codecs
import re
from typing import Final

__all__ = ["WrongCharsetError", "text_of_bytes"]

_WINDOWS: Final = "cp1252"
_UTF8: Final = "utf-8"
_AS_BROWSERS_DO: Final = {"iso8859-1": _WINDOWS}
"""ISO 8859-1 is read as Windows-1252 (https://encoding.spec.whatwg.org/#names-and-labels): what differs are control
characters, which no report has, and quotation marks and dashes, which Windows writes."""

_CONTROLS: Final = re.compile("[\x80-\x9f]")
_UNDEFINED: Final = frozenset({0x81, 0x8D, 0x8F, 0x90, 0x9D})
_MENDED: Final = {code: bytes([code]).decode(_WINDOWS) for code in range(0x80, 0xA0) if code not in _UNDEFINED}


class WrongCharsetError(ValueError):
    """Bytes are of another character set than the one that is named; the message says how that shows."""


def text_of_bytes(data: bytes, charset: str) -> tuple[str, str]:
    r"""The text of bytes, and Python's name of the character set that they were read in.

    No character is replaced or lost. In UTF-8, control characters that somebody made of what Windows-1252 has at their
    place are that again, as HTML takes them.

    Args:
        data: to be read.
        charset: a name that Python knows.

    Raises:
        WrongCharsetError: if the bytes are not of that set, UTF-8 under the name of another included.
        LookupError: if the set is not known.

    >>> text_of_bytes(b"the patient\x92s nodule \x96 5 mm", "latin-1")
    ('the patient\u2019s nodule \u2013 5 mm', 'cp1252')
    """
    name = codecs.lookup(charset).name
    name = _AS_BROWSERS_DO.get(name, name)
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        raise WrongCharsetError(f"byte {error.start + 1} is not in the character set") from None
    if name == _UTF8:
        return text.translate(_MENDED) if _CONTROLS.search(text) else text, name
    if not data.isascii() and _is_utf8(data):
        raise WrongCharsetError("the bytes are UTF-8, but another character set is declared")
    if _CONTROLS.search(text):
        raise WrongCharsetError("there are control characters in place of letters, as in text of a Windows code page")
    return text, name


def _is_utf8(data: bytes) -> bool:
    """Return whether bytes are UTF-8; text of another set with letters beyond ASCII hardly ever is by chance."""
    try:
        data.decode(_UTF8)
    except UnicodeDecodeError:
        return False
    return True
