"""The table [hospital] of the settings file as the configuration of the service."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Final

from overread.application.hospital.configuration import HospitalConfiguration, TextMode
from overread.domain.severity import Importance
from overread.exceptions import ConfigurationError

__all__ = ["hospital_configuration"]

_DURATION: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>s|min|h|d)?")
_UNITS: Final = {"s": "seconds", "min": "minutes", "h": "hours", "d": "days"}


def hospital_configuration(table: Mapping[str, object]) -> HospitalConfiguration:
    """The configuration that a table of settings makes; what it does not name is as usual.

    Args:
        table: names and values as `HospitalConfiguration` has them. A duration is a number of seconds, or a text such
            as "90 s", "5 min", "12 h" or "30 d"; names in a text stand between commas.

    Raises:
        ConfigurationError: naming every problem found.

    >>> hospital_configuration({"lease": "5 min", "keep_texts": "90 d"}).keep_texts.days
    90
    """
    problems = []
    values: dict[str, Any] = {}
    for name, value in table.items():
        reader = _READERS.get(name)
        if reader is None:
            problems.append(f"hospital: unknown setting {name!r} (known: {', '.join(_READERS)})")
            continue
        try:
            values[name] = reader(value)
        except ValueError as error:
            problems.append(f"hospital: {name} {error}")
    try:
        configuration = HospitalConfiguration(**values)
    except ConfigurationError as error:
        problems.extend(error.problems)
    if problems:
        raise ConfigurationError(problems)
    return configuration


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be text")
    return value


def _path(value: object) -> Path:
    return value if isinstance(value, Path) else Path(_text(value)).expanduser()


def _choice(kind: type[Enum], value: object) -> Enum:
    with suppress(ValueError):
        return kind(value)
    raise ValueError(f"must be one of {', '.join(member.value for member in kind)}")


def _duration(value: object) -> timedelta:
    match = _DURATION.fullmatch(str(value).strip()) if isinstance(value, str | int | float) else None
    if match is None or isinstance(value, bool):
        raise ValueError('must be a number of seconds, or a duration such as "5 min", "12 h" or "30 d"')
    with suppress(OverflowError):
        return timedelta(**{_UNITS[match["unit"] or "s"]: float(match["number"])})
    raise ValueError("is longer than can be counted")


def _count(value: object) -> int:
    with suppress(ValueError):
        number = int(value) if isinstance(value, str) else value
        if isinstance(number, int) and not isinstance(number, bool):
            return number
    raise ValueError("must be a whole number")


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(name for part in value.split(",") if (name := part.strip()))
    if isinstance(value, list | tuple) and all(isinstance(name, str) and name for name in value):
        return tuple(value)
    raise ValueError("must be a list of names")


_READERS: Final[Mapping[str, Callable[[object], Any]]] = {
    "store": _text,
    "texts": partial(_choice, TextMode),
    "key_file": _path,
    "lease": _duration,
    "attempts": _count,
    "retry_after": _duration,
    "retry_at_most": _duration,
    "hold": _duration,
    "keep_texts": _duration,
    "keep_data": _duration,
    "longest_report": _count,
    "largest_batch": _count,
    "deliver_to": _names,
    "deliver_from": partial(_choice, Importance),
}
