"""The address of a server, and whether it is this machine."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from attrs import frozen

from overread.exceptions import ConfigurationError
from overread.loopback import is_loopback

__all__ = ["Address", "parse_address"]

_PORTS: Final = {"http": 80, "https": 443}
_LABEL: Final = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PLACE: Final = re.compile(rf"(?:\[[0-9a-f:]+\]|{_LABEL}(?:\.{_LABEL})*)(?::[1-9][0-9]*)?", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_FORM: Final = "base_url must be http[s]://HOST[:PORT][/PATH], with no name, password or query in it"


@frozen
class Address:
    """The base URL of a server, put together from its checked parts."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        """Nothing but the parts, so that whoever reads it finds the host that was checked."""
        return f"{self.scheme}://{self.destination}{self.path}"

    @property
    def destination(self) -> str:
        """HOST:PORT."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """True if the host is written as localhost, 127.0.0.0/8 or ::1; no name is looked up."""
        return is_loopback(self.host)


def parse_address(base_url: str) -> Address:
    """Takes a base URL apart.

    A host that ends in a number must be an IPv4 address in its usual form: 0177.0.0.1 and 2130706433 mean one machine
    to one reader and none or another to the next.

    Raises:
        ConfigurationError: if it is no plain http or https URL; the message does not repeat it.
    """
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ConfigurationError([_FORM]) from error
    is_plain = base_url.isascii() and base_url.isprintable() and not set(base_url) & set(' @?#\\"<>')
    if parts.scheme not in _PORTS or not is_plain or not _PLACE.fullmatch(parts.netloc) or not _is_host(host):
        raise ConfigurationError([_FORM])
    return Address(parts.scheme, host, port or _PORTS[parts.scheme], parts.path.rstrip("/"))


def _is_host(host: str) -> bool:
    if ":" not in host and not _NUMBER.fullmatch(host):
        return True
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
