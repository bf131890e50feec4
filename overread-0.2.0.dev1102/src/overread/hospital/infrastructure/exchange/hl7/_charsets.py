"""Character sets that messages come in (HL7's table 0211), and names that senders use in its place."""

from __future__ import annotations

import re
from typing import Final

from overread.hospital.infrastructure.exchange.charsets import WrongCharsetError, text_of_bytes
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["decode_message", "python_charset"]

_PARTS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 15)
_NAMES: Final = {
    "ASCII": "ascii",
    "ISO IR6": "ascii",
    "UNICODE UTF-8": "utf-8",
    "UTF-8": "utf-8",
    "UTF8": "utf-8",
    "ISO IR192": "utf-8",
    "WINDOWS-1252": "cp1252",
    "CP1252": "cp1252",
    "ISO IR100": "iso8859-1",
    **{name.format(part): f"iso8859-{part}" for part in _PARTS for name in ("8859/{}", "ISO-8859-{}", "ISO8859-{}")},
}

_HEADER: Final = re.compile(rb"\s*MSH(.)[^\r\n]*", re.DOTALL)
_CHARSET_FIELD: Final = 17
"""Place of MSH-18 after a split: MSH-1 is the separator itself."""


def python_charset(name: str) -> str:
    """Python's name of a character set.

    Raises:
        RefusedMessageError: if it is none that is read.
    """
    try:
        return _NAMES[name.strip().upper()]
    except KeyError:
        detail = "supported character sets: ASCII, 8859/1 to 8859/9, 8859/15, UNICODE UTF-8, WINDOWS-1252"
        raise RefusedMessageError("unknown-charset", detail, location="MSH-18") from None


def decode_message(data: bytes, default: str) -> tuple[str, str]:
    """The text of a message and Python's name of its character set.

    Args:
        data: the message.
        default: name of the set of a message that names none.

    Raises:
        RefusedMessageError: if the set is not known, or the bytes are none of it; no character is replaced or lost.
    """
    named = _charset_name(data)
    try:
        return text_of_bytes(data, python_charset(named or default))
    except WrongCharsetError as error:
        detail = f"{error}; declare the set in which it is written"
        if not named:
            detail = f"no set is named, and {default} is expected then: {detail}, or set charset for this system"
        raise RefusedMessageError("not-in-charset", detail, location="MSH-18") from None


def _charset_name(data: bytes) -> str:
    """First character set that MSH-18 names, read before the rest can be."""
    header = _HEADER.match(data)
    if header is None:
        return ""
    fields = header[0].split(header[1])
    named = fields[_CHARSET_FIELD] if len(fields) > _CHARSET_FIELD else b""
    return named.decode("latin-1").split("~")[0].split("^")[0].strip()
