"""Digests of secrets by Argon2id."""

from __future__ import annotations

from threading import BoundedSemaphore
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from attrs import define, field

__all__ = ["Argon2Hasher"]

_AT_ONCE: Final = 2
"""Each takes 19 MiB and a processor: a flood of wrong keys must not take all of them."""


def _owasp() -> PasswordHasher:
    """Argon2id with 19 MiB, two passes, one lane: the OWASP Password Storage Cheat Sheet's first choice (2024)."""
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@define(eq=False)
class Argon2Hasher:
    """Implements `SecretHasher`."""

    _hasher: PasswordHasher = field(factory=_owasp, init=False, repr=False)
    _turns: BoundedSemaphore = field(factory=lambda: BoundedSemaphore(_AT_ONCE), init=False, repr=False)

    def digest(self, secret: str) -> str:
        """A salted digest."""
        with self._turns:
            return self._hasher.hash(secret)

    def holds(self, digest: str, secret: str) -> bool:
        """Returns whether a digest was made from a secret."""
        with self._turns:
            try:
                return self._hasher.verify(digest, secret)
            except (Argon2Error, InvalidHashError):
                return False
