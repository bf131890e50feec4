"""Listens for reports over MLLP. A message is acknowledged when it is stored, and not before."""

from __future__ import annotations

import asyncio
import math
import ssl
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, NamedTuple, Self

from overread.exceptions import ConfigurationError, InputError
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.patient_merge import MergeKind
from overread.hospital.infrastructure.exchange.hl7._identifiers import control_id_of
from overread.hospital.infrastructure.exchange.hl7._places import Places
from overread.hospital.infrastructure.exchange.hl7._segments import header_of
from overread.hospital.infrastructure.exchange.hl7.acknowledging import AcknowledgementCode, acknowledge
from overread.hospital.infrastructure.exchange.hl7.batches import acknowledge_batch, is_batch, messages_of
from overread.hospital.infrastructure.exchange.hl7.framing import FrameBuffer, frame_message
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options, MllpOptions
from overread.hospital.infrastructure.exchange.hl7.reading import SOURCE, UNSUPPORTED, read_hl7
from overread.hospital.infrastructure.exchange.inlet import Inlet
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.infrastructure.logs import get_logger

__all__ = ["MllpListener", "tls_context"]

_CHUNK: Final = 64 * 1024
_LINGER_SECONDS: Final = 2.0
"""Time for which a refused connection is read on, so that its answer is not lost to a reset."""

_HANDSHAKE_SECONDS: Final = 10.0
_ACCEPTED_AT_ONCE: Final = 1
"""Connections, before what they have sent is read: far fewer than may be open, or a rush would close them unheard."""
_MAY_WAIT: Final = 128
"""Connections until they are accepted."""

_NOT_STORED: Final = RefusedMessageError("not-stored", "it could not be stored now; send it again")

_log = get_logger("exchange.hl7")


def _now() -> datetime:
    return datetime.now(UTC)


class _Answer(NamedTuple):
    """Outcome of a message, and the acknowledgement that its sender gets."""

    code: AcknowledgementCode
    text: bytes


class MllpListener:
    """Takes messages over MLLP in the running event loop; of one connection one after the other.

    The messages of a batch are stored or refused one by one, and answered together in a batch.

    Refused content is answered with AE and the reason, what is neither a report nor a merge of patients with AR; both
    are kept as refusals. A fault of the store is answered with AE too, and nothing of the message is kept. After what
    is no frame the connection is closed, since nobody can tell where the next message begins; a message that was cut
    off is dropped, as its sender, who has no acknowledgement, will send it again.

    Args:
        service: where reports go.
        options: where to listen.
        reading: how messages are read.
        by: on whose behalf.
        clock: the present, in UTC.
    """

    def __init__(
        self,
        service: Inlet,
        options: MllpOptions | None = None,
        reading: Hl7Options | None = None,
        *,
        by: Actor | None = None,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._service = service
        self._options = options or MllpOptions()
        self._reading = reading or Hl7Options()
        self._by = by or Actor(name=SOURCE, roles=frozenset({Role.SUBMITTER}))
        self._clock = clock
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._idle: set[asyncio.Task[None]] = set()
        self._places = Places(self._options.most_connections)
        self._is_stopping = False

    @property
    def port(self) -> int:
        """The port that is listened on."""
        if self._server is None:
            raise RuntimeError("the listener has not been started")
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def start(self) -> None:
        """Begin to listen.

        Raises:
            ConfigurationError: if the address cannot be listened on, or a file of TLS cannot be used.
        """
        tls = tls_context(self._options)
        self._is_stopping = False
        try:
            self._server = await asyncio.start_server(
                self._serve_connection,
                self._options.host,
                self._options.port,
                backlog=_ACCEPTED_AT_ONCE,
                ssl=tls,
                ssl_handshake_timeout=_HANDSHAKE_SECONDS if tls else None,
            )
        except OSError as error:
            place = f"{self._options.host}:{self._options.port}"
            raise ConfigurationError([f"cannot listen for HL7 on {place}: {error.strerror}"]) from None
        for bound in self._server.sockets:
            with bound.dup() as listening:  # asyncio accepts as many in a row as it had told the system to let wait
                listening.listen(_MAY_WAIT)
        _log.info("hl7_listening", port=self.port)

    async def stop(self, *, within: float = 10.0) -> None:
        """Take no more messages, finish those that are being stored, and close.

        Args:
            within: seconds after which what is not finished is left; its sender has no acknowledgement.
        """
        if self._server is None:
            return
        self._is_stopping = True
        self._server.close()
        for task in self._idle:
            task.cancel()
        if self._connections:
            _, unfinished = await asyncio.wait(self._connections, timeout=within)
            for task in unfinished:
                task.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or self._is_stopping or not self._places.take(writer):
            _log.warning("hl7_connection_refused", count=len(self._places))
            writer.close()
            return
        self._connections.add(task)
        try:
            await self._converse(reader, writer, task)
        except TimeoutError:
            _log.info("hl7_connection_closed", reason="silence")
        except OSError as error:
            _log.info("hl7_connection_closed", error=type(error).__name__)
        except asyncio.CancelledError:
            if not self._is_stopping:
                raise
        finally:
            self._connections.discard(task)
            self._places.leave(writer)
            writer.close()

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, task: asyncio.Task[None]
    ) -> None:
        frames, until = FrameBuffer(self._options.largest_message), math.inf
        while not self._is_stopping:
            try:
                message = frames.take()
            except RefusedMessageError as error:
                self._places.keep(writer)
                await self._send(writer, await self._refuse(frames.head, error))
                await self._linger(reader, writer)
                return
            if message is not None:
                self._places.keep(writer)
                answer = await self._answer(message)
                if answer.code is AcknowledgementCode.ACCEPT:
                    self._places.know(writer)
                await self._send(writer, answer)
                until = math.inf
                continue
            self._places.await_message(writer)
            now = asyncio.get_running_loop().time()
            if frames.is_inside:
                until = min(until, now + self._options.message_seconds)
            self._idle.add(task)
            try:
                async with asyncio.timeout_at(min(until, now + self._options.idle_seconds)):
                    data = await reader.read(_CHUNK)
            finally:
                self._idle.discard(task)
            if not data:
                if frames.is_inside:
                    _log.warning("hl7_message_cut_off")
                return
            frames.feed(data)

    async def _answer(self, message: bytes) -> _Answer:
        """Answer a message, or each of a batch; of a batch that may be a part none is taken."""
        if not is_batch(message):
            return await self._answer_one(message)
        try:
            messages = messages_of(message)
        except RefusedMessageError as error:
            return await self._refuse(message, error)
        answers = [await self._answer_one(one) for one in messages]
        is_taken = any(answer.code is AcknowledgementCode.ACCEPT for answer in answers)
        code = AcknowledgementCode.ACCEPT if is_taken else AcknowledgementCode.ERROR
        name = uuid.uuid4().hex[:20]
        return _Answer(code, acknowledge_batch(message, [one.text for one in answers], at=self._clock(), name=name))

    async def _answer_one(self, message: bytes) -> _Answer:
        """Store what a message brings, or refuse it; the answer to its sender."""
        try:
            content = await asyncio.to_thread(read_hl7, message, self._reading)
            note = ""
            if content.merges:
                receipts = await self._service.record_merges(content.merges, by=self._by)
                note = next((each.note for each in receipts if each.kind is MergeKind.REVERSED), "")
            else:
                await self._service.ingest(content.versions, by=self._by)
        except RefusedMessageError as error:
            return await self._refuse(message, error)
        except InputError as error:
            return await self._refuse(message, RefusedMessageError("not-taken", error.problem))
        except Exception as error:  # noqa: BLE001 - whatever it was, the sender must know that nothing is stored
            return self._not_stored(message, error)
        return self._acknowledgement(message, AcknowledgementCode.ACCEPT, note=note)

    async def _refuse(self, message: bytes, error: RefusedMessageError) -> _Answer:
        header = header_of(message)
        if not error.message and header is not None:
            error.message = control_id_of(header)
        try:
            await self._service.refuse(error.refusal(at=self._clock(), source=SOURCE))
        except Exception as fault:  # noqa: BLE001 - as above: a refusal that is not kept is no refusal yet
            return self._not_stored(message, fault)
        code = AcknowledgementCode.REJECT if error.code in UNSUPPORTED else AcknowledgementCode.ERROR
        return self._acknowledgement(message, code, error)

    def _not_stored(self, message: bytes, error: Exception) -> _Answer:
        _log.error("hl7_message_not_stored", error=error)
        return self._acknowledgement(message, AcknowledgementCode.ERROR, _NOT_STORED)

    def _acknowledgement(
        self, message: bytes, code: AcknowledgementCode, error: RefusedMessageError | None = None, *, note: str = ""
    ) -> _Answer:
        text = acknowledge(message, code, at=self._clock(), name=uuid.uuid4().hex[:20], error=error, note=note)
        return _Answer(code, text)

    async def _send(self, writer: asyncio.StreamWriter, answer: _Answer) -> None:
        writer.write(frame_message(answer.text))
        async with asyncio.timeout(self._options.idle_seconds):
            await writer.drain()

    async def _linger(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if writer.can_write_eof():
            writer.write_eof()
        async with asyncio.timeout(_LINGER_SECONDS):
            while await reader.read(_CHUNK):
                pass


def tls_context(options: MllpOptions) -> ssl.SSLContext | None:
    """TLS context of connections; None for plain ones.

    Raises:
        ConfigurationError: if a file cannot be read, or is not what it should be.
    """
    if options.certificate is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(options.certificate, options.key)
        if options.client_authorities is not None:
            context.load_verify_locations(options.client_authorities)
            context.verify_mode = ssl.CERT_REQUIRED
    except OSError as error:
        raise ConfigurationError(
            [f"certificate, key or client_authorities of HL7 cannot be used: {error.strerror}"]
        ) from None
    return context
