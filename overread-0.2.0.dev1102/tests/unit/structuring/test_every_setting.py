"""Every setting that there is, each given values of types that it does not have."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import attrs
import pytest

import overread
from overread.exceptions import ConfigurationError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.infrastructure.exchange.secrets import secrets_converter
from overread.hospital.infrastructure.serving_settings import ServeConfiguration
from overread.infrastructure.settings import Settings
from overread.plugins.catalogue import Catalogue
from overread.plugins.specs import KINDS
from overread.structuring import structure

_ROOTS: Final = (Settings, HospitalConfiguration, ServeConfiguration)
_VALUES: Final[tuple[object, ...]] = (
    "letters",
    "3",
    "true",
    "env:NONE",
    3,
    2.5,
    True,
    None,
    ["letters"],
    [3],
    [],
    {"a": 3},
    {},
    object(),
)
"""Of each type that TOML, or a caller, could give; text that looks like a number or a switch is text."""


_WORDS: Final = (" must ", " names the environment variable ", " is not a setting")


def _within(kind: Any) -> Iterator[type]:
    """A class and the classes of its settings' tables."""
    if isinstance(kind, type) and attrs.has(kind):
        yield kind
        for each in attrs.fields(attrs.resolve_types(kind)):
            yield from _within(each.type)
    for part in get_args(kind):
        yield from _within(part)


def _option_classes() -> set[type]:
    """The attrs classes of every module of adapters and infrastructure that is called options."""
    names = [
        each.name
        for package in ("adapters", "infrastructure")
        for each in pkgutil.walk_packages([f"{overread.__path__[0]}/{package}"], f"overread.{package}.")
        if each.name.rpartition(".")[2] == "options"
    ]
    found = [inspect.getmembers(importlib.import_module(name), attrs.has) for name in names]
    return {
        kind for module, members in zip(names, found, strict=True) for _, kind in members if kind.__module__ == module
    }


def _classes() -> list[type]:
    components = {each.spec.options for kind in KINDS for each in Catalogue.discover(entry_points=()).of(kind)}
    found = {*_option_classes(), *components, *(kind for root in _ROOTS for kind in _within(root))}
    return sorted(found, key=lambda kind: (kind.__module__, kind.__name__))


def _settings() -> list[Any]:
    return [
        pytest.param(kind, each, id=f"{kind.__module__.removeprefix('overread.')}.{kind.__name__}.{each.name}")
        for kind in _classes()
        for each in attrs.fields(attrs.resolve_types(kind))
    ]


def _fits(kind: Any, value: object) -> bool:
    """Whether a value is one of a type, told without the converter; no place of a secret is given here."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return any(_fits(part, value) for part in parts)
    if origin is Literal:
        return any(type(value) is type(member) and value == member for member in parts)
    if origin in (tuple, frozenset, list):
        return isinstance(value, list) and all(_fits(parts[0], part) for part in value)
    if origin is Mapping:
        return isinstance(value, dict) and all(_fits(parts[1], part) for part in value.values())
    if isinstance(kind, type) and attrs.has(kind):
        return value == {}  # whose own settings are rows of their own
    return origin is not Annotated and (
        kind is object or type(value) in _PLAIN.get(kind, (kind,)) or _lasts(kind, value)
    )


def _lasts(kind: Any, value: object) -> bool:
    return kind is timedelta and (type(value) in (int, float) or value == "3")


_PLAIN: Final[Mapping[Any, tuple[type, ...]]] = {
    float: (int, float),
    Path: (str,),
    datetime: (datetime,),
    type(None): (NoneType,),
}


def _problems(kind: type, table: Mapping[str, object]) -> tuple[str, ...]:
    try:
        structure(kind, table, "owner", converter=secrets_converter({}))
    except ConfigurationError as error:
        return error.problems
    return ()


def test_the_matrix_has_every_class() -> None:
    """Of the settings file, of each component that comes with overread, and of each training."""
    classes = set(_classes())
    assert len(classes) >= 44
    assert sum(len(attrs.fields(kind)) for kind in classes) >= 350
    assert {"Recipe", "TrainingOptions", "RecognizerTrainingOptions", "FhirServer", "OidcConfiguration"} <= {
        kind.__name__ for kind in classes
    }


@pytest.mark.parametrize(("kind", "setting"), _settings())
def test_a_value_of_another_type_is_refused_by_the_settings_name(kind: type, setting: Any) -> None:
    """Whatever it looks like: no text is a list of letters, a number or a switch, and nothing is left out."""
    name = setting.metadata.get("setting", setting.name)
    wrong = [value for value in _VALUES if not _fits(setting.type, value)]
    assert len(wrong) >= 5
    for value in wrong:
        told = [problem for problem in _problems(kind, {name: value}) if problem.startswith(f"owner.{name}")]
        assert told, f"{value!r} was taken for {setting.type}"
        assert all(any(word in problem for word in _WORDS) for problem in told)


@pytest.mark.parametrize(("kind", "setting"), _settings())
def test_what_is_usual_can_be_given(kind: type, setting: Any) -> None:
    """The default of a setting, where it has one, is of the type that it declares."""
    if setting.default is attrs.NOTHING or isinstance(setting.default, attrs.Factory):  # type: ignore[arg-type]
        return
    if get_origin(setting.type) is Annotated:
        return
    name = setting.metadata.get("setting", setting.name)
    written = setting.default.value if isinstance(setting.default, Enum) else setting.default
    without = _problems(kind, {})
    told = [problem for problem in _problems(kind, {name: written}) if problem.startswith(f"owner.{name}")]
    assert [problem for problem in told if problem not in without] == []


@pytest.mark.parametrize("kind", _classes(), ids=lambda kind: kind.__name__)
def test_a_name_that_is_misspelt_is_told_with_the_nearest(kind: type) -> None:
    """A setting that is not known would be left out, and what was meant would not hold."""
    for each in attrs.fields(kind):
        name = each.metadata.get("setting", each.name)
        [told] = [problem for problem in _problems(kind, {f"{name}x": 1}) if problem.startswith(f"owner.{name}x is no")]
        assert "; did you mean " in told
        assert name in told
