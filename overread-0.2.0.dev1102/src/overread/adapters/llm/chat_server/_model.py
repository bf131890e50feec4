"""A language model behind a server that speaks OpenAI's chat completions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from threading import Event, Lock
from typing import Any, Final, Literal

from attrs import define, evolve, field

from overread.adapters.llm.chat_server._address import Address
from overread.adapters.llm.chat_server._dialect import Dialect, follows
from overread.adapters.llm.chat_server._line import FaultError, Line, RefusedError, ServerUnusableError
from overread.adapters.llm.chat_server._proxy import Proxy
from overread.adapters.llm.chat_server._refusal import Refusal, refusal_kind
from overread.adapters.llm.chat_server._threads import as_they_come
from overread.adapters.llm.chat_server._watch import Watch
from overread.application.ports import Request
from overread.application.traits import ModelTraits
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import Unscored
from overread.forking import after_fork_in_child, lock_for_forks

__all__ = ["ChatServerModel"]

_CHARACTERS_A_TOKEN: Final = 4
_TOKENS_A_MESSAGE: Final = 4
_TOKENS_A_REQUEST: Final = 3

Structured = Literal["auto", "schema", "json", "off"]


@define(eq=False, kw_only=True)
class ChatServerModel:
    """Asks a server, several requests at once.

    A request that fails for reasons of its own comes back as `Unscored`. A server that no request can use - it cannot
    be reached, does not accept the key, does not know the model, or leaves several requests in a row without an
    answer - ends the whole call with one `ConfigurationError`, and for some seconds every further call at once.

    Attributes:
        name: of the model, as the server knows it.
        revision: of the model in free text, part of the identity.
        temperature, seed: as sent; a negative one is not sent, for models that take none.
        structured: "auto" asks for the request's schema, then for JSON, then for nothing, as the server refuses or
            ignores it; the others stay as they are.
        price_in, price_out: of a million tokens of prompts and of answers, None where not told.
        open_line: called once, before the first request.
        proxy: that the line goes through, None for none.
    """

    name: str
    address: Address
    open_line: Callable[[], Line] = field(repr=False)
    proxy: Proxy | None = None
    revision: str | None = None
    temperature: float = 0.0
    seed: int = 7
    structured: Structured = "auto"
    concurrency: int = 8
    price_in: float | None = None
    price_out: float | None = None
    watch: Watch = field(factory=Watch, repr=False)
    _dialect: Dialect = field(init=False, repr=False)
    _line: Line | None = field(default=None, init=False, repr=False)
    _lock: Lock = field(factory=lock_for_forks, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self._dialect = Dialect("schema" if self.structured == "auto" else self.structured)
        after_fork_in_child(self._hang_up)

    @property
    def identity(self) -> str:
        """Model, revision, decoding and form of the answer."""
        model = f"openai:{self.name}@{self.revision}" if self.revision else f"openai:{self.name}"
        temperature = "default" if self.temperature < 0 else f"{self.temperature:g}"
        seed = "none" if self.seed < 0 else str(self.seed)
        return f"{model},temperature={temperature},seed={seed},structured={self.structured}"

    @property
    def traits(self) -> ModelTraits:
        """HOST:PORT that report text is sent to with the proxy on the way, and the prices."""
        destination = f"{self.address.destination}{self._way}"
        return ModelTraits(destination=destination, price_in=self.price_in, price_out=self.price_out)

    @property
    def note(self) -> str:
        """The destination of report text, and the proxy on its way, if it leaves this machine."""
        if self.address.is_loopback:
            return ""
        unencrypted = "" if self.address.scheme == "https" else " without encryption"
        return f"report text was sent to {self.address.host}{self._way}{unencrypted}"

    @property
    def _way(self) -> str:
        return f" through the proxy {self.proxy.place}" if self.proxy else ""

    @property
    def form(self) -> Literal["schema", "json", "off"]:
        """The form that answers must have at present, where a request has a schema."""
        return self._dialect.structured

    def complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion | Unscored]]:
        """The completion of each request, as they come.

        Closing the iterator ends what has not begun.

        Raises:
            ConfigurationError: if no request can be answered by the server.
        """
        if not requests:
            return
        self.watch.check()
        if self._line is None:
            self._line = self.open_line()
        line, stop = self._line, Event()
        yield from as_they_come(
            lambda index: self._completion(line, requests[index], stop),
            len(requests),
            threads=self.concurrency,
            stop=stop,
        )

    def count_tokens(self, request: Request) -> int:
        """An estimate, as only the server has the tokenizer: a token for 4 characters, and 4 more for each message."""
        characters = sum(len(message.text) for message in request.messages)
        overhead = _TOKENS_A_MESSAGE * len(request.messages) + _TOKENS_A_REQUEST
        return math.ceil(characters / _CHARACTERS_A_TOKEN) + overhead

    def close(self) -> None:
        """Ends the connections; others are opened where they are needed."""
        line, self._line = self._line, None
        if line is not None:
            line.client.close()

    def _completion(self, line: Line, request: Request, stop: Event) -> Completion | Unscored:
        try:
            completion, dialect = self._send_request(line, request, stop)
        except ServerUnusableError as error:
            raise self.watch.unusable(str(error)) from None
        except FaultError as fault:
            if not stop.is_set():
                self._lost(fault)
            return Unscored("no answer", str(fault))
        except RefusedError as refused:
            return self._unscored_refusal(refused)
        self.watch.answered()
        if (
            self.structured == "auto"
            and request.schema is not None
            and completion.finish is Finish.STOP
            and not follows(completion.text, request.schema, dialect)
        ):
            self._give_way(dialect, dialect.less_structured or dialect)
        return completion

    def _send_request(self, line: Line, request: Request, stop: Event) -> tuple[Completion, Dialect]:
        """The answer, and the dialect that the server took the request in; what it did not take is given up."""
        start = dialect = self._dialect
        while True:
            try:
                completion = line.send(self._payload(request, dialect), stop)
            except RefusedError as refused:
                next_ = self._next(request, dialect, refused)
                if next_ is None or stop.is_set():
                    raise
                dialect = next_
            else:
                self._give_way(start, dialect)
                return completion, dialect

    def _next(self, request: Request, dialect: Dialect, refused: RefusedError) -> Dialect | None:
        kind = refusal_kind(refused.status, refused.body)
        if kind is Refusal.LENGTH_NAME and dialect.length == "max_tokens":
            return evolve(dialect, length="max_completion_tokens")
        if kind in (Refusal.TOO_LONG, Refusal.CONTENT) or request.schema is None or self.structured != "auto":
            return None
        return dialect.less_structured

    def _hang_up(self) -> None:
        """A connection that parent and child shared would give the one the other's answers."""
        self._line = None

    def _give_way(self, before: Dialect, after: Dialect) -> None:
        """Switches to ``after``, unless another request has already replaced ``before``."""
        with self._lock:
            if self._dialect == before:
                self._dialect = after

    def _payload(self, request: Request, dialect: Dialect) -> dict[str, Any]:
        payload = {"model": self.name, **dialect.parameters(request)}
        if self.temperature >= 0:
            payload["temperature"] = self.temperature
        if self.seed >= 0:
            payload["seed"] = self.seed
        return payload

    def _lost(self, fault: FaultError) -> None:
        if fault.unreachable:
            raise self.watch.unusable(str(fault)) from None
        self.watch.record_failure(str(fault))

    def _unscored_refusal(self, refused: RefusedError) -> Unscored:
        kind, destination = refusal_kind(refused.status, refused.body), self.address.destination
        if kind is Refusal.TOO_LONG:
            return Unscored("too long", f"the request is longer than the model's context ({refused})")
        detail = f"{destination} refused the request ({refused})"
        if kind is not Refusal.CONTENT:
            self.watch.record_failure(detail)
        return Unscored("refused", detail)
