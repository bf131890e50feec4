"""What counts as this machine, and which URLs are taken."""

from __future__ import annotations

import pytest

from overread.adapters.llm.chat_server._address import parse_address
from overread.exceptions import ConfigurationError


@pytest.mark.parametrize(
    ("url", "destination"),
    [
        ("http://127.0.0.1:8000/v1", "127.0.0.1:8000"),
        ("http://127.3.2.1/v1", "127.3.2.1:80"),
        ("http://LOCALHOST:11434/v1/", "localhost:11434"),
        ("https://[::1]:8443", "[::1]:8443"),
    ],
)
def test_this_machine_is_recognised(url: str, destination: str) -> None:
    """Every spelling of the loopback address counts, with the port of its scheme."""
    address = parse_address(url)
    assert address.is_loopback
    assert address.destination == destination


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.org/v1",
        "http://10.0.0.5:8000/v1",
        "http://0.0.0.0:8000",
        "http://127.0.0.1.example.org/v1",
        "http://localhost.example.org",
        "http://[2001:db8::1]/v1",
    ],
)
def test_anything_else_is_another_machine(url: str) -> None:
    """Names that merely begin like this machine's are others, and report text must not go there unasked."""
    assert not parse_address(url).is_loopback


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8000",
        "ftp://127.0.0.1/v1",
        "http:///v1",
        "http://user:hush@127.0.0.1/v1",
        "http://127.0.0.1@example.org/v1",
        "http://127.0.0.1\\@example.org/v1",
        "http://127.0.0.1/v1?key=hush",
        "http://127.0.0.1/v1#hush",
        "http://127.0.0.1:port/v1",
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1 /v1",
        "http://127.0.0.1\t.example.org/v1",
        "http://loc\u00e4lhost/v1",
        "http://[::1/v1",
        "http://[::1].example.org/v1",
        "http://[localhost]/v1",
        "http://::1/v1",
        "http://2130706433/v1",
        "http://0177.0.0.1/v1",
        "http://0x7f.1/v1",
        "http://127.1/v1",
        "http://127.0.0.1:0/v1",
        "http://127.0.0.1:/v1",
        f"http://{'a' * 64}.example.org/v1",
    ],
)
def test_what_is_no_plain_url_is_not_taken_nor_repeated(url: str) -> None:
    """Two readers could read such a URL as two machines; it may also hold a key."""
    with pytest.raises(ConfigurationError, match="base_url must be") as caught:
        parse_address(url)
    assert "hush" not in str(caught.value)


def test_the_url_is_put_together_from_the_parts_that_were_checked() -> None:
    """What was checked is what is asked."""
    assert parse_address("http://LocalHost/openai/v1/").url == "http://localhost:80/openai/v1"
