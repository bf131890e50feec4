"""Requests of either kind end in time, at a size and at the place that was asked, with an answer or a code."""

from __future__ import annotations

import asyncio
import gzip
import socket
import time
from pathlib import Path
from threading import Thread
from typing import Protocol

import pytest

from overread.httpclient import Answer, Limits, NoAnswer, exchange, exchange_async, open_async_client, open_client

from ...servers import Reply, free_port, scripted

BODY = b'{"messages": []}'


def by_thread(limits: Limits, url: str) -> Answer | NoAnswer:
    with open_client(limits) as client:
        return exchange(client, limits, "POST", url, headers={}, body=BODY)


def by_loop(limits: Limits, url: str) -> Answer | NoAnswer:
    async def ask() -> Answer | NoAnswer:
        async with open_async_client(limits) as client:
            return await exchange_async(client, limits, "POST", url, headers={}, body=BODY)

    return asyncio.run(ask())


class Ask(Protocol):
    def __call__(self, limits: Limits, url: str, /) -> Answer | NoAnswer: ...


WAYS = pytest.mark.parametrize("ask", [by_thread, by_loop])


@WAYS
def test_an_answer_comes_whole(ask: Ask) -> None:
    """With its status, whichever it is, its headers and its body; nothing of it is shown by accident."""
    with scripted(Reply(b"effusion", 503, {"Retry-After": "7"})) as server:
        answer = ask(Limits(max_bytes=8), server.url)
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body, answer.is_success) == (503, b"effusion", False)
    assert answer.asked_wait is not None
    assert answer.asked_wait.total_seconds() == 7
    assert "effusion" not in repr(answer)


@WAYS
def test_a_body_that_nobody_reads_is_not_waited_for(ask: Ask) -> None:
    """The status is the answer."""
    with scripted(Reply(b"x" * 1000, pause_s=0.1)) as server:
        start = time.monotonic()
        answer = ask(Limits(seconds=50), server.url)
        assert time.monotonic() - start < 50
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body) == (200, b"")


@WAYS
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(b"x" * 9), "too-large"),
        (Reply(b"x" * 9, times=10**9, chunked=True), "too-large"),
        (Reply(b"effusion", pause_s=0.2), "timeout"),
        (Reply(b"effusion", wait_s=2), "timeout"),
        (Reply(b"effusion", head_pause_s=0.05), "timeout"),
        (Reply(b"effu", promised=8), "unreachable"),
        (Reply(b"effusion", headers={"Content-Encoding": "br"}), "packed"),
    ],
)
def test_an_answer_of_no_use_is_a_code(ask: Ask, reply: Reply, reason: str) -> None:
    """One that is too long, too late, broken off or packed in a strange way."""
    with scripted(reply) as server:
        start = time.monotonic()
        assert ask(Limits(seconds=0.5, max_bytes=8), server.url) == NoAnswer(reason)
    assert time.monotonic() - start < 20


@WAYS
def test_nobody_there_is_a_code(ask: Ask) -> None:
    """So is a name that is no host's."""
    for url in (f"http://127.0.0.1:{free_port()}", "http://[", "ftp://127.0.0.1"):
        assert ask(Limits(), url) == NoAnswer("unreachable")


@WAYS
def test_a_redirect_is_the_answer(ask: Ask) -> None:
    """What was sent does not go to another place."""
    with scripted(Reply()) as other, scripted(Reply(status=307, headers={"Location": other.url})) as server:
        answer = ask(Limits(), server.url)
    assert isinstance(answer, Answer)
    assert (answer.status, answer.is_success, other.received) == (307, False, [])


@WAYS
def test_proxies_of_the_environment_are_not_used(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy reads along."""
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("no_proxy", raising=False)
    with scripted(Reply()) as server:
        assert isinstance(ask(Limits(), server.url), Answer)


@WAYS
def test_authorities_that_cannot_be_read_trust_nobody(ask: Ask, tmp_path: Path) -> None:
    """The file may have gone since it was checked."""
    with pytest.raises(FileNotFoundError):
        ask(Limits(authorities=tmp_path / "gone.pem"), "https://127.0.0.1")


def test_a_packed_answer_is_unpacked_for_a_thread() -> None:
    """Some servers pack what nobody asked them to."""
    with scripted(Reply(gzip.compress(b"effusion"), headers={"Content-Encoding": "gzip"})) as server:
        answer = by_thread(Limits(max_bytes=8), server.url)
    assert isinstance(answer, Answer)
    assert answer.body == b"effusion"


def test_a_socket_is_spoken_to_in_place_of_a_host(tmp_path: Path) -> None:
    """No port is opened, and a silent one is given up in time."""
    place = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        limits = Limits(seconds=0.5, max_bytes=8)
        replies = [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhm", b"HTTP/1.1 200"]
        thread = Thread(target=serve, args=(listening, replies))
        thread.start()
        with open_client(limits, socket=place) as client:
            first, second = (exchange(client, limits, "GET", "http://localhost/x", headers={}) for _ in range(2))
        thread.join()
    assert isinstance(first, Answer)
    assert (first.body, second) == (b"hm", NoAnswer("timeout"))


def serve(listening: socket.socket, replies: list[bytes]) -> None:
    """Sends one reply a connection, and keeps it open until the other end is gone."""
    for reply in replies:
        connection, _ = listening.accept()
        with connection:
            connection.recv(1000)
            connection.sendall(reply)
            while connection.recv(1000):
                pass


def _replies(connections: list[list[bytes]], limits: Limits) -> tuple[list[Answer | NoAnswer], int]:
    """Answers to as many requests as there are replies, by one client that keeps its connection, and connections."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        accepted = []

        def serve_all() -> None:
            for replies in connections:
                connection, _ = listening.accept()
                accepted.append(connection)
                for reply in replies:
                    connection.recv(1000)
                    connection.sendall(reply)
                if len(accepted) < len(connections):
                    connection.close()

        thread = Thread(target=serve_all)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/x"
        with open_client(limits, keep=True) as client:
            answers = [exchange(client, limits, "GET", url, headers={}) for replies in connections for _ in replies]
        thread.join()
        accepted[-1].close()
        return answers, len(accepted)


_WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhm"


def test_a_connection_is_kept_for_the_next_request() -> None:
    """A handshake a document would take longer than many a document; a server that closes is connected to anew."""
    limits = Limits(seconds=20, max_bytes=8)
    answers, connections = _replies([[_WHOLE] * 3, [_WHOLE]], limits)
    assert [isinstance(each, Answer) and each.body for each in answers] == [b"hm"] * 4
    assert connections == 2


def test_a_kept_connection_is_given_up_in_time() -> None:
    """Though nothing tells of its being made, the second request ends when its time is over."""
    start = time.monotonic()
    answers, connections = _replies([[_WHOLE, b"HTTP/1.1 200"]], Limits(seconds=0.5, max_bytes=8))
    assert (answers[1], connections) == (NoAnswer("timeout"), 1)
    assert time.monotonic() - start < 20
