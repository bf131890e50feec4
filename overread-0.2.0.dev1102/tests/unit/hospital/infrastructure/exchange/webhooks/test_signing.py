"""Signatures of webhooks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from overread.hospital.infrastructure.exchange.webhooks.signing import TOLERANCE, is_genuine_webhook, signed_headers

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
_OLD, _NEW = b"o" * 24, b"n" * 24
_BODY = b'{"pair":17}'


def test_either_secret_proves_a_message_while_one_takes_the_place_of_the_other() -> None:
    """Sender and receiver need not change their secrets in the same moment."""
    headers = signed_headers("m-1", _AT, _BODY, [_NEW, _OLD])
    assert is_genuine_webhook(headers, _BODY, _OLD, now=_AT)
    assert is_genuine_webhook(headers, _BODY, _NEW, now=_AT)
    assert not is_genuine_webhook(headers, _BODY, b"x" * 24, now=_AT)


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-id": "m-2"},
        {"webhook-timestamp": str(int(_AT.timestamp()) + 1)},
        {"webhook-timestamp": "soon"},
        {"webhook-timestamp": "9" * 30},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,ä"},
        {"webhook-signature": "v2,abc"},
    ],
)
def test_whatever_is_changed_breaks_the_signature(change: dict[str, str]) -> None:
    """The id and the moment are signed with the body, so that neither can be taken for another message."""
    headers = signed_headers("m-1", _AT, _BODY, [_NEW])
    assert is_genuine_webhook(headers, _BODY, _NEW, now=_AT)
    assert not is_genuine_webhook(headers | change, _BODY, _NEW, now=_AT)
    assert not is_genuine_webhook(headers, _BODY + b" ", _NEW, now=_AT)


def test_an_old_message_is_not_believed() -> None:
    """Somebody may have recorded it."""
    headers = signed_headers("m-1", _AT, _BODY, [_NEW])
    late = _AT + TOLERANCE + timedelta(seconds=1)
    assert not is_genuine_webhook(headers, _BODY, _NEW, now=late)
    assert is_genuine_webhook(headers, _BODY, _NEW, now=late, tolerance=timedelta(hours=1))
