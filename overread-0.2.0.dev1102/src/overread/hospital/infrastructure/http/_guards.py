"""Middleware around every route: ids of requests, security headers, bounds of bodies and of requests at once."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from attrs import define, field
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from overread.hospital.infrastructure.http._places import Places
from overread.hospital.infrastructure.http._problems import ProblemError, problem_response
from overread.hospital.infrastructure.http.configuration import HttpConfiguration
from overread.hospital.infrastructure.telemetry import span
from overread.infrastructure.logs import bound, get_logger

__all__ = ["Bounds", "Envelope", "content_policy"]

_log = get_logger("http")


def content_policy(nonce: str = "") -> str:
    """The policy of what a page may load: this service's scripts and styles, and style elements that bear the nonce.

    >>> content_policy("abc").split("; ")[2]
    "style-src 'self' 'nonce-abc'"
    """
    styles = f"'self' 'nonce-{nonce}'" if nonce else "'self'"
    return (
        f"default-src 'none'; script-src 'self'; style-src {styles}; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


_SECURITY: Final = {
    "Content-Security-Policy": content_policy(),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_TWO_YEARS: Final = "max-age=63072000"


@define(eq=False)
class Envelope:
    """Middleware, the outermost: gives each request an id and its headers, and tells what nobody foresaw.

    An error that comes through is logged by its kind and place and answered as a problem; it goes no further, since the
    server would log its message, which may quote a report.

    Attributes:
        app: what answers.
        https: whether clients come over TLS alone.
        answered: called with route, method, status and seconds of each request.
    """

    app: ASGIApp
    https: bool
    answered: Callable[[str, str, int, float], None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = secrets.token_hex(16)  # never the client's, which may be another request's, or name a patient
        scope.setdefault("state", {})["request_id"] = request_id
        status = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._add_headers(MutableHeaders(scope=message), request_id)
            await send(message)

        began = time.perf_counter()
        with bound(request_id=request_id), span("request", request_id=request_id) as tell:
            try:
                await self.app(scope, receive, sending)
            except Exception as error:  # noqa: BLE001 - whatever it is, its message stays here
                _log.error("request_failed", error=error)
                if not status:
                    await problem_response(_UNFORESEEN, request_id)(scope, receive, sending)
            elapsed_s, route, method = time.perf_counter() - began, _route(scope), _method(scope)
            self.answered(route, method, status, elapsed_s)
            tell(method=method, route=route, status=status)
            elapsed_ms = round(elapsed_s * 1000)
            _log.info("request", method=method, route=route, status=status, elapsed_ms=elapsed_ms)

    def _add_headers(self, headers: MutableHeaders, request_id: str) -> None:
        for name, value in _SECURITY.items():
            headers.setdefault(name, value)
        headers.setdefault("Cache-Control", "no-store")
        headers["X-Request-ID"] = request_id
        if self.https:
            headers.setdefault("Strict-Transport-Security", _TWO_YEARS)


@define(eq=False)
class Bounds:
    """Middleware: so many requests at once, and bodies of so many bytes that arrive in so many seconds.

    Attributes:
        app: what answers.
        configuration: the bounds.
        is_known: whether a request brings what was found valid before, as far as that is known without asking.
    """

    app: ASGIApp
    configuration: HttpConfiguration
    is_known: Callable[[Scope], bool]
    _places: Places = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self._places = Places(self.configuration.most_in_flight, self.configuration.most_of_one_address)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it before anything of it is read."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        address = scope["client"][0] if scope.get("client") else ""
        body = _BoundedBody(receive, self.configuration)
        leave = None if self.is_known(scope) else body.give_up
        with ExitStack() as place:
            try:
                self._check(Headers(scope=scope))
                if scope["path"] not in _ALWAYS:
                    place.enter_context(self._places.taken(address, leave))
            except ProblemError as problem:
                await problem_response(problem, scope["state"]["request_id"])(scope, receive, send)
                return
            await self.app(scope, body.receive, send)

    def _check(self, headers: Headers) -> None:
        limits = self.configuration
        if any(encoding.lower() != "identity" for encoding in headers.getlist("content-encoding")):
            raise ProblemError(
                415, "encoded-body", "compressed bodies are not accepted", remedy="send the body uncompressed"
            )
        if "transfer-encoding" in headers and "content-length" in headers:
            # A proxy that goes by the other would take the rest of the body for somebody's next request.
            raise ProblemError(
                400, "bad-request", "Content-Length and Transfer-Encoding must not both be given", headers=_CLOSE
            )
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit():
            raise ProblemError(400, "bad-request", "Content-Length must be a number")
        if int(length) > limits.longest_body:
            raise _too_long(limits)


@define(eq=False)
class _BoundedBody:
    """A body as it arrives, which may neither be too long nor take too long."""

    incoming: Receive
    limits: HttpConfiguration
    _size: int = 0
    _until: float | None = None
    _whole: bool = False
    _waiting: asyncio.Timeout | None = None

    async def receive(self) -> Message:
        if self._whole:  # what comes now is that the client went away, whenever that is
            return await self.incoming()
        if self._until is None:
            self._until = asyncio.get_running_loop().time() + self.limits.body_seconds
        try:
            async with asyncio.timeout_at(self._until) as self._waiting:
                message = await self.incoming()
        except TimeoutError:
            raise ProblemError(408, "slow-body", "the body took too long to arrive", headers=_CLOSE) from None
        finally:
            self._waiting = None
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > self.limits.longest_body:
            raise _too_long(self.limits)
        return message

    def give_up(self) -> bool:
        """Waits no longer for the body; False where it is not waited for."""
        waiting, self._waiting = self._waiting, None
        if waiting is None or waiting.expired():
            return False
        waiting.reschedule(0)
        return True


def _too_long(limits: HttpConfiguration) -> ProblemError:
    detail = f"the body has more than {limits.longest_body:,} bytes"
    return ProblemError(413, "too-long", detail, remedy="send it in parts", headers=_CLOSE)


def _route(scope: Scope) -> str:
    """The route's pattern, which names nobody; the path itself may hold an accession number."""
    return str(getattr(scope.get("route"), "path", "/none"))


def _method(scope: Scope) -> str:
    """The method in lower case; "other" for one that isn't of HTTP, which may be anything and is not repeated."""
    method = str(scope["method"]).lower()
    return method if method in _METHODS else "other"


_METHODS: Final = ("delete", "get", "head", "options", "patch", "post", "put")
_ALWAYS: Final = ("/healthz", "/readyz", "/metrics")
_CLOSE: Final = {"Connection": "close"}
_UNFORESEEN: Final = ProblemError(
    500,
    "internal-error",
    "an unexpected error occurred",
    remedy="give the request id to whoever runs the service; the log shows where it happened",
)
