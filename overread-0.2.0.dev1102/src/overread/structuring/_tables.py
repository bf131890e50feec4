"""Tables as objects of attrs classes, one attribute after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import attrs
from attrs import NOTHING, Attribute, resolve_types
from cattrs import BaseConverter

from overread.structuring._problems import Gathering, given_value, named_problems, unknown_name

__all__ = ["attributes_of", "made_from", "object_from", "type_of", "values_from"]

T = TypeVar("T")

_MISSING: Final = " must be given"
_NAME: Final = "setting"
"""Key of an attribute's metadata: what its setting is called, where that is not the attribute's name."""


def object_from(kind: type[T], table: object, converter: BaseConverter, gathering: Gathering) -> T:
    """An object of a class; only where nothing is wrong with the table, which is gathered."""
    values = values_from(kind, table, converter, gathering)
    for attribute in attributes_of(kind):
        if attribute.default is NOTHING and _name(attribute) not in _mapping(table):
            gathering.problems.append((f".{_name(attribute)}", _MISSING))
    made: T = made_from(kind, values, gathering)
    return made


def values_from(kind: type[Any], table: object, converter: BaseConverter, gathering: Gathering) -> dict[str, Any]:
    """The values of a table by attribute of a class; what is wrong with others is gathered."""
    known = {_name(attribute): attribute for attribute in attributes_of(kind)}
    for name, attribute in known.items():
        with gathering.at(f".{name}"):
            converter.get_structure_hook(type_of(attribute))
    values = {}
    for name, value in _mapping(table).items():
        if name not in known:
            gathering.problems.append((f".{name}", unknown_name(str(name), known)))
            continue
        with gathering.at(f".{name}"):
            values[known[name].name] = converter.structure(value, type_of(known[name]))
    return values


def made_from(kind: type[Any], values: Mapping[str, Any], gathering: Gathering) -> Any:
    """An object of values by attribute; what its class finds wrong with them is gathered.

    A class may stop at the first setting that it refuses, or at a value that it was not given because that one is
    wrong; so it is asked again without each setting that it named, and otherwise only what it says of settings that
    were given counts.
    """
    is_whole = not gathering.problems
    required = {attribute.name for attribute in attributes_of(kind) if attribute.default is NOTHING}
    while required <= values.keys():
        try:
            return kind(**values)
        except Exception as error:  # noqa: BLE001 - whatever the class of a plugin raises is about its values
            refusals = list(named_problems(error, [attribute.name for attribute in attributes_of(kind)]))
        gathering.problems += [problem for name, problem in refusals if is_whole or name in values]
        is_whole, named = False, {name for name, _ in refusals} & values.keys()
        if not named:
            break
        values = {name: value for name, value in values.items() if name not in named}
    return None


def attributes_of(kind: type[Any]) -> list[Attribute[Any]]:
    """The attributes that objects of a class are made with, with the types that their annotations name."""
    return [attribute for attribute in attrs.fields(resolve_types(kind)) if attribute.init]


def type_of(attribute: Attribute[Any]) -> Any:
    """The type that an attribute declares; that of everything if it declares none."""
    return object if attribute.type is None else attribute.type


def _mapping(table: object) -> Mapping[str, object]:
    if isinstance(table, Mapping):
        return table
    raise ValueError(f"must be a table, not {given_value(table)}")


def _name(attribute: Attribute[Any]) -> str:
    name: str = attribute.metadata.get(_NAME, attribute.name)
    return name
