"""Tables of a settings file as the classes that configure parts, strictly and with every problem told."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast, get_origin

from attrs import fields, has
from cattrs import Converter, transform_error
from cattrs.errors import ForbiddenExtraKeysError

from overread.exceptions import ConfigurationError

__all__ = ["read_table"]

T = TypeVar("T")

_DURATION: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>s|min|h|d)?")
_UNITS: Final = {"s": "seconds", "min": "minutes", "h": "hours", "d": "days"}


def read_table(kind: type[T], table: object, place: str) -> T:
    """A table of settings; what it does not name is as usual.

    Args:
        kind: attrs class of the configuration. A path is text, a duration a number of seconds or "90 s", "5 min",
            "12 h" or "30 d".
        table: as TOML has it.
        place: of the table, for messages.

    Raises:
        ConfigurationError: naming every problem found.

    >>> from overread.infrastructure.http.configuration import HttpConfiguration
    >>> read_table(HttpConfiguration, {"session_idle": "30 min"}, "serve.limits").session_idle.seconds
    1800
    """
    try:
        return _converter().structure(table, kind)
    except Exception as error:  # noqa: BLE001 - cattrs gathers whatever conversion raises
        raise ConfigurationError(_problems(error, place)) from None


@cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    for kind, structure in _READERS.items():
        converter.register_structure_hook(kind, structure)
    return converter


def _strict(wanted: type, words: str) -> Callable[[object, object], Any]:
    def structure(value: object, _: object) -> Any:
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise ValueError(f"must be {words}")
        return value

    return structure


def _number(value: object, _: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError("must be a number")  # noqa: TRY004 - a setting that is wrong, not a mistake of the program
    return float(value)


def _word(value: object, kind: type[StrEnum]) -> StrEnum:
    if value not in list(kind):
        raise ValueError(f"must be one of {', '.join(kind)}")
    return kind(cast("str", value))


def _duration(value: object, _: object) -> timedelta:
    match = _DURATION.fullmatch(str(value).strip()) if isinstance(value, str | int | float) else None
    if match is None or isinstance(value, bool):
        raise ValueError('must be a number of seconds, or a duration such as "5 min", "12 h" or "30 d"')
    return timedelta(**{_UNITS[match["unit"] or "s"]: float(match["number"])})


def _path(value: object, _: object) -> Path:
    if not isinstance(value, str | Path) or not str(value):
        raise ValueError("must be a path")
    return Path(value).expanduser()


_READERS: Final[Mapping[type, Callable[[Any, Any], Any]]] = {
    str: _strict(str, "text"),
    bool: _strict(bool, "true or false"),
    int: _strict(int, "a whole number"),
    float: _number,
    StrEnum: _word,
    Path: _path,
    bytes: _strict(bytes, "env:NAME or file:PATH"),
    datetime: _strict(datetime, "a date and time"),
    timedelta: _duration,
}


def _problems(error: Exception, place: str) -> list[str]:
    lines = transform_error(error, path=place, format_exception=_told)
    found = []
    for line in lines:
        words, _, where = line.rpartition(" @ ")
        found.append(f"{where}{words}")
    return sorted(set(found))


def _told(error: BaseException, kind: type | None) -> str:
    """What follows the place: of a setting a predicate; of a whole table, which has no ``kind``, a sentence."""
    if isinstance(error, ForbiddenExtraKeysError):
        known = ", ".join(each.name for each in fields(error.cl)) if has(error.cl) else ""
        return f" has unknown settings: {', '.join(sorted(error.extra_fields))} (known: {known})"
    if isinstance(error, KeyError):
        return " is missing"
    if isinstance(error, ConfigurationError | ValueError):
        return f": {error}" if kind is None else f" {error}"
    return (
        " must be a table"
        if kind is not None and (has(kind) or get_origin(kind) is Mapping)
        else " is not what is wanted here"
    )
