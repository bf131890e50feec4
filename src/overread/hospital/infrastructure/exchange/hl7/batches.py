"""Batches of messages (chapter 2 of HL7, FHS and BHS to BTS and FTS), and files of messages one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from overread.hospital.infrastructure.exchange.hl7._segments import echo, header_of
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["acknowledge_batch", "is_batch", "messages_of"]

_LINE: Final = re.compile(rb"[^\r\n]*[\r\n]*")
_FRAME: Final = b"\x0b\x1c"
"""Bytes of MLLP, which some files keep between messages."""

_BOM: Final = b"\xef\xbb\xbf"
_ENDS: Final = {b"FHS": b"FTS", b"BHS": b"BTS"}
_NAME: Final = 3


def is_batch(data: bytes) -> bool:
    """Return whether data begin as a batch or a file of batches does."""
    return data.lstrip()[:_NAME] in _ENDS


def messages_of(data: bytes, most: int) -> list[bytes]:
    r"""The messages in a batch, or in a file of batches or of messages.

    Args:
        data: of the batch or file.
        most: messages that it may have.

    Raises:
        RefusedMessageError: if a batch does not end, says that it has another number of messages, as it may be a part,
            or has too many.

    >>> messages_of(b"BHS|^~\\&\rMSH|1\rPID|1\rMSH|2\rBTS|2\r", most=1000)
    [b'MSH|1\rPID|1\r', b'MSH|2\r']
    """
    messages, open_batches, count = list[bytearray](), list[bytes](), 0
    for line in _LINE.findall(data.removeprefix(_BOM).translate(None, _FRAME)):
        name = line.lstrip()[:_NAME]
        if name in _ENDS:
            open_batches.append(name)
            count = len(messages) if name == b"BHS" else count
        elif name in _ENDS.values() and (open_batches or not messages):
            _end(name, line, open_batches, len(messages) - count)
        elif name == b"MSH":
            messages.append(bytearray(line.lstrip()))
        elif messages:
            messages[-1] += line
        elif line.strip():
            raise RefusedMessageError("no-header", "the messages of a batch must begin with MSH", location="MSH")
    if open_batches:
        detail = f"the batch has no {_ENDS[open_batches[-1]].decode()}: the rest of it may be missing; send it whole"
        raise RefusedMessageError("fragment", detail, location=_ENDS[open_batches[-1]].decode())
    if len(messages) > most:
        detail = f"there may be at most {most:,} messages at once; split the batch or file, or raise most_messages"
        raise RefusedMessageError("too-many", detail, location="MSH")
    return [bytes(message) for message in messages]


def _end(name: bytes, line: bytes, open_batches: list[bytes], count: int) -> None:
    """End what was begun last; BTS-1 is the number of messages, where it is given."""
    location = name.decode()
    if not open_batches or _ENDS[open_batches.pop()] != name:
        raise RefusedMessageError("fragment", "a batch ends that has not begun; send it whole", location=location)
    fields = line.strip().split(line.lstrip()[_NAME : _NAME + 1] or b"|")
    expected = fields[1].strip() if name == b"BTS" and len(fields) > 1 else b""
    # Digits are compared: Python makes no number of very many.
    if expected.isdigit() and (expected.lstrip(b"0") or b"0") != b"%d" % count:
        detail = f"the batch has {count} messages and says that it has another number; send it whole"
        raise RefusedMessageError("fragment", detail, location=f"{location}-1")


def acknowledge_batch(batch: bytes, acknowledgements: Sequence[bytes], *, at: datetime, name: str) -> bytes:
    """A batch of acknowledgements without its frame, one for each message and in their order.

    Args:
        batch: what is acknowledged; its header says to whom it goes.
        acknowledgements: of its messages.
        at: the present.
        name: control id of the acknowledgement.
    """
    first = batch.lstrip().splitlines()[0]
    header = header_of(b"MSH" + first[_NAME:])  # its fields are named otherwise and mean the same
    sender, facility, here, control = (echo(header, number) for number in (3, 4, 6, 11))
    fields = [r"^~\&", "OVERREAD", here, sender, facility, at.strftime("%Y%m%d%H%M%S%z"), "", "", "", name, control]
    is_file = first.startswith(b"FHS")
    return b"".join(
        [
            _segment("FHS", fields) if is_file else b"",
            _segment("BHS", fields),
            *acknowledgements,
            _segment("BTS", [str(len(acknowledgements))]),
            _segment("FTS", ["1"]) if is_file else b"",
        ]
    )


def _segment(name: str, fields: Sequence[str]) -> bytes:
    return ("|".join([name, *fields]) + "\r").encode("ascii", errors="replace")
