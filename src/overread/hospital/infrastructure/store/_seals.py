"""Seals texts by AES-GCM, each bound to the row that it belongs to."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Final

from attrs import field, frozen
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from overread.exceptions import MissingKeyError, StoreError
from overread.hospital.infrastructure.store.keys import TextKeys

__all__ = ["PLAIN", "Sealed", "Seals", "keyed_digest"]

PLAIN: Final = ""
"""Id that stands in place of a key's where a text is not sealed."""

_LOCKED: Final = "the store was opened without the keys of its texts (open it with their key file)"

_NONCE: Final = 12
"""Bytes, as NIST SP 800-38D recommends; drawn at random for each text."""


@frozen
class Sealed:
    """A text as it is stored: with the id of its key, or plain."""

    key: str
    body: bytes = field(repr=False)


@frozen
class Seals:
    """Seals and opens texts.

    Attributes:
        keys: None where there are none; then only plain texts can be read.
        seals: whether what is kept from now on is sealed; without keys no text can be kept then.
    """

    keys: TextKeys | None
    seals: bool

    @property
    def is_locked(self) -> bool:
        """True if texts can neither be kept nor opened: for someone who looks after a store and has no key."""
        return self.seals and self.keys is None

    @property
    def current(self) -> str:
        """Id of the key that a text is sealed with now; `PLAIN` where none is."""
        return self.keys.current if self.keys is not None and self.seals else PLAIN

    def seal(self, text: bytes, place: str) -> Sealed:
        """A text as it is to be stored at a place; nowhere else will it open. Raises `StoreError` without keys."""
        if not self.seals:
            return Sealed(PLAIN, text)
        if self.keys is None:
            raise StoreError(_LOCKED)
        nonce = secrets.token_bytes(_NONCE)
        cipher = AESGCM(self.keys.keys[self.keys.current])
        return Sealed(self.keys.current, nonce + cipher.encrypt(nonce, text, place.encode()))

    def open(self, sealed: Sealed, place: str) -> bytes:
        """The text.

        Raises:
            MissingKeyError: if its key is not there.
            StoreError: if it was changed or moved since it was sealed.
        """
        if sealed.key == PLAIN:
            return sealed.body
        if self.keys is None or sealed.key not in self.keys.keys:
            raise MissingKeyError(
                f"a text is sealed with the key {sealed.key!r}, which is missing; give the key file that contains it"
            )
        cipher = AESGCM(self.keys.keys[sealed.key])
        try:
            return cipher.decrypt(sealed.body[:_NONCE], sealed.body[_NONCE:], place.encode())
        except (InvalidTag, ValueError):
            problem = (
                f"a text does not open with the key {sealed.key!r}: it was changed or moved, or the key is a "
                "different one"
            )
            raise StoreError(
                f"{problem} of that name (put a copy of the store, or of the keys, in its place)"
            ) from None


def keyed_digest(secret: bytes | None, kind: str, value: bytes) -> str:
    """HMAC-SHA-256 in hexadecimal, by which equal values are found and none can be guessed without the secret.

    Raises:
        StoreError: if the secret is None, as it is for who has no key.
    """
    if secret is None:
        raise StoreError(_LOCKED)
    return hmac.new(secret, kind.encode() + b"\0" + value, hashlib.sha256).hexdigest()
