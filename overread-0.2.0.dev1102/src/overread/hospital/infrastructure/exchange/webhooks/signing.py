"""Signatures of webhooks as Standard Webhooks 1.0 describes them (standardwebhooks.com), for both ends."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["TOLERANCE", "is_genuine_webhook", "signed_headers"]

TOLERANCE: Final = timedelta(minutes=5)
"""Most that a message may be off the clock to be believed: an older one may be somebody's recording."""

_VERSION: Final = "v1"


def signed_headers(name: str, at: datetime, body: bytes, secrets: Sequence[bytes]) -> dict[str, str]:
    """The headers of a message: its id, when it was sent, and a signature by each secret.

    Args:
        name: id of the message; the same when it is sent again.
        at: when it is sent; the second is signed along.
        body: as sent.
        secrets: the newest first.

    The example of the specification:

    >>> from datetime import datetime, UTC
    >>> secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    >>> at = datetime.fromtimestamp(1614265330, UTC)
    >>> body = b'{"test": 2432232314}'
    >>> signed_headers("msg_p5jXN8AQM9LWM0D4loKWxJek", at, body, [secret])["webhook-signature"]
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    moment = str(int(at.timestamp()))
    signatures = [f"{_VERSION},{_signature(name, moment, body, secret)}" for secret in secrets]
    return {"webhook-id": name, "webhook-timestamp": moment, "webhook-signature": " ".join(signatures)}


def is_genuine_webhook(
    headers: Mapping[str, str], body: bytes, secret: bytes, *, now: datetime, tolerance: timedelta = TOLERANCE
) -> bool:
    """Return whether a message was signed with a secret, and recently; for receivers of webhooks.

    Args:
        headers: of the request, names in lower case.
        body: as it came.
        secret: shared with the sender.
        now: with a time zone.
        tolerance: allowed for the sender's clock and the time in transit.
    """
    moment = headers.get("webhook-timestamp", "")
    if not moment.isascii() or not moment.isdigit() or len(moment) > len("99999999999"):
        return False
    if abs(now - datetime.fromtimestamp(int(moment), UTC)) > tolerance:
        return False
    wanted = _signature(headers.get("webhook-id", ""), moment, body, secret)
    given = [entry.partition(",") for entry in headers.get("webhook-signature", "").split()]
    return any(
        version == _VERSION and hmac.compare_digest(signature.encode(), wanted.encode())
        for version, _, signature in given
    )


def _signature(name: str, moment: str, body: bytes, secret: bytes) -> str:
    signed = b".".join([name.encode(), moment.encode(), body])
    return base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
