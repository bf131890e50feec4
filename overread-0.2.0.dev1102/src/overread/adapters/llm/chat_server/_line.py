"""A line to a server: sends one request, again where it was lost on the way."""

from __future__ import annotations

import os
import ssl
import weakref
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from threading import Event
from time import time
from typing import Any, Final

import httpx2
import openai
import tenacity
from attrs import field, frozen

from overread.adapters.llm.chat_server._address import Address
from overread.adapters.llm.chat_server._body import UnusableBodyError, read_completion
from overread.adapters.llm.chat_server._proxy import Proxy
from overread.adapters.llm.chat_server._refusal import refusal_code
from overread.domain.results.answer import Completion
from overread.exceptions import ConfigurationError
from overread.httpclient import Limits, open_client

__all__ = ["FaultError", "Line", "RefusedError", "ServerUnusableError", "open_line"]

_LONGEST_CONNECT_S: Final = 5.0
_LONGEST_BACKOFF_S: Final = 8.0
_LONGEST_RETRY_AFTER_S: Final = 60.0
_TRANSIENT: Final = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS}
_NO_KEY: Final = "none"


class FaultError(Exception):
    """A request that got no answer, though the same one may get one yet.

    Attributes:
        unreachable: whether not even a connection came about.
        retry_after: seconds after which the server wants to be asked again, if it says.
        tries: how often such a request may be sent, None for as often as any.
    """

    def __init__(
        self, detail: str, *, unreachable: bool = False, retry_after: float | None = None, tries: int | None = None
    ) -> None:
        super().__init__(detail)
        self.unreachable = unreachable
        self.retry_after = retry_after
        self.tries = tries


class RefusedError(Exception):
    """A request that the server does not accept. The message quotes nothing; the body may quote a report.

    Attributes:
        status: of HTTP.
        body: what came with it, as JSON or text.
    """

    def __init__(self, status: int, body: object) -> None:
        code = refusal_code(body)
        super().__init__(f"{status}, {code}" if code else str(status))
        self.status = status
        self.body = body


class ServerUnusableError(Exception):
    """A server that will not answer any request as it is addressed now; the message says why, and what helps."""


@frozen(eq=False)
class Line:
    """A client of a server.

    Attributes:
        timeout_s: for a whole answer.
        retries: of a request at most.
        max_bytes: of an answer's body.
        backoff_s: about how long the first wait before a retry is; each further one is twice as long.
    """

    client: openai.OpenAI = field(repr=False)
    address: Address
    timeout_s: float
    retries: int
    max_bytes: int
    backoff_s: float = 0.5

    def send(self, payload: dict[str, Any], stop: Event) -> Completion:
        """The answer to a chat completion request.

        Args:
            payload: parameters of the request.
            stop: ends waiting and retrying when set.

        Raises:
            FaultError: if none came, after all retries.
            RefusedError: if the request is not accepted.
            ServerUnusableError: if no request would be.
        """
        attempts = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(FaultError),
            stop=lambda state: stop.is_set() or state.attempt_number >= self._tries(state),
            wait=self._wait,
            sleep=tenacity.sleep_using_event(stop),
            reraise=True,
        )
        return attempts(self._send_once, payload, stop)

    def _tries(self, state: tenacity.RetryCallState) -> int:
        fault = state.outcome.exception() if state.outcome else None
        limit = fault.tries if isinstance(fault, FaultError) else None
        return self.retries + 1 if limit is None else min(limit, self.retries + 1)

    def _wait(self, state: tenacity.RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        if isinstance(fault, FaultError) and fault.retry_after is not None:
            return min(fault.retry_after, _LONGEST_RETRY_AFTER_S)
        backoff = tenacity.wait_exponential(self.backoff_s, max=_LONGEST_BACKOFF_S)
        return (backoff + tenacity.wait_random(0, self.backoff_s))(state)

    def _send_once(self, payload: dict[str, Any], stop: Event) -> Completion:
        if stop.is_set():
            raise FaultError("the request was cancelled")
        try:
            return self._answer(payload)
        except openai.APIStatusError as error:
            raise self._status_problem(error, str(payload["model"])) from None
        except openai.APIConnectionError as error:
            unreachable = isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError)
            timed_out = isinstance(error, openai.APITimeoutError) and not unreachable
            raise self._fault(timed_out=timed_out, unreachable=unreachable) from None
        except httpx2.DecodingError as error:
            raise FaultError(f"the answer of {self.address.destination} {error}", tries=2) from None
        except (httpx2.RequestError, ssl.SSLError) as error:
            raise self._fault(timed_out=isinstance(error, httpx2.TimeoutException)) from None
        except UnusableBodyError as error:
            raise FaultError(f"the answer of {self.address.destination} {error}", tries=2) from None

    def _answer(self, payload: dict[str, Any]) -> Completion:
        body = bytearray()
        with self.client.chat.completions.with_streaming_response.create(**payload) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > self.max_bytes:
                    detail = f"{self.address.destination} answered with more than {self.max_bytes} bytes"
                    raise FaultError(detail, tries=1)
            return read_completion(response.headers.get("content-type", ""), bytes(body))

    def _fault(self, *, timed_out: bool = False, unreachable: bool = False) -> FaultError:
        destination = self.address.destination
        if unreachable:
            return FaultError(f"{destination} cannot be reached; is the server running?", unreachable=True)
        if timed_out:
            return FaultError(f"{destination} did not answer within {self.timeout_s:g} s (timeout_s)")
        return FaultError(f"{destination} closed the connection")

    def _status_problem(self, error: openai.APIStatusError, model: str) -> Exception:
        destination, status = self.address.destination, error.status_code
        unusable = {
            HTTPStatus.UNAUTHORIZED: f"{destination} does not accept the key (401); see key_env",
            HTTPStatus.PAYMENT_REQUIRED: f"{destination} requires payment (402)",
            HTTPStatus.NOT_FOUND: f"{destination} has no model {model!r}, or serves no chat completions under"
            f" {self.address.path or '/'!r} (404); see base_url",
        }
        if status < HTTPStatus.BAD_REQUEST:
            return ServerUnusableError(
                f"{destination} redirects to another address ({status}), which is not followed; set base_url "
                "to that address"
            )
        if refusal_code(error.body) == "insufficient_quota":
            return ServerUnusableError(f"{destination} reports that the quota of the key is used up ({status})")
        if status in unusable:
            return ServerUnusableError(unusable[HTTPStatus(status)])
        if status in _TRANSIENT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            retry_after = _seconds(error.response.headers.get("retry-after"))
            return FaultError(f"{destination} answered with status {status}", retry_after=retry_after)
        return RefusedError(status, error.body)


def open_line(
    address: Address,
    *,
    key_env: str,
    timeout_s: float,
    retries: int,
    max_bytes: int,
    proxy: Proxy | None = None,
    backoff_s: float = 0.5,
) -> Line:
    """A line to a server; nothing is sent yet.

    No proxy is used but the one given, and no redirect is followed.

    Raises:
        ConfigurationError: if the key is missing for another machine, or is no key.
    """
    key = os.environ.get(key_env, "").strip()
    if not key and not address.is_loopback:
        problem = f"{address.destination} needs a key; put it into the environment variable {key_env}"
        raise ConfigurationError([f"{problem} (any text if the server asks for none)"])
    if not (key.isascii() and key.isprintable()):
        raise ConfigurationError([f"the environment variable {key_env} holds characters that a key cannot have"])
    http = open_client(
        Limits(seconds=timeout_s, max_bytes=max_bytes),
        connect_seconds=_LONGEST_CONNECT_S,
        proxy=proxy.url if proxy else None,
        # Certificates that the environment names are trusted of other machines.
        verify=httpx2.create_ssl_context(trust_env=not address.is_loopback),
    )
    client = openai.OpenAI(
        api_key=key or _NO_KEY,
        base_url=address.url,
        max_retries=0,
        timeout=http.timeout,
        http_client=http,
    )
    line = Line(client, address, timeout_s, retries, max_bytes, backoff_s)
    weakref.finalize(line, http.close)
    return line


def _seconds(retry_after: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or as a date."""
    if not retry_after:
        return None
    try:
        if retry_after.strip().isdecimal():
            return float(retry_after)
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time())
    except (ValueError, OverflowError):
        return None
