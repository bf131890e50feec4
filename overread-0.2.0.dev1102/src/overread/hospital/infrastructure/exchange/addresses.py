"""Addresses of other systems, and checks that the way there is private."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from overread.exceptions import ConfigurationError
from overread.loopback import is_loopback

__all__ = ["checked_authorities", "checked_url", "same_origin"]

_PORTS: Final = {"http": 80, "https": 443}
_UNSAFE: Final = frozenset(' @#\\"<>')


def checked_url(url: str, what: str, *, allow_plain: bool = False) -> str:
    """A URL that may be talked to: https, or http where it stays on this machine.

    Args:
        url: with scheme and host, without a user, a password or a fragment.
        what: the setting that it is, or another name of it, for the message.
        allow_plain: whether http is allowed to other machines; whoever listens on the way then reads along.

    Raises:
        ConfigurationError: if it is not; the message does not repeat it.

    >>> checked_url("http://127.0.0.1:8080/fhir", "url")
    'http://127.0.0.1:8080/fhir'
    """
    origin = _origin(url)
    if origin is None or not url.isascii() or not url.isprintable() or _UNSAFE & set(url):
        raise ConfigurationError([f"{what} must be https://HOST[:PORT][/PATH], without a user or password"])
    scheme, host, _ = origin
    if scheme == "http" and not (allow_plain or is_loopback(host)):
        raise ConfigurationError([f"{what} must be https, unless plain http is allowed"])
    return url


def checked_authorities(place: Path | None, what: str) -> None:
    """Check that a file of trusted certificates can be used; None stands for those of the system.

    Args:
        place: of the file.
        what: the setting that names it, for the message.

    Raises:
        ConfigurationError: if it cannot be read, or holds none.
    """
    try:
        ssl.create_default_context(cafile=place)
    except OSError:
        raise ConfigurationError([f"{what} names a file that cannot be read, or holds no certificates"]) from None


def same_origin(url: str, other: str) -> bool:
    """Return whether two URLs share scheme, host and port; text that isn't a URL has no origin.

    >>> same_origin("https://a.example/x", "https://A.example:443/y"), same_origin("http://a.example", "//a.example")
    (True, False)
    """
    one = _origin(url)
    return one is not None and one == _origin(other)


def _origin(url: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not host or "@" in parts.netloc:
        return None
    return parts.scheme, host, port or _PORTS[parts.scheme]
