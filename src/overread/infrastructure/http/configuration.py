"""What the HTTP service allows, and for how long."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Final

from attrs import Attribute, field, frozen

from overread.domain.equality import in_tuple
from overread.exceptions import ConfigurationError

__all__ = ["LOOPBACK", "HttpConfiguration"]

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
"""Names of this machine; what is bound to them is heard by nobody else."""

_SHORTEST_SECRET: Final = 32


def _above_zero(_: object, about: Attribute[object], value: float | timedelta) -> None:
    zero = timedelta(0) if isinstance(value, timedelta) else 0
    if not value > zero:  # type: ignore[operator]
        raise ConfigurationError([f"{about.name} must be above 0"])


def _long(_: object, __: object, value: bytes) -> None:
    if len(value) < _SHORTEST_SECRET:
        raise ConfigurationError([f"the session secret must have {_SHORTEST_SECRET} bytes or more"])


@frozen(kw_only=True)
class HttpConfiguration:
    """Limits of the HTTP service.

    Attributes:
        hosts: names by which clients may call it, without ports; requests to others are refused.
        https: whether clients reach it over TLS, its own or a proxy's; cookies are then sent over nothing else.
        session_secret: seals session cookies. Processes that share the work must share it; random where not given, so
            that a restart signs everybody out.
        session_lifetime: after which one signs in anew, whatever happens.
        session_idle: after which one signs in anew if nothing happened.
        longest_body: bytes of a request; more is refused while it arrives.
        body_seconds: in which a request's body must have arrived.
        most_in_flight: requests at once; more are told to come again.
        rate: requests a second that a key or person may make, on average.
        burst: requests that they may make at once after a pause.
        failed_logins: failures that an address may have, and has again after ``failed_window``.
        failed_window: see ``failed_logins``.
    """

    hosts: tuple[str, ...] = field(default=LOOPBACK, converter=in_tuple)
    https: bool = False
    session_secret: bytes = field(factory=lambda: secrets.token_bytes(32), repr=False, validator=_long)
    session_lifetime: timedelta = field(default=timedelta(hours=12), validator=_above_zero)
    session_idle: timedelta = field(default=timedelta(hours=1), validator=_above_zero)
    longest_body: int = field(default=16 * 2**20, validator=_above_zero)
    body_seconds: float = field(default=30.0, validator=_above_zero)
    most_in_flight: int = field(default=128, validator=_above_zero)
    rate: float = field(default=100.0, validator=_above_zero)
    burst: int = field(default=200, validator=_above_zero)
    failed_logins: int = field(default=10, validator=_above_zero)
    failed_window: timedelta = field(default=timedelta(minutes=5), validator=_above_zero)
