"""Sends messages over MLLP, for demonstrations, tests and measurements."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from types import TracebackType
from typing import Final, Self

from overread.hospital.infrastructure.exchange.hl7.acknowledging import (
    Acknowledgement,
    read_acknowledgement,
    read_acknowledgements,
)
from overread.hospital.infrastructure.exchange.hl7.framing import FrameBuffer, frame_message

__all__ = ["MllpClient", "send_messages"]

_LARGEST_ANSWER: Final = 64 * 1024
_CHUNK: Final = 64 * 1024


async def send_messages(
    messages: Iterable[bytes], host: str, port: int, *, tls: ssl.SSLContext | None = None, answer_seconds: float = 30.0
) -> list[Acknowledgement]:
    """Send messages over one connection, each after the one before it is acknowledged; the acknowledgements.

    Raises:
        ConnectionError: if the listener closes the connection.
        TimeoutError: if an answer takes longer than ``answer_seconds``.
        RefusedMessageError: if an answer is no acknowledgement.
    """
    async with MllpClient(host, port, tls=tls, answer_seconds=answer_seconds) as client:
        return [await client.send(message) for message in messages]


class MllpClient:
    """A connection to a listener, opened by ``async with``.

    Args:
        host, port: of the listener.
        tls: for a listener that wants TLS.
        answer_seconds: that connecting and each answer may take.
    """

    def __init__(
        self, host: str, port: int, *, tls: ssl.SSLContext | None = None, answer_seconds: float = 30.0
    ) -> None:
        self._address = (host, port)
        self._tls = tls
        self._answer_seconds = answer_seconds
        self._frames = FrameBuffer(_LARGEST_ANSWER)

    async def __aenter__(self) -> Self:
        async with asyncio.timeout(self._answer_seconds):
            self._reader, self._writer = await asyncio.open_connection(*self._address, ssl=self._tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    async def send(self, message: bytes) -> Acknowledgement:
        """Send a message and wait for its acknowledgement. Raises as `send_messages`."""
        self.write(frame_message(message))
        return await self.receive()

    async def send_batch(self, batch: bytes) -> list[Acknowledgement]:
        """Send a batch and wait for the acknowledgements of its messages. Raises as `send_messages`."""
        self.write(frame_message(batch))
        return read_acknowledgements(await self._answer())

    def write(self, data: bytes) -> None:
        """Send bytes as they are, framed or not, without waiting."""
        self._writer.write(data)

    async def receive(self) -> Acknowledgement:
        """The next acknowledgement. Raises as `send_messages`."""
        return read_acknowledgement(await self._answer())

    async def _answer(self) -> bytes:
        async with asyncio.timeout(self._answer_seconds):
            await self._writer.drain()
            while (answer := self._frames.take()) is None:
                data = await self._reader.read(_CHUNK)
                if not data:
                    raise ConnectionResetError("the listener closed the connection")
                self._frames.feed(data)
        return answer
