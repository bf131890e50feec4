"""A FHIR server that is asked: where it is, how its answers are read, and requests to it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from attrs import field, frozen, validators

from overread.exceptions import ConfigurationError, OverreadError
from overread.hospital.infrastructure.exchange.addresses import checked_authorities, checked_url
from overread.hospital.infrastructure.exchange.asking import Answer, Asked, Limits, NoAnswer, ask
from overread.hospital.infrastructure.exchange.fhir._documents import parse
from overread.hospital.infrastructure.exchange.fhir._elements import Resource, words
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.hospital.infrastructure.exchange.secrets import SecretPlace, secret_words

__all__ = ["FhirServer", "PollError", "ServerAsker"]

_INCLUDED: Final = ("subject", "based-on", "result", "results-interpreter", "performer")


@frozen(kw_only=True)
class FhirServer:
    """A server that is asked.

    Attributes:
        url: its base, https or on this machine.
        reading: how its reports are read.
        cursor: file that keeps how far it was read.
        token: place of a bearer token, "env:NAME" or "file:PATH", looked up anew each time; "" for none.
        query: further parameters of the search, for example {"category": "RAD"}.
        included: parameters of the search whose resources shall come along.
        start: from when on reports are asked for at first; None for all there are.
        every: between two polls.
        longest: between two polls where the server fails; each failure in a row doubles the wait.
        overlap: how long before the newest report is read again, for servers that show reports late.
        count: reports of a page.
        most_pages: with anything new of one poll, and pages of one history; the next poll goes on.
        seconds: for one answer.
        allow_plain: whether http is allowed to other machines.
        authorities: file of the certificates that the server's is checked by; the system's where None.

    Raises:
        ConfigurationError: if the URL cannot be used.
    """

    url: str = field(repr=False)
    reading: FhirOptions
    cursor: Path
    token: SecretPlace = ""
    query: Mapping[str, str] = field(factory=dict)
    included: tuple[str, ...] = _INCLUDED
    start: datetime | None = None
    every: timedelta = timedelta(minutes=1)
    longest: timedelta = timedelta(minutes=15)
    overlap: timedelta = timedelta(minutes=5)
    count: int = field(default=50, validator=validators.ge(1))
    most_pages: int = field(default=200, validator=validators.ge(1))
    seconds: float = field(default=30.0, validator=validators.gt(0.0))
    allow_plain: bool = False
    authorities: Path | None = None

    def __attrs_post_init__(self) -> None:
        checked_url(self.url, "url", allow_plain=self.allow_plain)
        checked_authorities(self.authorities, "authorities")
        if "?" in self.url:
            raise ConfigurationError(["url must be the base of the FHIR server, without a query"])


class PollError(OverreadError):
    """A server did not answer as it should. What was read before is kept; the next poll goes on there.

    Attributes:
        reason: short and stable.
        wait: what the server asked for; None where it asked for nothing.
    """

    def __init__(self, reason: str, wait: timedelta | None = None) -> None:
        self.reason = reason
        self.wait = wait
        super().__init__(f"the FHIR server cannot be read: {reason}")


class ServerAsker:
    """Sends requests to a server, with its token, within its limits.

    Args:
        server: that is asked.
        environment: where tokens are looked up.
    """

    def __init__(self, server: FhirServer, environment: Mapping[str, str] = os.environ) -> None:
        self._server = server
        self._environment = environment

    def ask(self, urls: Sequence[str], headers: Mapping[str, str] | None = None) -> list[Answer]:
        """The answers to requests, in order. To be called from a thread without an event loop.

        Raises:
            PollError: if there is no answer to one.
            ConfigurationError: if there is no token where one is told.
        """
        server = self._server
        request_headers = {"Accept": "application/fhir+json", **(headers or {})}
        if server.token:
            request_headers["Authorization"] = f"Bearer {secret_words(server.token, self._environment)[0]}"
        limits = Limits(seconds=server.seconds, max_bytes=server.reading.max_bytes, authorities=server.authorities)
        answers = ask([Asked(limits=limits, method="GET", url=url, headers=request_headers) for url in urls])
        return [_usable(answer) for answer in answers]

    def bundle(self, answer: Answer) -> Resource:
        """The Bundle that an answer holds.

        Raises:
            PollError: if it holds none.
        """
        if not answer.is_success:
            raise PollError(f"status-{answer.status}", answer.asked_wait)
        try:
            bundle = parse(answer.body, self._server.reading)
        except RefusedMessageError as error:
            raise PollError(error.code) from None
        if words(bundle, "resourceType") != "Bundle":
            raise PollError("no-bundle")
        return bundle


def _usable(answer: Answer | NoAnswer) -> Answer:
    if isinstance(answer, NoAnswer):
        raise PollError(answer.reason)
    return answer
