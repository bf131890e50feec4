"""The proxy that the environment names for a server."""

from __future__ import annotations

from urllib.request import getproxies, proxy_bypass

from attrs import field, frozen

from overread.adapters.llm.chat_server._address import Address, parse_address
from overread.exceptions import ConfigurationError

__all__ = ["Proxy", "environment_proxy"]


@frozen
class Proxy:
    """A proxy.

    Attributes:
        url: which may hold a password.
        place: HOST:PORT.
    """

    url: str = field(repr=False)
    place: str


def environment_proxy(address: Address) -> Proxy | None:
    """The proxy of HTTP_PROXY or HTTPS_PROXY, by the server's scheme, else of ALL_PROXY.

    Returns:
        None if there is none, NO_PROXY names the server, or the server is this machine.

    Raises:
        ConfigurationError: if it is no http or https proxy; the message does not repeat it.
    """
    named = getproxies()
    url = named.get(address.scheme) or named.get("all")
    if address.is_loopback or not url or proxy_bypass(address.destination):
        return None
    url = url if "://" in url else f"http://{url}"
    scheme, _, place = url.partition("://")
    try:
        return Proxy(url, parse_address(f"{scheme}://{place.rpartition('@')[2]}").destination)
    except ConfigurationError:
        problem = (
            f"the proxy that the environment names for {address.scheme} is not http[s]://[NAME:PASSWORD@]HOST:PORT"
        )
        raise ConfigurationError([f"{problem}; correct it, or set model.proxy=false"]) from None
