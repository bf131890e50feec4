"""Configuration of the HTTP service: what it allows, and for how long."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from attrs import asdict, field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import ConfigurationError
from overread.hospital.domain.audit_trail import Role
from overread.hospital.infrastructure.exchange.addresses import checked_url
from overread.hospital.infrastructure.exchange.secrets import SecretBytes, SecretText
from overread.loopback import is_loopback

__all__ = ["LOOPBACK", "HttpConfiguration", "OidcConfiguration", "ServerOptions"]

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
"""Names by which this machine calls itself."""

_SHORTEST_SECRET: Final = 32
_LARGEST_PORT: Final = 65535
_NO_LIMITS: Final = ("hosts", "https", "session_secret")
_HOST: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\]")


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


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
        most_in_flight: requests at once; more are told to come again. Half of them are for whoever brings no key or
            session that was valid before; where those are taken, who lets the service wait for a body makes way.
        most_of_one_address: of those requests, so that one that sends its bodies slowly keeps out nobody else.
        most_streams: streams of events at once; of one key or person, a quarter as many.
        rate: requests a second that a key or person may make, on average.
        burst: requests that they may make at once after a pause.
        failed_logins: failures that an address may have, and has again after ``failed_window``.
        failed_window: see ``failed_logins``.

    Raises:
        ConfigurationError: naming every limit that is none.
    """

    hosts: tuple[str, ...] = field(default=LOOPBACK, converter=in_tuple)
    https: bool = False
    session_secret: SecretBytes = field(factory=lambda: secrets.token_bytes(32), repr=False)
    session_lifetime: timedelta = timedelta(hours=12)
    session_idle: timedelta = timedelta(hours=1)
    longest_body: int = 16 * 2**20
    body_seconds: float = 30.0
    most_in_flight: int = 128
    most_of_one_address: int = 96
    most_streams: int = 32
    rate: float = 100.0
    burst: int = 200
    failed_logins: int = 10
    failed_window: timedelta = timedelta(minutes=5)

    def __attrs_post_init__(self) -> None:
        limits = {name: value for name, value in asdict(self, recurse=False).items() if name not in _NO_LIMITS}
        problems = [f"{name} must be above 0" for name, value in limits.items() if not value > type(value)(0)]
        if len(self.session_secret) < _SHORTEST_SECRET:
            problems.append(f"session_secret must have {_SHORTEST_SECRET} bytes or more")
        if not self.hosts or not all(map(_HOST.fullmatch, self.hosts)):
            problems.append(
                "hosts must be the names in small letters or the addresses that clients use to reach the "
                "service, without scheme, port or *"
            )
        if problems:
            raise ConfigurationError(problems)


@frozen(kw_only=True)
class OidcConfiguration:
    """An OpenID provider whose people may sign in, and this service as its client.

    Attributes:
        issuer: as its tokens name it; https, or http on this machine.
        client_id: of this service at the provider.
        client_secret: the same; "" for a public client.
        public_url: by which browsers reach this service.
        audience: that bearer tokens must be for; they are not taken where it is "". Not the client's id, for which
            tokens are that tell who signed in and open nothing.
        name_claim: names who it is.
        roles_claim: has their roles, as a list or as words; with dots for a claim within another.
        roles: what the provider's words for roles mean here; other words mean nothing.
        scopes: asked for.
        recheck: after which a page is shown only once the provider has vouched again for who signed in there, without
            asking them anything; so long may a role outlast its withdrawal.
        authorities: file of the certificates that the provider is trusted by; the system's where None.

    Raises:
        ConfigurationError: naming every problem.
    """

    issuer: str
    client_id: str
    client_secret: SecretText = field(default="", repr=False)
    public_url: str
    audience: str = ""
    name_claim: str = "sub"
    roles_claim: str = "roles"
    roles: Mapping[str, Role] = field(factory=lambda: {role.value: role for role in Role})
    scopes: tuple[str, ...] = field(default=("openid", "profile"), converter=in_tuple)
    recheck: timedelta = timedelta(minutes=5)
    authorities: Path | None = None

    def __attrs_post_init__(self) -> None:
        problems = [f"{name} must not be empty" for name in ("issuer", "client_id") if not getattr(self, name)]
        for name in ("issuer", "public_url"):
            try:
                checked_url(getattr(self, name), name)
            except ConfigurationError as error:
                problems.extend(error.problems)
        if self.audience == self.client_id:
            problems.append("audience must not be the client_id")
        if self.recheck <= timedelta(0):
            problems.append("recheck must be longer than nothing")
        names = (self.name_claim, self.roles_claim, *self.roles)
        if not self.roles or not all(name and name == name.strip() for name in names):
            problems.append(
                "roles, roles_claim and name_claim must be names without blanks around them, one role or more"
            )
        if "openid" not in self.scopes:
            problems.append("scopes must name openid")
        if problems:
            raise ConfigurationError(problems)


@frozen(kw_only=True)
class ServerOptions:
    """Options of the server that listens for HTTP.

    Attributes:
        host: address or name to listen on; loopback unless told otherwise.
        port: to listen on; 0 takes any that is free.
        certificate, key: PEM files of the server's certificate and its key; with them connections are TLS.
        insecure_bind: whether it may listen on an address other than loopback without TLS.
        proxies: addresses of reverse proxies, which are trusted for the client's address and scheme.
        most_connections: at once; of one address, unless it is a proxy's, half as many. A further one closes the one
            that has let the service wait longest and has not shown a valid key or session.
        header_seconds: for a request's headers to arrive, from when the connection could have sent them.

    Raises:
        ConfigurationError: naming every problem, listening to everybody without TLS above all.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    certificate: Path | None = None
    key: Path | None = None
    insecure_bind: bool = False
    proxies: tuple[str, ...] = field(default=(), converter=in_tuple)
    most_connections: int = 512
    header_seconds: float = 15.0

    def __attrs_post_init__(self) -> None:
        problems = [
            f"{name} must be above 0" for name in ("most_connections", "header_seconds") if not getattr(self, name) > 0
        ]
        if not 0 <= self.port <= _LARGEST_PORT:
            problems.append(f"port must be 0 to {_LARGEST_PORT}")
        if not all(map(_is_address, self.proxies)):
            problems.append(
                "proxies must be addresses such as 10.0.0.7: whoever is trusted as a proxy can name any client"
            )
        if (self.certificate is None) is not (self.key is None):
            problems.append("certificate and key must be given together: TLS needs both")
        if self.certificate is None and not self.insecure_bind and not is_loopback(self.host):
            problems.append(
                f"host {self.host} is reachable from other machines: without TLS, keys and reports would "
                "cross the network in plain text; set certificate and key, or set insecure_bind if something "
                "else encrypts the connection"
            )
        if problems:
            raise ConfigurationError(problems)

    @property
    def is_sealed(self) -> bool:
        """True if connections use TLS."""
        return self.certificate is not None
