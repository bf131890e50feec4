"""Plain text: a report's characters as a typewriter has them, each with its place in the report as given.

Dictation systems, word processors and HL7 write one character in many ways: no-break spaces, typographic hyphens and
quotes, ligatures, line breaks of four kinds, zero-width marks, tags of HTML, bold of Markdown. Reports are read and
compared as plain text, and quoted as they were given.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final

from attrs import field, frozen

__all__ = ["PAGE_BREAK", "PlainText", "same_words"]

PAGE_BREAK: Final = "\f"
"""Ends a page; it stands alone on its line."""

_CHARACTERS: Final = {
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t": " ",
    "\u2010\u2011\u2012\u2212\ufe58\ufe63\uff0d": "-",
    "\u2018\u2019\u201a\u201b\u2032\u00b4\uff07": "'",
    "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02": '"',
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e": "",
    "\u2028\u2029\u0085\v\r": "\n",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb00": "ff",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\u2026": "...",
    "\u00b5": "\u03bc",
}
_PLAIN: Final = {character: plain for characters, plain in _CHARACTERS.items() for character in characters}
_ODD: Final = re.compile(
    r"\r\n|\\\.(?:br|sp\+?\d*|ce|in[+-]?\d*|ti[+-]?\d*)\\|\\X0[AD]\\(?:\\X0A\\)?"  # breaks, as HL7 escapes them too
    r"|(?<=\S)~(?![ ]?\d)|(?<=[.:;~\n])~|^~"  # a repetition of HL7, but not "about" before a number
    r"|\\(?:r\\n|n)"  # a line break as JSON escapes it, twice
    r"|(?i:</?(?:p|br|div|li|ul|ol|tr|table|tbody|thead|h[1-6]|td|th|b|i|u|em|strong|span|font)(?:\s[^<>\n]{0,200})?/?>)"
    r"|&(?:nbsp|amp|lt|gt|quot|apos|#\d{1,4});"
    r"|\\(?:par|line|sect|page)(?:d\\plain)?(?![a-z])\d*[ ]?"  # breaks of RTF
    r"|(?<![*\[])\*\*(?![*\]])(?:(?=\S)|(?<=\S\*\*))"  # bold, but no gap "[**Name**]"
    rf"|[{re.escape(''.join(_PLAIN))}\uff01-\uff5e]|\f",
    re.MULTILINE,
)
_INLINE: Final = frozenset({"b", "i", "u", "em", "strong", "span", "font"})
_CELLS: Final = frozenset({"td", "th"})
_ENTITIES: Final = {"&nbsp;": " ", "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
_RTF: Final = re.compile(
    r"\{\\(?:fonttbl|colortbl|stylesheet|info|\*)(?:[^{}]|\{[^{}]*\})*\}"  # what is no text
    r"|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?!(?:par|line|sect|page)(?![a-z]))[a-z]+-?\d*[ ]?|[{}]"
)
"""Control words of RTF but for breaks."""

_FULL_WIDTH: Final = 0xFEE0
"""Distance of the full-width forms of ASCII from ASCII."""


@frozen(eq=False)
class PlainText:
    """A text and where each of its characters stands in the report as given.

    Attributes:
        text: the characters to read.
        places: index of each character in the report as given; None where every character stands where it stood.
    """

    text: str = field(repr=False)
    places: Sequence[int] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, text: str) -> PlainText:
        r"""The plain text of a report; line breaks are line feeds.

        >>> PlainText.of("no\u00a0follow\u2010up\r\nneeded").text
        'no follow-up\nneeded'
        """
        plain = cls(text)
        if text.lstrip().startswith("{\\rtf"):
            plain = plain.rewritten(_RTF, _without_control)
        return plain.rewritten(_ODD, _plain)

    def rewritten(self, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str | None]) -> PlainText:
        """The text with each match of a pattern replaced; None leaves a match as it is.

        The first character of a replacement stands where its match began, the last where it ended.
        """
        parts: list[str] = []
        places: list[int] = []
        done = 0
        known: Sequence[int] = range(len(self.text)) if self.places is None else self.places
        for match in pattern.finditer(self.text):
            new = replacement(match)
            if new is None or new == match.group():
                continue
            start, end = match.span()
            parts += [self.text[done:start], new]
            places += [*known[done:start], *(known[min(start + i, end - 1)] for i in range(len(new)))]
            if len(new) > 1:
                places[-1] = known[end - 1]
            done = end
        if not parts:
            return self
        return PlainText("".join([*parts, self.text[done:]]), [*places, *known[done:]])

    def given(self, start: int, end: int) -> tuple[int, int]:
        """Start and end, in the report as given, of the characters ``[start, end)`` of the plain text."""
        if self.places is None:
            return start, end
        if start >= end:
            return self._place(start), self._place(start)
        return self.places[start], self.places[end - 1] + 1

    def read(self, start: int, end: int) -> tuple[int, int]:
        """Start and end, in the plain text, of the characters ``[start, end)`` of the report as given."""
        if self.places is None:
            return start, end
        return bisect_left(self.places, start), bisect_left(self.places, end)

    def shift(self, start: int, end: int) -> int | None:
        """Offset by which all characters ``[start, end)`` were moved; None if some were moved differently."""
        if self.places is None:
            return 0
        if start >= end:
            return self._place(start) - start
        first = self.places[start]
        stayed = list(self.places[start:end]) == list(range(first, first + end - start))
        return first - start if stayed else None

    def _place(self, index: int) -> int:
        places = self.places or ()
        if index < len(places):
            return places[index]
        return places[-1] + 1 if places else 0


def _plain(match: re.Match[str]) -> str:
    token = match.group()
    if token == PAGE_BREAK:
        return f"\n{PAGE_BREAK}\n"
    if token[0] in "\\~\r":
        return "\n"
    if token[0] == "<":
        name = token.strip("</>").split()[0].rstrip("/").lower()
        return "" if name in _INLINE else " " if name in _CELLS else "\n"
    if token[0] == "*":
        return ""
    if token[0] == "&":
        return _ENTITIES.get(token) or _decode_entity(int(token[2:-1]))
    plain = _PLAIN.get(token)
    return chr(ord(token) - _FULL_WIDTH) if plain is None else plain


def _decode_entity(code: int) -> str:
    """The character that an entity of HTML numbers."""
    character = chr(code)
    return "\n" if character in "\r\n" else _PLAIN.get(character, character)


def _without_control(match: re.Match[str]) -> str:
    return bytes.fromhex(match["hex"]).decode("cp1252", errors="replace") if match["hex"] else ""


_MARKS: Final = re.compile(r"^\s*(?:[-*\u2022\u00b7\u2013]\s+|\(?\d{1,2}[.)]\s+)|\*+", re.MULTILINE)


def same_words(one: str, other: str) -> bool:
    """Compare two texts but for letter case, white space, list marks, line breaks and ways to write a character.

    >>> same_words("1. No\u00a0effusion.", "NO EFFUSION.")
    True
    """
    return one == other or _words(one) == _words(other)


def _words(text: str) -> list[str]:
    return _MARKS.sub(" ", PlainText.of(text).text).casefold().split()
