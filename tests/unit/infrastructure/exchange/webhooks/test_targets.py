"""Targets of webhooks and their secrets."""

from __future__ import annotations

import base64
import pickle
from pathlib import Path

import pytest

from overread.exceptions import ConfigurationError
from overread.infrastructure.exchange.webhooks.targets import WebhookTarget, secrets_from

_SECRET = b"s3cret-and-long-enough-to-sign"
_WRITTEN = f"whsec_{base64.b64encode(_SECRET).decode()}"


def test_secrets_come_from_the_environment_or_a_file(tmp_path: Path) -> None:
    """Two of them while one takes the place of the other, the newest first."""
    assert secrets_from("env:HOOK", {"HOOK": _WRITTEN}) == (_SECRET,)
    place = tmp_path / "secrets"
    other = f"whsec_{base64.b64encode(b'o' * 24).decode()}"
    place.write_text(f"{_WRITTEN}\n{other}\n", encoding="ascii")
    assert secrets_from(f"file:{place}", {}) == (_SECRET, b"o" * 24)


@pytest.mark.parametrize(
    "told", ["env:NONE", "file:/no/such/file", "whsec_c2VjcmV0", "env:PLAIN", "env:BROKEN", "env:ODD", "env:EMPTY"]
)
def test_a_secret_that_cannot_be_had_is_told_without_showing_it(told: str) -> None:
    """The name of the place is enough to find the mistake."""
    with pytest.raises(ConfigurationError) as caught:
        secrets_from(
            told, {"PLAIN": "hunter2", "BROKEN": "whsec_!hunter2!", "ODD": "whsec_hunter2\u00e9", "EMPTY": " "}
        )
    assert "hunter2" not in str(caught.value)


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
