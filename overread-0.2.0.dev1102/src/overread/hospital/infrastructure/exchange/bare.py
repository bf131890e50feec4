"""Names in settings that are held against what messages say, letter by letter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import Attribute

__all__ = ["are_bare", "is_bare"]


def is_bare(_: object, about: Attribute[Any], value: str) -> None:
    """Validates a field that holds a name, or none.

    Raises:
        ValueError: if blanks stand before or after it, with which it is no name that a message has.
    """
    if value != value.strip():
        raise ValueError(f"{about.name} has blanks before or after it; remove them")


def are_bare(_: object, about: Attribute[Any], value: Iterable[str]) -> None:
    """The same of each of several names, and of both sides of a table; none is empty.

    Raises:
        ValueError: if one is, or has blanks around it.
    """
    names = [*value, *value.values()] if isinstance(value, Mapping) else list(value)
    if not all(name and name == name.strip() for name in names):
        raise ValueError(f"{about.name} has a name that is empty, or has blanks before or after it; remove them")
