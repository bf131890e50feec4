"""Reports that are the source of a document instead of its text."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["markup_of"]

_RTF: Final = re.compile(r"\{\s*\\\s*rtf", re.IGNORECASE)
_PDF: Final = re.compile(r"\s*(?:%PDF-|JVBERi0)")
"""The second is how the first looks in base64."""

_BASE64: Final = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
_CHARACTERS: Final = ("[A-Z]", "[a-z]", "[0-9]")
"""Forty characters of base64 hold one of each; drawn lines have only one kind, and words have no digits."""

_XML: Final = re.compile(r"\s*<(?:\?xml\b|(?:\w+:)?ClinicalDocument\b)")
_TAGS: Final = (
    "html|head|body|meta|title|style|script|p|br|hr|div|span|font|center|table|thead|tbody|tr|td|th|ul|ol|li|dl|dt|dd"
    "|b|i|u|em|strong|pre|code|sup|sub|small|big|blockquote|img|h[1-6]"
)
_HTML: Final = re.compile(rf"<!doctype\s+html|</?(?:{_TAGS})(?:\s+[a-z-]+\s*=[^<>]*)?\s*/?>", re.IGNORECASE)
_ENTITY: Final = re.compile(
    r"&(?:lt|gt|amp|quot|apos|nbsp|deg|plusmn|micro|le|ge|#\d{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE
)


def markup_of(text: str) -> str:
    r"""The format that a text is the source of: "RTF", "HTML", "XML", "PDF" or "base64"; "" for plain text.

    Marks of it would be read as words, and words be lost in them. A tag is one of HTML's, alone or with attributes, so
    that "<5 mm" and "<p 0.05" are none; one entity is enough, since nobody dictates "&lt;5 mm".

    >>> [markup_of(text) for text in (r"{\rtf1\ansi Clear.}", "Clear.<br>", "&lt;5 mm", "nodule <5 mm", "B12 <b or c>")]
    ['RTF', 'HTML', 'HTML', '', '']
    """
    if _RTF.search(text):
        return "RTF"
    if _PDF.match(text):
        return "PDF"
    if _XML.match(text):
        return "XML"
    if _is_encoded(text):
        return "base64"
    return "HTML" if _HTML.search(text) or _ENTITY.search(text) else ""


def _is_encoded(text: str) -> bool:
    """Return whether any line is nothing but base64 of some length."""
    lines = (line.strip() for line in text.splitlines())
    return any(_BASE64.fullmatch(line) and all(re.search(pattern, line) for pattern in _CHARACTERS) for line in lines)
