"""Fields of records, read strictly: a damaged record must not become a result. No message quotes a value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final, TypeVar

from overread.domain.results.record import record_digest

__all__ = [
    "ROUNDING",
    "flag",
    "is_intact",
    "items",
    "member",
    "number",
    "number_or_none",
    "table",
    "text",
    "whole",
]

E = TypeVar("E", bound=Enum)

ROUNDING: Final = 1e-9
"""A score may lie this far beyond its scale by floating-point rounding."""


def is_intact(record: Mapping[str, Any]) -> bool:
    """Return whether a record is unchanged since it was made; one from before there were digests counts as such."""
    digest = record.get("digest")
    if digest is None:
        return True
    try:
        return bool(record_digest(record) == digest)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return False


def text(record: Mapping[str, Any], name: str) -> str:
    """The text under a name. This and the next raise `ValueError` for anything else, and where there is nothing."""
    value = _present(record, name)
    if not isinstance(value, str):
        raise _none(name, "text")
    return value


def flag(record: Mapping[str, Any], name: str) -> bool:
    """True or false."""
    value = _present(record, name)
    if not isinstance(value, bool):
        raise _none(name, "true or false")
    return value


def number(value: object, name: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _none(name, "a finite number")
    try:
        converted = float(value)
    except OverflowError:
        converted = math.inf
    if not math.isfinite(converted):
        raise _none(name, "a finite number")
    return converted


def number_or_none(value: object, name: str) -> float | None:
    """A finite number, or None for null."""
    return None if value is None else number(value, name)


def whole(value: object, name: str, least: int = 0) -> int:
    """A whole number that is not below another."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise _none(name, f"a whole number from {least}")
    return value


def items(record: Mapping[str, Any], name: str) -> Sequence[Any]:
    """A list."""
    value = _present(record, name)
    if not isinstance(value, list | tuple):
        raise _none(name, "a list")
    return value


def table(value: object, name: str) -> Mapping[str, Any]:
    """An object."""
    if not isinstance(value, Mapping):
        raise _none(name, "an object")
    return value


def member(kind: type[E], value: object, name: str) -> E:
    """A member of an enumeration by its value."""
    try:
        return kind(value)
    except ValueError:
        raise _none(name, "one of the known values") from None


def _present(record: Mapping[str, Any], name: str) -> Any:
    if name not in record:
        raise ValueError(f"{name} is missing")
    return record[name]


def _none(name: str, kind: str) -> ValueError:
    return ValueError(f"{name} is not {kind}")
