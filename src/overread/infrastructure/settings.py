"""Settings: from a TOML file, the environment and ``--set``, checked together."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from overread.exceptions import ConfigurationError, InputError
from overread.plugins.catalogue import Catalogue
from overread.plugins.specs import KINDS

__all__ = ["Settings", "load_settings"]

_KINDS: Final = tuple(kind for kind in KINDS if kind != "metric")
_LEVELS: Final = ("debug", "info", "warning", "error", "critical")


def _several(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise ConfigurationError([f"settings want a list of names, not the text {names!r}"])
    return tuple(names)


@frozen(kw_only=True)
class Settings:
    """Which components to use, and how.

    Attributes:
        metrics: names; empty for the defaults.
        choices: component by kind, as "name" or "name:argument"; or a metric's argument by the metric's name.
        options: option table by kind, or by metric name.
        store: SQLite file that keeps results; none unless named.
        answers: SQLite file that keeps what language models answered; none unless named.
        store_text: whether the store keeps report text, which it does not unless asked.
        strict_plugins: whether a plugin that fails to load is an error.
        required_plugins: plugins that must load.
        log_level: of the command line's log: debug, info, warning, error or critical.
    """

    metrics: tuple[str, ...] = field(default=(), converter=_several)
    choices: Mapping[str, str] = field(factory=dict)
    options: Mapping[str, Mapping[str, object]] = field(factory=dict)
    store: Path | None = None
    answers: Path | None = None
    store_text: bool = False
    strict_plugins: bool = False
    required_plugins: tuple[str, ...] = field(default=(), converter=_several)
    log_level: str = "warning"


def load_settings(
    path: Path | str | None = None, overrides: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Settings:
    """Settings from a file, then the environment, then overrides; the later wins.

    The file has the keys of `Settings`, with ``[choose]`` for the choices and ``[options.NAME]`` for options. The
    environment may hold OVERREAD_CONFIG, OVERREAD_STORE and OVERREAD_LOG_LEVEL; it is read nowhere else. An
    override is ``aligner=partial``, ``aligner.epsilon=0.1``, ``radot=paper``, ``radot.max_units=500`` or
    ``store_text=true``. Plugins are loaded only to tell whether a key that is no other setting names a metric.

    Raises:
        ConfigurationError: naming every problem found.
        InputError: if the file cannot be read.
    """
    environment = os.environ if environment is None else environment
    if path is None and environment.get("OVERREAD_CONFIG"):
        path = environment["OVERREAD_CONFIG"]
    problems: list[str] = []
    table = _Table(problems)
    if path is not None:
        table.read_file(Path(path))
    table.read_environment(environment)
    for override in overrides:
        table.read_override(override)
    if problems:
        raise ConfigurationError(problems)
    return table.settings()


class _Table:
    """Collects values and problems."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        self.values: dict[str, Any] = {}
        self.choices: dict[str, str] = {}
        self.options: dict[str, dict[str, object]] = {}

    def settings(self) -> Settings:
        return Settings(choices=self.choices, options=self.options, **self.values)

    def read_file(self, path: Path) -> None:
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise InputError(str(path), f"cannot be read: {error.strerror}") from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(str(path), f"is not TOML: {error}") from error
        for kind, name in self._mapping(document.pop("choose", {}), f"{path}: [choose]").items():
            self._choose(str(kind), name, f"{path}: ")
        for owner, table in self._mapping(document.pop("options", {}), f"{path}: [options]").items():
            self.options.setdefault(str(owner), {}).update(self._mapping(table, f"{path}: [options.{owner}]"))
        for key, value in document.items():
            self._set(key, value, f"{path}: ")

    def read_environment(self, environment: Mapping[str, str]) -> None:
        for name, key in (("OVERREAD_STORE", "store"), ("OVERREAD_LOG_LEVEL", "log_level")):
            if environment.get(name):
                self._set(key, environment[name], f"{name}: ")

    def read_override(self, override: str) -> None:
        key, equals, value = (part.strip() for part in override.partition("="))
        owner, dot, option = key.partition(".")
        if not equals or not key or (dot and not (owner and option)) or "." in option:
            self.problems.append(f"--set {override!r} must have the form key=value or owner.option=value")
        elif dot:
            self.options.setdefault(owner, {})[option] = value
        elif key in _KINDS or (key not in _READERS and _is_metric(key)):
            self._choose(key, value, "--set: ")
        else:
            self._set(key, value, "--set: ")

    def _choose(self, kind: str, name: object, place: str) -> None:
        if kind not in _KINDS and not _is_metric(kind):
            self.problems.append(f"{place}{kind!r} is no kind of component and no metric (known: {', '.join(_KINDS)})")
        elif not isinstance(name, str) or not name:
            self.problems.append(f"{place}{kind} must be {'a name' if kind in _KINDS else 'what the metric takes'}")
        else:
            self.choices[kind] = name

    def _set(self, key: str, value: object, place: str) -> None:
        reader = _READERS.get(key)
        if reader is None:
            known = ", ".join((*_KINDS, *_READERS, "and metrics"))
            self.problems.append(f"{place}unknown setting {key!r} (known: {known})")
            return
        try:
            self.values[key] = reader(value)
        except ValueError as error:
            self.problems.append(f"{place}{key} {error}")

    def _mapping(self, value: object, place: str) -> Mapping[str, Any]:
        if isinstance(value, Mapping):
            return value
        self.problems.append(f"{place} must be a table")
        return {}


def _is_metric(name: str) -> bool:
    """Whether a metric is registered under a name; one that a broken plugin would bring is not."""
    return any(registered.spec.name == name for registered in Catalogue.discover().metrics())


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise ValueError("must be a list of names")


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).lower() in ("true", "false"):
        return str(value).lower() == "true"
    raise ValueError("must be true or false")


def _path(value: object) -> Path:
    if not isinstance(value, str) or not value:
        raise ValueError("must be a path")
    return Path(value)


def _level(value: object) -> str:
    if str(value).lower() not in _LEVELS:
        raise ValueError(f"must be one of {', '.join(_LEVELS)}")
    return str(value).lower()


_READERS: Final = {
    "metrics": _names,
    "store": _path,
    "answers": _path,
    "store_text": _switch,
    "strict_plugins": _switch,
    "required_plugins": _names,
    "log_level": _level,
}
