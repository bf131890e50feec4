"""Which proxy the environment names for a server."""

from __future__ import annotations

import pytest

from overread.adapters.llm.chat_server._address import parse_address
from overread.adapters.llm.chat_server._proxy import environment_proxy
from overread.exceptions import ConfigurationError

HTTP = parse_address("http://llm.example.org:8000/v1")
HTTPS = parse_address("https://llm.example.org/v1")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_there_may_be_none() -> None:
    """Without variables nothing stands in between."""
    assert environment_proxy(HTTP) is None


def test_the_scheme_decides_and_all_is_for_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy is told without the password in its address."""
    monkeypatch.setenv("http_proxy", "one.example.org:1")
    monkeypatch.setenv("all_proxy", "https://user:p@ss@[2001:db8::1]")
    plain, encrypted = environment_proxy(HTTP), environment_proxy(HTTPS)
    assert plain is not None
    assert encrypted is not None
    assert (plain.url, plain.place) == ("http://one.example.org:1", "one.example.org:1")
    assert (encrypted.url, encrypted.place) == ("https://user:p@ss@[2001:db8::1]", "[2001:db8::1]:443")


@pytest.mark.parametrize("bypassed", ["llm.example.org", ".example.org", "*", "llm.example.org:8000"])
def test_no_proxy_is_heeded(bypassed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts may be named whole, by their end, with a port, or all at once."""
    monkeypatch.setenv("http_proxy", "http://one.example.org:1")
    assert environment_proxy(HTTP) is not None
    monkeypatch.setenv("no_proxy", bypassed)
    assert environment_proxy(HTTP) is None


def test_this_machine_is_never_reached_through_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would see reports that were to stay on the machine."""
    monkeypatch.setenv("http_proxy", "http://one.example.org:1")
    assert environment_proxy(parse_address("http://127.0.0.1:8000/v1")) is None


@pytest.mark.parametrize(
    "url", ["socks5://hush:1", "http://:3128", "http://hush:port", "http://[hush", "http://hu sh:1"]
)
def test_what_is_no_http_proxy_is_refused_and_not_repeated(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address may hold a password; the option to do without is named."""
    monkeypatch.setenv("http_proxy", url)
    with pytest.raises(ConfigurationError, match=r"model\.proxy=false") as caught:
        environment_proxy(HTTP)
    assert "hush" not in str(caught.value)
