"""The body of a response, unpacked in small steps and no further than to a limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

__all__ = ["UnpackingError", "unpack"]

_STEP: Final = 1 << 16
_GZIP: Final = 16 + zlib.MAX_WBITS


class UnpackingError(ValueError):
    """A body that cannot be unpacked; the message says why and quotes nothing."""


class _Unpacker(Protocol):
    """The interface of zlib's decompression objects."""

    @property
    def unconsumed_tail(self) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes: ...


def unpack(pieces: Iterable[bytes], encoding: str, limit: int) -> Iterator[bytes]:
    """The body's bytes; no more of it is read or unpacked once ``limit`` of them have come, or are passed.

    Args:
        pieces: as they come from the server.
        encoding: the Content-Encoding: none, gzip or deflate.
        limit: in bytes after unpacking. What has come is passed by 64 KiB or by one piece at most.

    Raises:
        UnpackingError: if the body is packed in another way, in several, or is damaged.

    >>> b"".join(unpack([zlib.compress(bytes(10**7))], "deflate", 100)) == bytes(65536)
    True
    """
    kind = encoding.strip().lower()
    if kind in ("", "identity"):
        yield from _until(pieces, limit)
    elif kind in ("gzip", "x-gzip"):
        yield from _until(_inflate(pieces, zlib.decompressobj(_GZIP)), limit)
    elif kind == "deflate":
        yield from _until(_inflate_deflate(pieces), limit)
    else:
        raise UnpackingError("is compressed in a way that was not requested")


def _until(pieces: Iterable[bytes], limit: int) -> Iterator[bytes]:
    come = 0
    for piece in pieces:
        yield piece
        come += len(piece)
        if come >= limit:
            return


def _inflate_deflate(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Inflates pieces with or without zlib's header: HTTP requires it, but some servers omit it. See `_inflate`."""
    rest = iter(pieces)
    head = b""
    for piece in rest:
        head += piece
        if len(head) > 1:
            break
    is_zlib = len(head) > 1 and head[0] & 15 == zlib.DEFLATED and int.from_bytes(head[:2]) % 31 == 0
    yield from _inflate(_prepend(head, rest), zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS))


def _prepend(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest


def _inflate(pieces: Iterable[bytes], unpacker: _Unpacker) -> Iterator[bytes]:
    try:
        for piece in pieces:
            waiting, more = piece, True
            while more and not unpacker.eof:
                out = unpacker.decompress(waiting, _STEP)
                yield out
                waiting = unpacker.unconsumed_tail
                more = bool(waiting) or len(out) == _STEP
            if unpacker.eof:
                return
    except zlib.error:
        raise UnpackingError("cannot be decompressed") from None
