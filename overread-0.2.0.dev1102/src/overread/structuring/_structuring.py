"""The whole of a table as a class, the part that it gives, and a class that its caller made."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from cattrs import Converter

from overread.structuring._converting import strict_converter
from overread.structuring._problems import Gathering
from overread.structuring._tables import attributes_of, made_from, object_from, type_of, values_from

__all__ = ["conform", "structure", "structure_fields", "structure_value"]

T = TypeVar("T")


def structure(kind: type[T], table: object, place: str = "", *, converter: Converter | None = None) -> T:
    """An object of a class from a table of its settings; what the table does not name is as usual.

    Args:
        kind: attrs class. A setting has the name of its attribute, or that of its metadata ("setting").
        table: by name, as TOML has it; values of commands and of the environment are `Written`.
        place: of the table: what comes before a setting's name in a message, for example "serve", or
            "aligner 'partial': aligner"; where it is empty or ends with a blank, the name stands for itself.
        converter: `strict_converter` where omitted, or one with more types.

    Raises:
        ConfigurationError: naming every problem found.
    """
    gathering = Gathering()
    with gathering.at(""):
        made = object_from(kind, table, converter or _converter(), gathering)
    gathering.tell(place)
    return made


def structure_value(kind: Any, value: object, name: str) -> Any:
    """A single value of a type; as `structure`.

    >>> structure_value(tuple[str, ...], ["radot"], "metrics")
    ('radot',)
    """
    gathering = Gathering()
    with gathering.at(name):
        made = _converter().structure(value, kind)
    gathering.tell()
    return made


def structure_fields(kind: type[Any], table: object, place: str = "") -> dict[str, Any]:
    """The values that a table gives, by attribute of the class that they are for; as `structure`."""
    gathering = Gathering()
    with gathering.at(""):
        values = values_from(kind, table, _converter(), gathering)
    gathering.tell(place)
    return values


def conform(instance: object) -> None:
    """Gives the attributes of an object that is being made the types that its class declares.

    To be called first in ``__attrs_post_init__`` of a class that callers make themselves, too: it takes what
    `structure` takes of a table.

    Raises:
        ConfigurationError: naming every value that is of another type.
    """
    gathering, values = Gathering(), {}
    for attribute in attributes_of(type(instance)):
        with gathering.at(f".{attribute.name}"):
            values[attribute.name] = _converter().structure(getattr(instance, attribute.name), type_of(attribute))
    if gathering.problems:
        made_from(type(instance), values, gathering)
    gathering.tell()
    for name, value in values.items():
        object.__setattr__(instance, name, value)


@cache
def _converter() -> Converter:
    return strict_converter()
