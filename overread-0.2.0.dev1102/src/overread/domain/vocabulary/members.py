"""Values that must be members of an enumeration: a bare word would be compared with them, and silently fit none."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from attrs import Attribute

from overread.exceptions import InputError

__all__ = ["check_member", "member_of"]

Member = TypeVar("Member", bound=StrEnum)


def check_member(kind: type[StrEnum], name: str, value: object) -> None:
    """Raises `InputError` with the words there are, and not the value, where it is no member."""
    if not isinstance(value, kind):
        remedy = f'give {kind.__name__}("...") with one of the words {", ".join(kind)}'
        raise InputError(name, f"is not one of {kind.__name__}", remedy=remedy)


def member_of(kind: type[Member]) -> Callable[[Any, Attribute[Member], Member], None]:
    """A validator of attrs classes, as `check_member` under the attribute's name."""

    def check(_: object, attribute: Attribute[Member], value: Member) -> None:
        check_member(kind, attribute.name, value)

    return check
