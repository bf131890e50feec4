"""Servers on this machine that note what comes and answer as a test says."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread

from attrs import define, field, frozen


@frozen
class Came:
    """One request; names of headers in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@frozen
class Reply:
    """What is answered.

    Attributes:
        wait_s: before anything is.
        trickle_s: between one byte of the body and the next.
    """

    status: int = 204
    body: bytes = b""
    headers: Mapping[str, str] = field(factory=dict)
    wait_s: float = 0.0
    trickle_s: float = 0.0


@define
class Listener:
    """A server and what it was sent."""

    port: int
    scheme: str = "http"
    host: str = "127.0.0.1"
    came: list[Came] = field(factory=list)

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"


@contextmanager
def listening(answer: Callable[[Came], Reply], *, sealed_by: tuple[Path, Path] | None = None) -> Iterator[Listener]:
    """A server that answers each request by a function, several at once.

    Args:
        answer: to a request.
        sealed_by: files of a certificate for "localhost" and its key, for a server over TLS.
    """
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            came = Came(self.command, self.path, headers, body)
            with lock:
                listener.came.append(came)
            self._answer(answer(came))

        do_POST = do_GET  # noqa: N815 - the name that is called

        def _answer(self, reply: Reply) -> None:
            time.sleep(reply.wait_s)
            self.send_response(reply.status)
            for name, value in ({"Content-Length": str(len(reply.body))} | dict(reply.headers)).items():
                self.send_header(name, value)
            self.end_headers()
            for piece in (
                [reply.body[at : at + 1] for at in range(len(reply.body))] if reply.trickle_s else [reply.body]
            ):
                self.wfile.write(piece)
                time.sleep(reply.trickle_s)

        def log_message(self, *_: object) -> None: ...

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None: ...  # a client that gives up is what some tests are about

    with Server(("127.0.0.1", 0), Handler) as server:
        listener = Listener(server.server_port)
        if sealed_by is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*sealed_by)
            server.socket = context.wrap_socket(server.socket, server_side=True)
            listener.scheme, listener.host = "https", "localhost"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield listener
        finally:
            server.shutdown()
            thread.join()
