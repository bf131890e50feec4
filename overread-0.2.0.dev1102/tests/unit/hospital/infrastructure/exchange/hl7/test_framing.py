"""Frames of MLLP are found however the bytes come, and what is none is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.hospital.infrastructure.exchange.hl7.framing import FrameBuffer, frame_message
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

_INSIDE = st.binary(max_size=40).map(lambda data: data.replace(b"\x0b", b"").replace(b"\x1c", b""))


def _all(frames: FrameBuffer) -> list[bytes]:
    return list(iter(frames.take, None))


@given(st.lists(_INSIDE, max_size=5), st.sampled_from([b"", b"\r", b"\r\n", b"\n\n"]), st.integers(1, 9))
def test_messages_are_cut_out_whole_and_in_order(messages: list[bytes], between: bytes, size: int) -> None:
    """In whatever pieces they arrive, and whatever white space senders put between them."""
    stream = b"".join(frame_message(message) + between for message in messages)
    frames = FrameBuffer(40)
    found = []
    for start in range(0, len(stream), size):
        frames.feed(stream[start : start + size])
        found += _all(frames)
    assert found == messages
    assert not frames.is_inside


@pytest.mark.parametrize("size", [1, 100])
@pytest.mark.parametrize(
    ("stream", "code"),
    [
        (b"MSH", "broken-frame"),
        (b"\x0bMSH\x1cX", "broken-frame"),
        (b"\x0bMSH\x0bMSH\x1c\r", "broken-frame"),
        (b"\x0b" + b"x" * 11, "too-large"),
        (b"\x0b" + b"x" * 11 + b"\x1c\r", "too-large"),
    ],
)
def test_what_is_no_frame_is_refused(stream: bytes, code: str, size: int) -> None:
    """Whole messages before it are given out first."""
    frames = FrameBuffer(10)
    frames.feed(frame_message(b"one"))
    assert _all(frames) == [b"one"]
    with pytest.raises(RefusedMessageError) as caught:
        _fed(frames, stream, size)
    assert caught.value.code == code


def _fed(frames: FrameBuffer, stream: bytes, size: int) -> None:
    for start in range(0, len(stream), size):
        frames.feed(stream[start : start + size])
        frames.take()


def test_the_largest_message_is_taken() -> None:
    """The bound is that of the message, without its frame."""
    frames = FrameBuffer(10)
    frames.feed(frame_message(b"x" * 10))
    assert frames.take() == b"x" * 10


@given(st.lists(st.binary(max_size=30), max_size=10))
def test_random_bytes_are_taken_or_refused(pieces: list[bytes]) -> None:
    """Nothing else comes of them, and no more is held than the largest message and a piece."""
    frames = FrameBuffer(20)
    for piece in pieces:
        frames.feed(piece)
        try:
            messages = _all(frames)
        except RefusedMessageError:
            return
        assert all(len(message) <= 20 for message in messages)
        assert len(frames.head) <= 22
