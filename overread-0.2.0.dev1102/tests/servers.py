"""Servers on this machine that answer as a script says, and a guard that nothing else is talked to."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import Lock, Thread
from typing import Any

import pytest
from attrs import define, field, frozen


@frozen
class Received:
    """One request as it came."""

    path: str
    body: dict[str, Any]
    headers: Message

    @property
    def said(self) -> str:
        text: str = self.body["messages"][-1]["content"]
        return text


@frozen
class Reply:
    """What the server does with one request.

    Attributes:
        wait_s: before it answers.
        pause_s: between one byte and the next.
        head_pause_s: between one header and the next, of which there are then very many.
        promised: bytes that it announces; it breaks off where it has fewer.
        times: that the body is sent, one after the other.
        chunked: whether it is sent in chunks, its length untold.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {"Content-Type": "application/json"}
    wait_s: float = 0.0
    pause_s: float = 0.0
    head_pause_s: float = 0.0
    promised: int | None = None
    times: int = 1
    chunked: bool = False

    def pieces(self) -> Iterator[bytes]:
        """What is written one by one."""
        for _ in range(self.times):
            yield from [bytes([byte]) for byte in self.body] if self.pause_s else [self.body]


Script = Callable[[Received], Reply]


def answer(text: str | None, finish: str | None = "stop", *, wait_s: float = 0.0, **message: Any) -> Reply:
    """A chat completion."""
    body = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "system_fingerprint": "fp1",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
    }
    return Reply(json.dumps(body).encode(), wait_s=wait_s)


def refusal(status: int, message: str = "no", *, headers: Mapping[str, str] | None = None, **error: Any) -> Reply:
    """An error as OpenAI words it."""
    body = {"error": {"message": message, **error}}
    return Reply(json.dumps(body).encode(), status, {"Content-Type": "application/json", **(headers or {})})


def broken_off(reply: Reply) -> Reply:
    """The reply, of which only the first half arrives."""
    return Reply(reply.body[: len(reply.body) // 2], reply.status, reply.headers, promised=len(reply.body))


@define
class ScriptedServer:
    """A server on a free port of this machine."""

    port: int
    received: list[Received] = field(factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def wait_for(self, count: int) -> None:
        """Until so many requests have come: one that was given up at once may come late."""
        deadline = time.monotonic() + 300
        while len(self.received) < count:
            assert time.monotonic() < deadline
            time.sleep(0.01)


@contextmanager
def scripted(*script: Reply | Script) -> Iterator[ScriptedServer]:
    """A server that does what the script says, one entry a request; the last entry is for all that follow."""
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            received = Received(self.path, body, self.headers)
            with lock:
                entry = script[min(len(served.received), len(script) - 1)]
                served.received.append(received)
            reply = entry if isinstance(entry, Reply) else entry(received)
            time.sleep(reply.wait_s)
            self.protocol_version = "HTTP/1.1" if reply.chunked else "HTTP/1.0"
            self.close_connection = True
            self.send_response(reply.status)
            for number in range(1000 if reply.head_pause_s else 0):
                self.send_header(f"X-{number}", "more")
                self.flush_headers()
                time.sleep(reply.head_pause_s)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            length = reply.times * len(reply.body) if reply.promised is None else reply.promised
            self.send_header(*("Transfer-Encoding", "chunked") if reply.chunked else ("Content-Length", str(length)))
            self.end_headers()
            for piece in reply.pieces():
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if reply.chunked else piece)
                time.sleep(reply.pause_s)
            self.wfile.write(b"0\r\n\r\n" if reply.chunked else b"")

        def log_message(self, *_: object) -> None: ...

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None: ...  # a client that goes away is what some tests are about

    with Server(("127.0.0.1", 0), Handler) as server:
        served = ScriptedServer(server.server_port)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def guard_sockets(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Has every connection and every look-up of a name fail that is not for this machine; lists those tried."""
    tried: list[str] = []
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _refuse_remote(address[0], tried)
        connect(self, address)

    def guarded_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        _refuse_remote(host, tried)
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    return tried


def _refuse_remote(host: str | bytes, tried: list[str]) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    try:
        is_here = name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        is_here = False
    if not is_here:
        tried.append(name)
        raise OSError(f"the test guards against {name}")
