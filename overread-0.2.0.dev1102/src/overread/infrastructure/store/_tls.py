"""TLS on the way to a PostgreSQL server that is none of this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import URL

from overread.exceptions import ConfigurationError
from overread.loopback import is_loopback

__all__ = ["PLAIN", "TLS_REMEDY", "is_elsewhere", "over_tls"]

_SEALED: Final = ("require", "verify-ca", "verify-full")
"""Modes of libpq in which nothing is said without TLS; the last also knows that it is the server."""
PLAIN: Final = "reports would cross the network in plain text"
TLS_REMEDY: Final = (
    "give sslmode=verify-full with sslrootcert, or sslmode=require, in the address, or set allow_plain (of a "
    "hospital: hospital.allow_plain) if the network itself is encrypted or private"
)


def over_tls(url: URL, environment: Mapping[str, str]) -> URL:
    """The address, which asks for TLS if it leads beyond this machine.

    Raises:
        ConfigurationError: if it, or the environment, asks for less there.
    """
    hosts = _hosts(url, environment)
    modes = _several(url.query.get("sslmode")) or _several(environment.get("PGSSLMODE"))
    if not any(map(is_elsewhere, hosts)) or (modes and set(modes) <= set(_SEALED)):
        return url
    if modes:
        raise ConfigurationError(
            [f"the store's address leads beyond this machine with sslmode={modes[0]}: {PLAIN}; {TLS_REMEDY}"]
        )
    return url.update_query_dict({"sslmode": "require"})


def _hosts(url: URL, environment: Mapping[str, str]) -> list[str]:
    """Hosts of the address, or of the environment where it has none; empty for this machine's default socket."""
    written = [url.host, url.query.get("host"), url.query.get("hostaddr")]
    if not any(written):
        written = [environment.get("PGHOST"), environment.get("PGHOSTADDR")]
    return [host for names in written for host in _several(names)]


def _several(value: str | Sequence[str] | None) -> list[str]:
    parts = [value] if isinstance(value, str) else list(value or ())
    return [word.strip() for part in parts for word in part.split(",") if word.strip()]


def is_elsewhere(host: str) -> bool:
    """Return whether a host, with or without a port, is on another machine; a path is that of a socket."""
    name = host if host.count(":") != 1 else host.partition(":")[0]
    return bool(name) and not name.startswith(("/", "@")) and not is_loopback(name.strip("[]"))
