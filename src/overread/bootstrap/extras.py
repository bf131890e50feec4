"""Packages that the hospital service needs beside the core, checked before it starts."""

from __future__ import annotations

from typing import Final

from overread.extras import EXTRAS, require

__all__ = ["KEYS", "SERVICE", "STORE", "check_installed"]

STORE: Final = ("cryptography",)
"""Packages that the hospital's store imports."""

KEYS: Final = (*STORE, "argon2")
"""Packages that keys are issued and checked with."""

SERVICE: Final = EXTRAS["serve"]
"""Packages that a process of the service imports."""


def check_installed(what: str, packages: tuple[str, ...]) -> None:
    """Looks whether packages of the extra ``serve`` are there; nothing is imported.

    Args:
        what: needs them, for the message.
        packages: by the names that they are imported by.

    Raises:
        MissingDependencyError: naming all that are missing, and how they are installed.
    """
    require(what, "serve", *packages)
