"""Options of the digests that authors get by mail."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

from attrs import field, frozen, validators

from overread.exceptions import ConfigurationError
from overread.hospital.application.use_cases.digesting import Schedule, Weekday
from overread.hospital.infrastructure.exchange.addresses import checked_authorities, checked_url
from overread.hospital.infrastructure.exchange.secrets import SecretText
from overread.hospital.infrastructure.exchange.zones import is_zone
from overread.loopback import is_loopback

__all__ = ["DigestOptions", "MailSecurity"]

_ADDRESS: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+")
_LARGEST_PORT: Final = 65535
_LAST_HOUR: Final = 23


class MailSecurity(StrEnum):
    """Ways to keep a connection to a mail server private."""

    STARTTLS = "starttls"
    """Plain at first; nothing is sent before it is TLS."""

    TLS = "tls"
    """TLS from the beginning."""

    PLAIN = "plain"


@frozen(kw_only=True)
class DigestOptions:
    """Weekly digests to authors: that something is new for them, without a word of what.

    Attributes:
        host: of the mail server.
        port: of the mail server.
        security: how the connection is kept private.
        allow_plain: whether it may be plain to another machine.
        authorities: file of the certificates that the server's is checked by; the system's where None.
        user: that signs in at the server; "" where none does.
        password: of that user.
        seconds: that the server has for each answer.
        sender: address that digests come from.
        addresses: of authors, by the names that they sign in with.
        public_url: by which browsers reach the pages, which digests link to.
        weekday: on which digests are sent: monday to sunday.
        hour: of that day from which on they are.
        zone: whose clocks tell so.

    Raises:
        ConfigurationError: naming every problem; no address of a person is in the message.
    """

    host: str
    port: int = 587
    security: MailSecurity = MailSecurity.STARTTLS
    allow_plain: bool = False
    authorities: Path | None = None
    user: str = ""
    password: SecretText = field(default="", repr=False)
    seconds: float = field(default=30.0, validator=validators.gt(0.0))
    sender: str
    addresses: Mapping[str, str] = field(factory=dict, repr=False, hash=False)
    public_url: str
    weekday: str = "monday"
    hour: int = 7
    zone: str = field(default="UTC", validator=is_zone)

    def __attrs_post_init__(self) -> None:
        problems = list(self._problems())
        if problems:
            raise ConfigurationError(problems)

    def _problems(self) -> Iterator[str]:
        yield from self._problems_of_server()
        if not _ADDRESS.fullmatch(self.sender):
            yield "sender must be a mail address"
        if not self.addresses or not all(map(_ADDRESS.fullmatch, self.addresses.values())):
            yield "addresses must name a mail address for each author, and one author or more"
        if self.weekday.upper() not in Weekday.__members__:
            yield f"weekday must be one of {', '.join(day.name.lower() for day in Weekday)}"
        if not 0 <= self.hour <= _LAST_HOUR:
            yield f"hour must be 0 to {_LAST_HOUR}"
        yield from _raised(lambda: checked_url(self.public_url, "public_url"))

    def _problems_of_server(self) -> Iterator[str]:
        if not self.host.strip():
            yield "host must not be empty"
        if not 1 <= self.port <= _LARGEST_PORT:
            yield f"port must be 1 to {_LARGEST_PORT}"
        if self.security is MailSecurity.PLAIN and not (self.allow_plain or is_loopback(self.host)):
            yield "security must be starttls or tls to another machine, unless allow_plain is set"
        if bool(self.user) is not bool(self.password):
            yield "user and password must be given together"
        yield from _raised(lambda: checked_authorities(self.authorities, "authorities"))

    @property
    def schedule(self) -> Schedule:
        """Moments at which digests are due."""
        return Schedule(weekday=Weekday[self.weekday.upper()], hour=self.hour, zone=self.zone)


def _raised(check: Callable[[], object]) -> Sequence[str]:
    try:
        check()
    except ConfigurationError as error:
        return error.problems
    return ()
