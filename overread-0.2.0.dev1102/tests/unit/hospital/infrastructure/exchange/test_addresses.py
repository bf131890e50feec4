"""Which URLs may be talked to."""

from __future__ import annotations

from pathlib import Path

import pytest

from overread.exceptions import ConfigurationError
from overread.hospital.infrastructure.exchange.addresses import checked_authorities, checked_url, same_origin


@pytest.mark.parametrize(
    "url", ["https://ris.example/hook", "http://localhost:8/x", "http://127.0.0.1", "http://[::1]:80/"]
)
def test_private_ways_are_taken(url: str) -> None:
    """Over TLS to any machine; without it only to this one."""
    assert checked_url(url, "it") == url


@pytest.mark.parametrize(
    "url",
    [
        "http://ris.example/hook",
        "http://127.0.0.1.example/",
        "ftp://ris.example",
        "https://",
        "https://user:secret@ris.example",
        "https://ris.example:port",
        "https://ris.example/a b",
        "https://ris.example/#part",
        "//ris.example",
        "",
    ],
)
def test_others_are_refused_without_repeating_them(url: str) -> None:
    """What somebody wrote as a URL may hold a password."""
    with pytest.raises(ConfigurationError) as caught:
        checked_url(url, "it")
    assert "secret" not in str(caught.value)


def test_plain_http_to_others_must_be_allowed() -> None:
    """A closed network may go without TLS, if somebody says so."""
    assert checked_url("http://ris.example", "it", allow_plain=True) == "http://ris.example"


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("https://a.example/x?y", "https://A.EXAMPLE:443/z", True),
        ("https://a.example", "http://a.example", False),
        ("https://a.example", "https://a.example:444", False),
        ("https://a.example", "https://a.example.evil", False),
        ("https://a.example", "https://a.example@evil", False),
        ("", "", False),
    ],
)
def test_an_origin_is_scheme_host_and_port(one: str, other: str, is_same: bool) -> None:  # noqa: FBT001
    """As browsers tell origins apart."""
    assert same_origin(one, other) is is_same


def test_authorities_are_tried_before_they_are_needed(tmp_path: Path) -> None:
    """A wrong path shows when the service begins, not when the first message is due."""
    checked_authorities(None, "it")
    place = tmp_path / "authorities.pem"
    with pytest.raises(ConfigurationError, match="it names a file that cannot be read"):
        checked_authorities(place, "it")
    place.write_text("no certificate", encoding="ascii")
    with pytest.raises(ConfigurationError, match="it names a file that cannot be read"):
        checked_authorities(place, "it")
