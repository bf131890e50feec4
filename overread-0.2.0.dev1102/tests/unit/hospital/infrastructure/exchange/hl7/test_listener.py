"""The listener: stored, then acknowledged; refused with the reason; never half, and never down."""

from __future__ import annotations

import asyncio
import logging
import random
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import pytest
from hl7.client import MLLPClient

from overread.exceptions import ConfigurationError, InputError, StoreError
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.infrastructure.exchange.hl7.acknowledging import AcknowledgementCode
from overread.hospital.infrastructure.exchange.hl7.client import MllpClient, send_messages
from overread.hospital.infrastructure.exchange.hl7.framing import frame_message
from overread.hospital.infrastructure.exchange.hl7.listener import MllpListener
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options, MllpOptions

from ..certificates import signs_itself
from .fake_service import FakeService
from .messages import TEXT, line, message, of_lines, patient, request, segment

AA, AE, AR = AcknowledgementCode.ACCEPT, AcknowledgementCode.ERROR, AcknowledgementCode.REJECT
_ANY = MllpOptions(port=0)


_PATIENCE_S: Final = 60.0
"""After which a story that waits for what does not come has failed."""


@asynccontextmanager
async def _listening(options: MllpOptions = _ANY) -> AsyncIterator[tuple[FakeService, MllpListener]]:
    service = FakeService()
    async with MllpListener(service, options, Hl7Options()) as listener:
        yield service, listener


def _run(story: Callable[[FakeService, MllpListener], Awaitable[None]], options: MllpOptions = _ANY) -> None:
    async def told() -> None:
        async with asyncio.timeout(_PATIENCE_S), _listening(options) as (service, listener):
            await story(service, listener)

    asyncio.run(told())


def test_what_is_acknowledged_is_stored() -> None:
    """An acknowledgement comes when the service has the version, on behalf of the listener's actor."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        service.gate.clear()
        async with MllpClient("127.0.0.1", listener.port) as client:
            client.write(frame_message(message()))
            await service.entered.wait()
            answer = asyncio.create_task(client.receive())
            await asyncio.sleep(0)
            assert not answer.done()
            service.gate.set()
            assert ((await answer).code, (await answer).message) == (AA, "M1")
        assert [each.text.text for each in service.versions] == [TEXT]
        assert service.actors == {Actor(name="hl7", roles=frozenset({Role.SUBMITTER}))}

    _run(story)


def test_refused_content_is_told_and_kept() -> None:
    """The sender learns the field and the reason, the refusal is kept without text, and the next message is taken."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        bad = of_lines([TEXT], {25: "Q"})
        other = message(msh={9: "ADT^A01", 10: "M2"})
        refused, rejected, taken = await send_messages([bad, other, message()], "127.0.0.1", listener.port)
        assert (refused.code, refused.message, refused.reason, refused.location) == (
            AE,
            "M1",
            "unknown-status",
            "OBR-25",
        )
        assert (rejected.code, rejected.message, rejected.reason) == (AR, "M2", "not-oru-r01")
        assert taken.code is AA
        kept = [(each.source, each.message, each.reason) for each in service.refused]
        assert kept == [("hl7", "M1", "unknown-status"), ("hl7", "M2", "not-oru-r01")]
        assert TEXT not in str(service.refused)

    _run(story)


def test_a_fault_of_the_store_asks_the_sender_to_send_again() -> None:
    """Nothing is stored, and it is no refusal; the same message is taken afterwards."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        service.faults = [StoreError("disk full"), ZeroDivisionError()]
        answers = await send_messages([message()] * 3, "127.0.0.1", listener.port)
        assert [(each.code, each.reason) for each in answers] == [(AE, "not-stored"), (AE, "not-stored"), (AA, "")]
        assert (len(service.versions), service.refused) == (1, [])

    _run(story)


def test_a_refusal_that_cannot_be_kept_is_no_refusal_yet() -> None:
    """While the store is down the sender is asked to send again, whatever it sent."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        service.faults = [StoreError("disk full")]
        bad = of_lines([TEXT], {25: "Q"})
        answers = await send_messages([bad, bad], "127.0.0.1", listener.port)
        assert [each.reason for each in answers] == ["not-stored", "unknown-status"]
        assert len(service.refused) == 1

    _run(story)


def test_what_the_service_does_not_take_is_a_refusal() -> None:
    """For example a report that is longer than is set."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        service.faults = [InputError("reports", "report 1: it is longer than 10 characters", row=1)]
        [answer] = await send_messages([message()], "127.0.0.1", listener.port)
        assert (answer.code, answer.reason) == (AE, "not-taken")
        assert [each.reason for each in service.refused] == ["not-taken"]

    _run(story)


def test_messages_sent_ahead_are_answered_in_order() -> None:
    """A sender may send before it has its answers, in whatever pieces."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        stream = b"".join(frame_message(message(msh={10: f"M{number}"})) for number in range(20))
        async with MllpClient("127.0.0.1", listener.port) as client:
            for start in range(0, len(stream), 700):
                client.write(stream[start : start + 700])
            answers = [await client.receive() for _ in range(20)]
        assert [each.message for each in answers] == [f"M{number}" for number in range(20)]
        assert [each.message for each in service.versions] == [f"M{number}" for number in range(20)]

    _run(story)


def test_a_message_that_is_too_large_is_refused_and_the_connection_closed() -> None:
    """Its sender is told which message it was; others go on."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        async with MllpClient("127.0.0.1", listener.port) as client:
            answer = await client.send(of_lines(["x" * 5000]))
            assert (answer.code, answer.message, answer.reason) == (AE, "M1", "too-large")
            with pytest.raises(ConnectionError):
                await client.receive()
        assert [(each.message, each.reason) for each in service.refused] == [("M1", "too-large")]
        assert (await send_messages([message()], "127.0.0.1", listener.port))[0].code is AA
        assert len(service.versions) == 1

    _run(story, MllpOptions(port=0, largest_message=2000))


def test_what_is_no_frame_is_refused_and_the_connection_closed() -> None:
    """What came whole before it is stored and acknowledged."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        async with MllpClient("127.0.0.1", listener.port) as client:
            client.write(frame_message(message()) + b"GET / HTTP/1.1\r\n\r\n")
            first, second = await client.receive(), await client.receive()
            assert (first.code, second.code, second.reason) == (AA, AE, "broken-frame")
            with pytest.raises(ConnectionError):
                await client.receive()
        assert [each.reason for each in service.refused] == ["broken-frame"]
        assert len(service.versions) == 1

    _run(story)


def test_a_message_that_is_cut_off_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing of it is stored or refused; the log tells of it without its text."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        writer.write(frame_message(message())[:-40])
        writer.write_eof()
        while "hl7_message_cut_off" not in caplog.text:  # noqa: ASYNC110 - a log has no event to wait for
            await asyncio.sleep(0.001)
        writer.close()
        assert (service.versions, service.refused) == ([], [])

    with caplog.at_level(logging.INFO, logger="overread"):
        _run(story)
    assert "pleural" not in caplog.text


def test_a_silent_connection_is_closed() -> None:
    """After the time that is set; a frame that has begun and does not go on is silence, too."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        writer.write(frame_message(message())[:50])
        assert await reader.read() == b""
        writer.close()
        assert service.versions == []

    _run(story, MllpOptions(port=0, idle_seconds=0.05))


def test_a_message_that_drips_gains_no_time() -> None:
    """However steadily bytes come; one that arrived whole has the time to itself."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)

        async def drip() -> None:
            writer.write(b"\x0bMSH")
            while True:
                writer.write(b"|")
                await asyncio.sleep(0.02)

        dripping = asyncio.create_task(drip())
        with suppress(ConnectionError):
            assert await reader.read() == b""
        dripping.cancel()
        writer.close()
        assert service.versions == []
        async with MllpClient("127.0.0.1", listener.port) as client:
            assert (await client.send(message())).code is AA

    _run(story, MllpOptions(port=0, message_seconds=0.2))


def test_no_more_connections_than_are_set() -> None:
    """A further one is closed at once; when one of the others ends there is room again."""

    async def story(_: FakeService, listener: MllpListener) -> None:
        async with MllpClient("127.0.0.1", listener.port) as first:
            assert (await first.send(message())).code is AA
            reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
            assert await reader.read() == b""
            writer.close()
        codes: list[AcknowledgementCode] = []
        while not codes:
            try:
                codes = [each.code for each in await send_messages([message()], "127.0.0.1", listener.port)]
            except ConnectionError:
                await asyncio.sleep(0.001)
        assert codes == [AA]

    _run(story, MllpOptions(port=0, most_connections=1))


@asynccontextmanager
async def _silent(
    port: int, number: int, *, begin: bytes = b"", address: str = "127.0.0.1"
) -> AsyncIterator[list[asyncio.StreamReader]]:
    """So many connections of an address, of which nothing comes but a beginning."""
    pairs = [await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0)) for _ in range(number)]
    for _, writer in pairs:
        writer.write(begin)
    try:
        yield [reader for reader, _ in pairs]
    finally:
        for _, writer in pairs:
            writer.close()


async def _end(reader: asyncio.StreamReader) -> None:
    """Waits until the listener closes."""
    with suppress(ConnectionError):
        assert await reader.read() == b""


@pytest.mark.parametrize("begin", [b"", b"\x0bMSH|"], ids=["nothing", "a beginning"])
def test_silent_connections_make_way(begin: bytes) -> None:
    """As many as may be open keep nobody out: the first of them is closed for each that comes and is not silent."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        async with _silent(listener.port, MllpOptions().most_connections, begin=begin) as silent:
            for number in range(3):
                async with MllpClient("127.0.0.1", listener.port) as client:
                    assert (await client.send(message(msh={10: f"M{number}"}))).code is AA
                    await _end(silent[0])
        assert len(service.versions) == 3

    _run(story)


def test_a_flood_of_silent_connections_keeps_nobody_out() -> None:
    """Far more than may be open: who sends meanwhile goes on, and so does who comes after them."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        async with MllpClient("127.0.0.1", listener.port) as before:
            assert (await before.send(message())).code is AA
            async with _silent(listener.port, 200), MllpClient("127.0.0.1", listener.port) as after:
                assert (await before.send(message())).code is AA
                assert (await after.send(message())).code is AA
        assert len(service.versions) == 3

    _run(story, MllpOptions(port=0, most_connections=8))


def test_a_rush_closes_nobody_whose_message_has_arrived() -> None:
    """Many more connections than may be open wait to be accepted at once: the first has sent already, and is served."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        with ExitStack() as rush:
            first = socket.create_connection(("127.0.0.1", listener.port))
            first.sendall(frame_message(message()))
            for _ in range(100):
                rush.enter_context(socket.create_connection(("127.0.0.1", listener.port)))
            reader, writer = await asyncio.open_connection(sock=first)
            assert b"MSA|AA|M1" in await reader.readuntil(b"\x1c\r")
            writer.close()
        assert len(service.versions) == 1

    _run(story, MllpOptions(port=0, most_connections=16))


def test_who_brought_no_message_that_was_taken_stays_a_stranger() -> None:
    """A refused message is no way to hold a place; one that is being stored holds it meanwhile."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        async with MllpClient("127.0.0.1", listener.port) as refused, MllpClient("127.0.0.1", listener.port) as busy:
            assert (await refused.send(of_lines([TEXT], {25: "Q"}))).code is AE
            service.gate.clear()
            busy.write(frame_message(message()))
            await service.entered.wait()
            async with _silent(listener.port, 1) as silent:
                with pytest.raises(ConnectionError):
                    await refused.receive()
                async with _silent(listener.port, 1) as later:
                    await _end(silent[0])
                    service.gate.set()
                    assert (await busy.receive()).code is AA
                    assert not later[0].at_eof()
        assert len(service.versions) == 1

    _run(story, MllpOptions(port=0, most_connections=2))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one address of loopback")
def test_the_address_that_holds_the_most_makes_way_first() -> None:
    """However short it has waited: a sender that has connected and not yet sent keeps its place."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        async with (
            MllpClient("127.0.0.1", listener.port) as slow,
            _silent(listener.port, 3, address="127.0.0.2") as crowd,
            _silent(listener.port, 1, address="127.0.0.2"),
        ):
            await _end(crowd[0])
            assert (await slow.send(message())).code is AA
        assert len(service.versions) == 1

    _run(story, MllpOptions(port=0, most_connections=4))


def test_stopping_finishes_what_is_being_stored() -> None:
    """The message in hand is stored and acknowledged, idle connections are closed, new ones refused."""

    async def told() -> None:
        service = FakeService()
        service.gate.clear()
        listener = MllpListener(service, _ANY)
        await listener.start()
        port = listener.port
        async with MllpClient("127.0.0.1", port), MllpClient("127.0.0.1", port) as busy:
            busy.write(frame_message(message()) * 2)
            await service.entered.wait()
            stopping = asyncio.create_task(listener.stop())
            await asyncio.sleep(0)
            service.gate.set()
            assert (await busy.receive()).code is AA
            with pytest.raises(ConnectionError):
                await busy.receive()
            await stopping
        assert len(service.versions) == 1
        with pytest.raises(OSError, match=r"refused|Connect"):
            await send_messages([message()], "127.0.0.1", port)
        await listener.stop()

    asyncio.run(told())


def test_stopping_does_not_wait_for_ever() -> None:
    """What is not finished in time is left without an acknowledgement."""

    async def told() -> None:
        service = FakeService()
        service.gate.clear()
        listener = MllpListener(service, _ANY)
        await listener.start()
        async with MllpClient("127.0.0.1", listener.port) as client:
            client.write(frame_message(message()))
            await service.entered.wait()
            await listener.stop(within=0.01)
            with pytest.raises(ConnectionError):
                await client.receive()
        assert service.versions == []

    asyncio.run(told())


def test_another_library_is_understood() -> None:
    """A client of the library hl7 sends a message and reads its acknowledgement."""

    def sent(port: int) -> bytes:
        with MLLPClient("127.0.0.1", port) as client:
            answer: bytes = client.send_message(message())
        return answer

    async def story(service: FakeService, listener: MllpListener) -> None:
        answer = await asyncio.to_thread(sent, listener.port)
        assert b"MSA|AA|M1" in answer
        assert len(service.versions) == 1

    _run(story)


@pytest.mark.parametrize("seed", range(30))
def test_broken_streams_never_bring_it_down_or_store_half(seed: int) -> None:
    """Of frames with lost and changed bytes each is stored whole or not at all, and the next sender is served."""
    chance = random.Random(seed)  # noqa: S311 - no secret

    async def story(service: FakeService, listener: MllpListener) -> None:
        good = message(patient(), request(), line("one"), line("two", {3: "1&ADT"}))
        stream = bytearray(frame_message(good) * 5)
        for _ in range(chance.randint(1, 12)):
            place = chance.randrange(len(stream))
            stream[place : place + chance.randrange(4)] = chance.randbytes(chance.randrange(4))
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        writer.write(bytes(stream))
        writer.write_eof()
        answers = (await reader.read()).count(b"MSA|")
        writer.close()
        assert answers <= 12
        assert (await send_messages([good], "127.0.0.1", listener.port))[0].code is AA
        assert [each.text.text for each in service.versions[-2:]] == ["one", "two"]

    _run(story)


def test_an_address_that_is_taken_is_told() -> None:
    """As a fault of the configuration, with the address."""

    async def story(_: FakeService, listener: MllpListener) -> None:
        with pytest.raises(ConfigurationError, match=rf"127\.0\.0\.1:{listener.port}"):
            await MllpListener(FakeService(), MllpOptions(port=listener.port)).start()

    _run(story)


def test_reports_do_not_cross_a_network_in_plain_text() -> None:
    """Another address than loopback wants TLS, or to be told that it does not."""
    with pytest.raises(ValueError, match="plain text"):
        MllpOptions(host="0.0.0.0")  # noqa: S104 - what is refused
    assert MllpOptions(host="192.0.2.1", allow_plain=True).certificate is None
    with pytest.raises(ValueError, match="certificate"):
        MllpOptions(key=Path("key.pem"))


def test_connections_can_be_sealed(tmp_path: Path) -> None:
    """With a certificate messages come over TLS; a sender without a certificate of its own is not served."""
    certificate, key = signs_itself(tmp_path, "localhost")
    options = MllpOptions(port=0, certificate=certificate, key=key, client_authorities=certificate)
    known = ssl.create_default_context(cafile=str(certificate))
    known.load_cert_chain(certificate, key)
    unknown = ssl.create_default_context(cafile=str(certificate))

    async def story(service: FakeService, listener: MllpListener) -> None:
        [answer] = await send_messages([message()], "localhost", listener.port, tls=known)
        assert answer.code is AA
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await send_messages([message()], "localhost", listener.port, tls=unknown)
        assert len(service.versions) == 1

    _run(story, options)


def test_a_certificate_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    """As a fault of the configuration."""
    absent = MllpOptions(port=0, certificate=tmp_path / "absent.pem")
    with pytest.raises(ConfigurationError, match="certificate"):
        asyncio.run(MllpListener(FakeService(), absent).start())


def test_a_merge_is_acknowledged_when_it_is_kept() -> None:
    """As a report is; a fault of the store makes the sender send it again, and a link is rejected."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        merge, link = (
            message(patient(), segment("MRG", {1: "P8"}), msh={9: f"ADT^{event}"}) for event in ("A40", "A24")
        )
        async with MllpClient("127.0.0.1", listener.port) as client:
            service.faults.append(StoreError("full"))
            assert (await client.send(merge)).reason == "not-stored"
            assert (await client.send(merge)).code == AA
            refused = await client.send(link)
        assert (refused.code, refused.reason) == (AR, "unsupported-event")
        assert service.merges == [PatientMerge(site="NORTH", surviving="P9", merged="P8")]
        assert [refusal.reason for refusal in service.refused] == ["unsupported-event"]

    _run(story)


def test_a_merge_the_other_way_is_accepted_with_a_note() -> None:
    """It changes nothing, and would never be right however often it is sent: MSA-3 says so."""

    async def story(service: FakeService, listener: MllpListener) -> None:
        there, back = (
            message(patient({3: surviving}), segment("MRG", {1: merged}), msh={9: "ADT^A40"})
            for surviving, merged in (("P9", "P8"), ("P8", "P9"))
        )
        async with MllpClient("127.0.0.1", listener.port) as client:
            first, second = await client.send(there), await client.send(back)
        assert [(each.code, each.detail) for each in (first, second)] == [
            (AA, ""),
            (AA, "already merged the other way; nothing changed"),
        ]
        assert service.refused == []

    _run(story)
