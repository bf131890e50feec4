"""A way over TCP to a PostgreSQL server that listens on a socket alone: with TLS, or without."""

from __future__ import annotations

import socket
import socketserver
import ssl
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any, Final

from psycopg.conninfo import conninfo_to_dict

__all__ = ["EVERYWHERE", "way_to"]

EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - an address of this machine that is not loopback, as far as it is written
_ASKS: Final = {80877103: "S", 80877104: ""}
"""Codes by which a client asks for TLS and for GSSAPI, and the answer that means yes."""


class _Way(socketserver.BaseRequestHandler):
    """One connection: what it asks is answered as a server does, then all goes on to the server."""

    server: _Ways

    def handle(self) -> None:
        connection: socket.socket = self.request
        begin = connection.recv(8)
        while len(begin) == 8 and (asked := struct.unpack("!ii", begin)[1]) in _ASKS:
            yes = _ASKS[asked] if self.server.context is not None else ""
            connection.sendall(yes.encode() or b"N")
            if yes and self.server.context is not None:
                with suppress(OSError), self.server.context.wrap_socket(connection, server_side=True) as sealed:
                    self._go_on(sealed, b"")
                return
            begin = connection.recv(8)
        self._go_on(connection, begin)

    def _go_on(self, connection: socket.socket, begin: bytes) -> None:
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(self.server.place)
            server.sendall(begin)
            back = Thread(target=_pour, args=(server, connection), daemon=True)
            back.start()
            _pour(connection, server)
            back.join()


def _pour(source: socket.socket, target: socket.socket) -> None:
    """Everything from one to the other, until it ends."""
    with suppress(OSError):
        while some := source.recv(65536):
            target.sendall(some)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


class _Ways(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    context: ssl.SSLContext | None
    place: str


@contextmanager
def way_to(url: str, certificate: tuple[Path, Path] | None = None) -> Iterator[str]:
    """The address of a server's database by a way that is not loopback, as far as it is written.

    Args:
        url: of the database, on a socket.
        certificate: files of a certificate and its key; without them the way answers that it has no TLS.
    """
    parts: dict[str, Any] = conninfo_to_dict(url)
    with _Ways((EVERYWHERE, 0), _Way) as ways:
        ways.place = f"{parts['host']}/.s.PGSQL.{parts.get('port', 5432)}"
        ways.context = None
        if certificate is not None:
            ways.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            ways.context.load_cert_chain(*certificate)
        Thread(target=ways.serve_forever, daemon=True).start()
        try:
            yield f"postgresql://{parts['user']}@{EVERYWHERE}:{ways.server_address[1]}/{parts['dbname']}"
        finally:
            ways.shutdown()
