"""Lines of a file, of which one that is longer than any row is told and never held whole."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import IO, Final

from overread.exceptions import ConfigurationError

__all__ = ["LONGEST_LINE_VARIABLE", "longest_line", "read_lines", "text_lines", "too_long"]

LONGEST_LINE_VARIABLE: Final = "OVERREAD_LONGEST_LINE_MIB"
"""The environment variable with the longest line that is read, in MiB."""

_USUAL_MIB: Final = 64
_MIB: Final = 1 << 20
_CHUNK: Final = 1 << 20
_END: Final = re.compile(rb"\r*\n|\r")


def longest_line() -> int:
    """The longest line that is read, in bytes after unpacking.

    Raises:
        ConfigurationError: if the environment names no number of MiB.
    """
    given = os.environ.get(LONGEST_LINE_VARIABLE, "").strip() or str(_USUAL_MIB)
    if not given.isdecimal() or not int(given):
        raise ConfigurationError([f"{LONGEST_LINE_VARIABLE} must be a whole number of MiB from 1"])
    return int(given) * _MIB


def too_long(most: int) -> str:
    """Words for a line that is longer than ``most`` bytes, and how to read longer ones."""
    mib = most // _MIB
    return f"is longer than {mib} MiB, the longest line that is read (for longer ones set {LONGEST_LINE_VARIABLE})"


def read_lines(stream: IO[bytes], most: int, chunk: int = _CHUNK) -> Iterator[bytes | None]:
    """Lines without their ends, whether those are line feeds, carriage returns or both; None for one that is too long.

    Args:
        stream: of bytes.
        most: bytes of a line. Of a longer one no more than that, and a chunk, is held.
        chunk: bytes that are read at once.
    """
    held: list[bytes] = []
    size, is_passing, after_return = 0, False, False
    while piece := stream.readline(chunk):
        if after_return and piece.startswith(b"\n"):
            piece = piece[1:]
        after_return = False
        if is_passing:
            end = _END.search(piece)
            if end is None:
                continue
            yield None
            is_passing, after_return, piece = False, piece.endswith(b"\r"), piece[end.end() :]
        held.append(piece)
        size += len(piece)
        if not piece.endswith(b"\n") and size <= most:
            continue
        after_return = piece.endswith(b"\r")
        lines, rest = _cut(b"".join(held))
        yield from (line if len(line) <= most else None for line in lines)
        is_passing = len(rest) > most
        held, size = ([], 0) if is_passing else ([rest], len(rest))
    if is_passing:
        yield None
    elif size:
        yield from (line if len(line) <= most else None for line in b"".join(held).rstrip(b"\r\n").split(b"\r"))


def text_lines(stream: IO[str], most: int) -> Iterator[str]:
    """Lines with their ends, as a stream without translation has them.

    Raises:
        OverflowError: at a line of more than ``most`` characters.
    """
    while line := stream.readline(most + 1):
        if len(line) > most:
            raise OverflowError
        yield line


def _cut(text: bytes) -> tuple[list[bytes], bytes]:
    """The whole lines of a text, and the beginning of one that may go on."""
    if text.endswith(b"\n"):
        return text.rstrip(b"\r\n").split(b"\r"), b""
    *whole, rest = text.split(b"\r")
    return whole, rest
