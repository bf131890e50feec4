"""Ways into resources as JSON gives them: the shapes differ between releases, the names hardly do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["IDENTIFIER_TYPES", "Resource", "every", "has_code", "identifiers", "moment", "typed_identifiers", "words"]

Resource = Mapping[str, Any]
"""A resource, or a part of one."""

IDENTIFIER_TYPES: Final = "http://terminology.hl7.org/CodeSystem/v2-0203"
_OLD: Final = "old"
"""Use of an identifier that another has replaced."""


def every(node: object, path: str) -> list[Any]:
    """Values at a path of names, through lists, in order.

    >>> every({"code": {"coding": [{"code": "CT"}, {"code": "RAD"}]}}, "code.coding.code")
    ['CT', 'RAD']
    """
    values = [node]
    for name in path.split("."):
        values = [value for one in values if isinstance(one, Mapping) for value in _as_list(one.get(name))]
    return values


def words(node: object, *paths: str) -> str:
    """The first text that is not blank at any of the paths; "" without one."""
    texts = (value.strip() for path in paths for value in every(node, path) if isinstance(value, str))
    return next((value for value in texts if value), "")


def has_code(codings: list[Any], system: str, codes: frozenset[str]) -> bool:
    """Return whether any coding has one of a system's codes."""
    return any(words(coding, "system") == system and words(coding, "code") in codes for coding in codings)


def identifiers(resource: Resource) -> Iterator[Resource]:
    """Identifiers with a value, without those that are no longer used."""
    return (
        identifier
        for identifier in every(resource, "identifier")
        if words(identifier, "value") and words(identifier, "use") != _OLD
    )


def typed_identifiers(resource: Resource, kind: str) -> list[Resource]:
    """Identifiers of a type of HL7's table 0203, for example "ACSN"."""
    code = frozenset({kind})
    return [
        identifier
        for identifier in identifiers(resource)
        if has_code(every(identifier, "type.coding"), IDENTIFIER_TYPES, code)
    ]


def moment(node: object, *paths: str) -> datetime | None:
    """The first time at any of the paths, with its zone; None where there is none or only a date.

    Raises:
        RefusedMessageError: if it is no time.
    """
    for path in paths:
        value = words(node, path)
        if "T" not in value:
            continue
        try:
            when = datetime.fromisoformat(value)
        except ValueError:
            raise RefusedMessageError("bad-time", "this is not a valid time", location=path) from None
        if when.tzinfo is None:
            raise RefusedMessageError("no-zone", "a time must have a time zone", location=path)
        return when
    return None


def _as_list(value: object) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
