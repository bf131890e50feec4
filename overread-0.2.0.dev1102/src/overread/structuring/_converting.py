"""The converter: what a value of each type may be given as."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from enum import Enum
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import attrs
from cattrs import BaseConverter, Converter

from overread.structuring._problems import LONGEST, Gathering, given_value
from overread.structuring._tables import object_from
from overread.structuring._written import Written

__all__ = ["strict_converter"]

_DURATION: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>s|min|h|d)?")
_UNITS: Final = {"s": "seconds", "min": "minutes", "h": "hours", "d": "days"}
_SWITCHES: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_COLLECTIONS: Final = (tuple, list, set, frozenset)


def strict_converter() -> Converter:
    """A converter that takes a value for its own type alone; what is `Written` is read as its type is written.

    A path is also text, an enumeration the value of a member, a duration a number of seconds or "90 s", "5 min",
    "12 h" or "30 d". What a hook raises is a `ValueError` that goes on after the setting's name: "must be text".
    """
    converter = Converter()
    converter.register_structure_hook(bool, _switch)
    converter.register_structure_hook(int, _or_member(_whole_number))
    converter.register_structure_hook(float, _or_member(_number))
    converter.register_structure_hook(str, _or_member(_text))
    converter.register_structure_hook(bytes, _bytes)
    converter.register_structure_hook(Enum, _member)
    converter.register_structure_hook(Path, _path)
    converter.register_structure_hook(datetime, _moment)
    converter.register_structure_hook(timedelta, _duration)
    converter.register_structure_hook_func(_is_anything, lambda value, _: value)
    converter.register_structure_hook_func(_is_literal, _member)
    converter.register_structure_hook_factory(attrs.has, _of_class)
    converter.register_structure_hook_factory(_is_collection, _collection)
    converter.register_structure_hook_factory(_is_mapping, _mapping)
    return converter


def _is_anything(kind: Any) -> bool:
    return kind in (object, Any)


def _is_literal(kind: Any) -> bool:
    return get_origin(kind) is Literal


def _must_be(expected: str, value: object) -> ValueError:
    return ValueError(f"must be {expected}, not {given_value(value)}")


def _switch(value: object, _: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, Written) and value.lower() in _SWITCHES:
        return _SWITCHES[value.lower()]
    raise _must_be("true or false", value)


def _whole_number(value: object, _: object) -> int:
    with suppress(ValueError):
        if isinstance(value, Written) or (isinstance(value, Integral) and not isinstance(value, bool)):
            return int(value)
    raise _must_be("a whole number", value)


def _number(value: object, _: object) -> float:
    with suppress(ValueError, OverflowError):
        if isinstance(value, Written) or (isinstance(value, Real) and not isinstance(value, bool)):
            number = float(value)
            if not math.isnan(number):
                return number
    raise _must_be("a number", value)


def _text(value: object, _: object) -> str:
    """A text; a value that is none is told by its kind alone, as it may be a secret."""
    if not isinstance(value, str):
        raise ValueError(f"must be text, not {_kind(value)}")  # noqa: TRY004 - a setting that is wrong, not a program
    return str(value)


def _bytes(value: object, _: object) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError(f"must be bytes, not {_kind(value)}")  # noqa: TRY004 - as above
    return value


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "text"
    return "a number" if isinstance(value, Real) and not isinstance(value, bool) else given_value(value)


def _path(value: object, _: object) -> Path:
    if not isinstance(value, str | Path) or not str(value):
        raise _must_be("a path", value)
    with suppress(RuntimeError):  # nobody's home is known by that name
        return Path(value).expanduser()
    return Path(value)


def _moment(value: object, _: object) -> datetime:
    moment: object = None
    with suppress(ValueError):
        moment = datetime.fromisoformat(value) if isinstance(value, Written) else value
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise _must_be("a time with its zone, such as 2026-01-31T08:00:00Z", value)
    return moment


def _duration(value: object, _: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    number = float(match["number"]) if match is not None else value
    if not isinstance(number, int | float) or isinstance(number, bool) or not 0 <= number < math.inf:
        raise _must_be('a number of seconds, or a duration such as "5 min", "12 h" or "30 d"', value)
    unit = match["unit"] if match is not None and match["unit"] else "s"
    with suppress(OverflowError):
        return timedelta(**{_UNITS[unit]: float(number)})
    raise ValueError("is too long")


def _member(value: object, kind: Any) -> Any:
    """A member of an enumeration or of a Literal, also by its value; as written, in small or capital letters."""
    members = get_args(kind) or tuple(kind)
    for member in members:
        plain = member.value if isinstance(member, Enum) else member
        if value is member or (type(value) is type(plain) and value == plain):
            return member
        if isinstance(value, Written) and value.casefold() == str(plain).casefold():
            return member
    words = [str(member.value if isinstance(member, Enum) else member) for member in members]
    raise _must_be(f"one of {', '.join(words)}", value)


def _or_member(structure: Callable[[object, Any], Any]) -> Callable[[object, Any], Any]:
    """An enumeration of texts or numbers comes here as a text or number."""
    return lambda value, kind: _member(value, kind) if issubclass(kind, Enum) else structure(value, kind)


def _of_class(_: Any, converter: BaseConverter) -> Callable[[object, Any], Any]:
    def structure(table: object, kind: Any) -> Any:
        if isinstance(table, kind):
            return table
        gathering = Gathering()
        made = object_from(kind, table, converter, gathering)
        gathering.check()
        return made

    return structure


def _is_collection(kind: Any) -> bool:
    return (get_origin(kind) or kind) in _COLLECTIONS


def _collection(kind: Any, converter: BaseConverter) -> Callable[[object, Any], Any]:
    """Structures a collection; as written its parts stand between commas, and numbers may stand between slashes."""
    made = get_origin(kind) or kind
    item, *others = get_args(kind) or (str, ...)
    variadic = made is not tuple or others == [...]

    def structure(value: object, _: Any) -> Any:
        parts = _parts(value, item)
        kinds = [item] * len(parts) if variadic else [item, *others]
        if len(parts) != len(kinds):
            raise ValueError(f"must have {len(kinds)} parts, not {len(parts)}")
        structured: list[Any] = []
        gathering = Gathering()
        for place, (part, part_kind) in enumerate(zip(parts, kinds, strict=True)):
            with gathering.at(f"[{place}]"):
                structured.append(converter.structure(part, part_kind))
        gathering.check()
        return made(structured)

    return structure


def _parts(value: object, item: Any) -> list[object]:
    if isinstance(value, Written):
        listed = value.replace("/", ",") if item in (int, float) else value
        parts = [part.strip() for part in listed.split(",")] if listed.strip() else []
        return [Written(part) for part in parts if part or item is not str]
    if isinstance(value, _COLLECTIONS):
        return list(value)
    if isinstance(value, Mapping) and attrs.has(item):
        raise _must_be("a list of tables, each of which begins with [[...]] in TOML", value)
    is_one = isinstance(value, str) and item is str and len(value) <= LONGEST
    raise _must_be(f'a list, such as ["{value}"]' if is_one else "a list", value)


def _is_mapping(kind: Any) -> bool:
    return (get_origin(kind) or kind) in (Mapping, dict)


def _mapping(kind: Any, converter: BaseConverter) -> Callable[[object, Any], dict[str, Any]]:
    _, of = get_args(kind) or (str, object)

    def structure(value: object, _: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping) or not all(isinstance(name, str) and name for name in value):
            raise _must_be("a table", value)
        structured: dict[str, Any] = {}
        gathering = Gathering()
        for name, part in value.items():
            with gathering.at(f".{name}"):
                structured[name] = converter.structure(part, of)
        gathering.check()
        return structured

    return structure
