"""Secrets from where they are kept: settings name the place, never the secret."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from overread.exceptions import ConfigurationError

__all__ = ["secret_words"]


def secret_words(told: str, what: str, environment: Mapping[str, str]) -> list[str]:
    """The words of a secret, one at least.

    Args:
        told: "env:NAME" or "file:PATH".
        what: it is, for the message.
        environment: of the process.

    Raises:
        ConfigurationError: if there is none; nothing of it is in the message.

    >>> secret_words("env:TOKEN", "the token", {"TOKEN": "abc"})
    ['abc']
    """
    kind, _, place = told.partition(":")
    found: list[str] = []
    if kind == "env":
        found = environment.get(place, "").split()
    elif kind == "file":
        try:
            found = Path(place).read_text(encoding="ascii").split()
        except (OSError, ValueError):
            raise ConfigurationError([f"{what} cannot be read from {told}"]) from None
    if not found:
        place = told if kind in {"env", "file"} else "the place that is told"
        raise ConfigurationError([f"there is no {what} at {place}; give env:NAME or file:PATH"])
    return found
