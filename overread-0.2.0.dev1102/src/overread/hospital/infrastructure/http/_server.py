"""Uvicorn, begun and ended by the process that it is a part of."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import uvicorn
from attrs import define, field
from fastapi import FastAPI

from overread.exceptions import ConfigurationError
from overread.hospital.infrastructure.http._connections import BoundedConfig, BoundedConnection
from overread.hospital.infrastructure.http.configuration import ServerOptions

__all__ = ["HttpServer"]

_ACCEPTED_AT_ONCE: Final = 64
"""Connections, before what they have sent is read: far fewer than may be open, or a rush would close them unheard."""


class _Uvicorn(uvicorn.Server):
    """Leaves signals to the process: parts beside it are to end in their order."""

    def __init__(self, config: BoundedConfig) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts as uvicorn does, but bounds a handshake as headers: no connection is counted before it ends."""
        await self.lifespan.startup()
        config, loop = self.config, asyncio.get_running_loop()
        assert isinstance(config, BoundedConfig)  # noqa: S101 - with which alone it is made
        handshake_s = config.options.header_seconds if config.ssl is not None else None
        self.servers = []
        for listener in sockets or ():
            self.servers.append(
                await loop.create_server(
                    self._connection,
                    sock=listener,
                    ssl=config.ssl,
                    backlog=_ACCEPTED_AT_ONCE,
                    ssl_handshake_timeout=handshake_s,
                )
            )
            listener.listen(config.backlog)  # asyncio accepts as many in a row as it had told the system to let wait
        self.started = True
        self.listening.set()

    def _connection(self) -> BoundedConnection:
        return BoundedConnection(self.config, self.server_state, self.lifespan.state)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@define(eq=False)
class HttpServer:
    """Answers HTTP in the running event loop.

    Attributes:
        app: what answers.
        options: where to listen.
        name: of this part of the process.
    """

    app: FastAPI
    options: ServerOptions
    name: str = "http"
    _server: _Uvicorn | None = field(default=None, init=False, repr=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False, repr=False)
    _port: int = field(default=0, init=False)

    @property
    def url(self) -> str:
        """The URL that reaches the server from this machine, or where it listens."""
        scheme = "https" if self.options.is_sealed else "http"
        host = f"[{self.options.host}]" if ":" in self.options.host else self.options.host
        return f"{scheme}://{host}:{self._port}"

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return self._port

    @property
    def works(self) -> bool:
        """True if the server listens."""
        return self._server is not None and self._server.started and self._task is not None and not self._task.done()

    async def start(self) -> None:
        """Begin to listen; the server listens once this returns.

        Raises:
            ConfigurationError: if the address cannot be listened on, or certificate or key cannot be used.
        """
        bound = self._bind_socket()
        self._port = bound.getsockname()[1]
        try:
            config = self._config()
            config.load()
        except (OSError, ssl.SSLError) as error:
            bound.close()
            raise ConfigurationError([f"certificate or key of HTTP cannot be used: {error.strerror}"]) from None
        self._server = _Uvicorn(config)
        self._task = asyncio.create_task(self._server.serve([bound]))
        listening = asyncio.create_task(self._server.listening.wait())
        await asyncio.wait([listening, self._task], return_when=asyncio.FIRST_COMPLETED)
        if not listening.done():
            listening.cancel()
            self._task.result()

    async def stop(self, within: timedelta) -> None:
        """Listen no more, and end.

        Args:
            within: that requests which are being answered may take; they are cut off then.
        """
        if self._server is not None and self._task is not None:
            self._server.config.timeout_graceful_shutdown = max(1, round(within.total_seconds()))
            self._server.should_exit = True
            await self._task

    def _bind_socket(self) -> socket.socket:
        place = f"{self.options.host}:{self.options.port}"
        try:
            family = socket.getaddrinfo(self.options.host, self.options.port, type=socket.SOCK_STREAM)[0][0]
            bound = socket.socket(family, socket.SOCK_STREAM)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((self.options.host, self.options.port))
        except OSError as error:
            raise ConfigurationError([f"cannot listen for HTTP on {place}: {error.strerror}"]) from None
        return bound

    def _config(self) -> BoundedConfig:
        options = self.options
        return BoundedConfig(
            self.app,
            options,
            host=options.host,
            log_config=None,
            access_log=False,  # lines with addresses, which may name examinations; the envelope logs patterns
            server_header=False,
            proxy_headers=bool(options.proxies),
            forwarded_allow_ips=list(options.proxies),
            ssl_certfile=options.certificate,
            ssl_keyfile=options.key,
            ws="none",
        )
