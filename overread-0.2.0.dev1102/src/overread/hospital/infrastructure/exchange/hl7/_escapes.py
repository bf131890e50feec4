"""Escape sequences of HL7 version 2 (chapter 2, use of escape sequences in text fields)."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["escape_text", "unescape"]

_MOST_REPEATED: Final = 200
"""Lines or spaces that one sequence may ask for."""

_WHITE: Final = "\t\n\r\f"
_SEPARATORS: Final = {"F": "|", "S": "^", "T": "&", "R": "~", "P": "#"}
_ESCAPED: Final = {"|": "\\F\\", "^": "\\S\\", "&": "\\T\\", "~": "\\R\\", "\\": "\\E\\"}
_FORMATS: Final = {"br": "\n", "ce": "\n", "fi": " ", "nf": " "}
_COUNTED: Final = re.compile(r"\.(sp|sk|in|ti)\s*([+-]?\d{0,3})")
_HEXADECIMAL: Final = re.compile(r"X((?:[0-9A-Fa-f]{2})+)")
_SINGLE_BYTE_SET: Final = re.compile(r"C[0-9A-Fa-f]{4}")


def unescape(text: str, escape: str, charset: str, location: str, *, lenient: bool = False) -> str:
    r"""Text without escape sequences. Highlighting and switches of single-byte character sets leave nothing behind.

    Args:
        text: as sent.
        escape: the character that begins and ends a sequence.
        charset: Python's name of that in which bytes given in hexadecimal are read.
        location: of the field.
        lenient: whether a sequence that cannot be decoded is kept as it stands.

    Raises:
        RefusedMessageError: for a sequence that HL7 does not know, one of the sender's own, or one that does not end:
            what it stands for would have to be guessed.

    >>> unescape(r"5 mm\.br\L4\T\L5 \H\mild\N\ \X41\ \E\ ", "\\", "utf-8", "OBX-5")
    '5 mm\nL4&L5 mild A \\ '
    """
    if escape not in text:
        return text
    if lenient:
        return _leniently_unescaped(text, escape, charset)
    pieces = text.split(escape)
    if len(pieces) % 2 == 0:
        raise _escape_error(escape, location)
    decoded = list[str]()
    for place, piece in enumerate(pieces):
        content = _decode_sequence(piece, escape, charset) if place % 2 else piece
        if content is None:
            raise _escape_error(escape, location)
        decoded.append(content)
    return "".join(decoded)


def _leniently_unescaped(text: str, escape: str, charset: str) -> str:
    """Text in which an escape character that begins no sequence stands for itself."""
    pieces, at = list[str](), 0
    while (start := text.find(escape, at)) >= 0:
        pieces.append(text[at:start])
        end = text.find(escape, start + 1)
        decoded = _decode_sequence(text[start + 1 : end], escape, charset) if end >= 0 else None
        pieces.append(escape if decoded is None else decoded)
        at = start + 1 if decoded is None else end + 1
    return "".join([*pieces, text[at:]])


def _decode_sequence(sequence: str, escape: str, charset: str) -> str | None:
    """The text that a sequence stands for; None for one that is not known."""
    if sequence in _SEPARATORS:
        return _SEPARATORS[sequence]
    if sequence == "E":
        return escape
    if sequence in ("H", "N") or _SINGLE_BYTE_SET.fullmatch(sequence):
        return ""
    if sequence.startswith(".") and sequence[1:].strip() in _FORMATS:
        return _FORMATS[sequence[1:].strip()]
    if (counted := _COUNTED.fullmatch(sequence)) is not None:
        return _white_space(counted[1], counted[2])
    return _decode_bytes(sequence, charset)


def _decode_bytes(sequence: str, charset: str) -> str | None:
    """The characters whose bytes a sequence gives; None where it gives none that may stand in a text."""
    hexadecimal = _HEXADECIMAL.fullmatch(sequence)
    if hexadecimal is None:
        return None
    with suppress(UnicodeDecodeError):
        text = bytes.fromhex(hexadecimal[1]).decode(charset)
        if all(character.isprintable() or character in _WHITE for character in text):
            return text
    return None


def _white_space(what: str, number: str) -> str:
    """Lines down, spaces to skip, or spaces to begin a line with; a sign moves relative to what is not known here."""
    count = min(abs(int(number)) if number.strip("+-") else 1, _MOST_REPEATED)
    return "\n" * count if what == "sp" else " " * count


def _escape_error(escape: str, location: str) -> RefusedMessageError:
    detail = (
        f"the text contains an escape sequence that HL7 does not have; {escape} itself is written {escape}E{escape}; "
        "or set lenient_escapes to keep such sequences as they stand"
    )
    return RefusedMessageError("bad-escape", detail, location=location)


def escape_text(text: str) -> str:
    r"""Text as a field of a message with HL7's usual separators; control characters become spaces.

    >>> escape_text("a|b")
    'a\\F\\b'
    """
    return "".join(_ESCAPED.get(character, character if character.isprintable() else " ") for character in text)
