"""Targets of webhooks and their secrets."""

from __future__ import annotations

import base64
import pickle
from pathlib import Path

import pytest

from overread.exceptions import ConfigurationError
from overread.hospital.infrastructure.exchange.secrets import secrets_converter
from overread.hospital.infrastructure.exchange.webhooks.targets import WebhookTarget
from overread.structuring import structure

_SECRET = b"s3cret-and-long-enough-to-sign"
_WRITTEN = f"whsec_{base64.b64encode(_SECRET).decode()}"


def _target(place: object, environment: dict[str, str]) -> WebhookTarget:
    table = {"name": "ris", "url": "https://ris.example", "secrets": place}
    return structure(WebhookTarget, table, "hook", converter=secrets_converter(environment))


def test_secrets_come_from_the_environment_or_a_file(tmp_path: Path) -> None:
    """Two of them while one takes the place of the other, the newest first."""
    assert _target("env:HOOK", {"HOOK": _WRITTEN}).secrets == (_SECRET,)
    place = tmp_path / "secrets"
    other = f"whsec_{base64.b64encode(b'o' * 24).decode()}"
    place.write_text(f"{_WRITTEN}\n{other}\n", encoding="ascii")
    assert _target(f"file:{place}", {}).secrets == (_SECRET, b"o" * 24)


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("env:NONE", "names the environment variable NONE, which is not set"),
        ("env:EMPTY", "names the environment variable EMPTY, which is empty"),
        ("file:/no/such/file", "names the file /no/such/file, which cannot be read: No such file or directory"),
        ("whsec_hunter2", "must be env:NAME or file:PATH, where the secret is kept"),
        (["hunter2"], "must be env:NAME or file:PATH, where the secret is kept"),
        ("env:PLAIN", 'must hold "whsec_" and base64'),
        ("env:BROKEN", 'must hold "whsec_" and base64'),
        ("env:ODD", 'must hold "whsec_" and base64'),
        ("env:SHORT", "must have at least 24 bytes each"),
    ],
    ids=str,
)
def test_a_secret_that_cannot_be_had_is_told_without_showing_it(place: object, problem: str) -> None:
    """Once, with the setting's name and where it was looked for, which is enough to find the mistake."""
    environment = {
        "PLAIN": "hunter2",
        "BROKEN": "whsec_!hunter2!",
        "ODD": "whsec_hunter2\u00e9",
        "EMPTY": " ",
        "SHORT": "whsec_c2VjcmV0",
    }
    with pytest.raises(ConfigurationError) as caught:
        _target(place, environment)
    assert caught.value.problems == (f"hook.secrets {problem}",)


def test_a_target_is_held_against_what_it_needs() -> None:
    """TLS unless on this machine, and a secret that cannot be guessed; neither is shown."""
    target = WebhookTarget(name="ris", url="https://ris.example/t0ken", secrets=[_SECRET])
    assert "t0ken" not in repr(target)
    assert "s3cret" not in repr(target)
    assert pickle.loads(pickle.dumps(target)) == target  # noqa: S301
    with pytest.raises(ConfigurationError, match="https"):
        WebhookTarget(name="ris", url="http://ris.example", secrets=[_SECRET])
    for secrets in ([], [b"short"], [_SECRET, b"short"]):
        with pytest.raises(ConfigurationError, match="24 bytes"):
            WebhookTarget(name="ris", url="https://ris.example", secrets=secrets)
