"""Frames of MLLP: a start byte, the message, an end byte and a carriage return."""

from __future__ import annotations

from typing import Final

from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["FrameBuffer", "frame_message"]

_START: Final = b"\x0b"
_END: Final = b"\x1c"
_RETURN: Final = b"\r"
_BETWEEN: Final = b"\r\n"
"""Characters that senders put between frames; they are skipped."""


def frame_message(message: bytes) -> bytes:
    r"""A message in its frame.

    >>> frame_message(b"MSH")
    b'\x0bMSH\x1c\r'
    """
    return _START + message + _END + _RETURN


class FrameBuffer:
    """Cuts a stream of bytes into messages, in memory bounded by the largest one.

    Args:
        largest: bytes of a message.
    """

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._bytes = bytearray()
        self._searched = 0

    @property
    def is_inside(self) -> bool:
        """True if a frame has begun and not ended."""
        return bool(self._bytes.strip(_BETWEEN))

    @property
    def head(self) -> bytes:
        """Start of the frame that has begun, as far as a header goes."""
        return bytes(self._bytes[: self._largest][:4096]).lstrip(_BETWEEN + _START)

    def feed(self, data: bytes) -> None:
        """Add what arrived."""
        self._bytes += data

    def take(self) -> bytes | None:
        """The next message, None until it is whole.

        Raises:
            RefusedMessageError: for what is no frame, and for a frame that is too large; nothing can be taken then.
        """
        if not self._searched:
            del self._bytes[: len(self._bytes) - len(self._bytes.lstrip(_BETWEEN))]
        if not self._bytes:
            return None
        if not self._bytes.startswith(_START):
            raise _broken("a frame must begin with the byte 0B")
        end = self._bytes.find(_END, self._searched)
        if self._bytes.find(_START, max(self._searched, 1), end if end >= 0 else len(self._bytes)) >= 0:
            raise _broken("a frame begins before the previous one has ended")
        if (len(self._bytes) if end < 0 else end) - 1 > self._largest:
            detail = f"a message may have at most {self._largest:,} bytes"
            raise RefusedMessageError("too-large", detail)
        self._searched = len(self._bytes) if end < 0 else end
        if end < 0 or end + 1 == len(self._bytes):
            return None
        if self._bytes[end + 1 : end + 2] != _RETURN:
            raise _broken("a frame must end with the bytes 1C 0D")
        message = bytes(self._bytes[1:end])
        del self._bytes[: end + 2]
        self._searched = 0
        return message


def _broken(detail: str) -> RefusedMessageError:
    return RefusedMessageError("broken-frame", detail)
