"""Time zones of sources that do not tell them."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from attrs import Attribute

__all__ = ["is_zone"]


def is_zone(_: object, about: Attribute[Any], value: str | None) -> None:
    """Validates a field that names a time zone, or none.

    Raises:
        ValueError: if there is no such zone.
    """
    if value is not None:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, OSError, ValueError):
            raise ValueError(f"{about.name} must be a time zone of the IANA database, such as Europe/Berlin") from None
