"""Settings: from a TOML file, a mapping, the environment and ``--set``, checked together."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeGuard

from attrs import Attribute, field, fields, frozen

from overread.exceptions import ConfigurationError, InputError
from overread.plugins.catalogue import Catalogue
from overread.plugins.specs import KINDS

__all__ = ["Settings", "load_settings", "settings_from"]

_KINDS: Final = tuple(kind for kind in KINDS if kind != "metric")
_LEVELS: Final = ("debug", "info", "warning", "error", "critical")


def _several(names: Any) -> Any:
    if isinstance(names, str):
        raise ConfigurationError([f"settings want a list of names, not the text {names!r}"])
    if isinstance(names, AbstractSet):
        return tuple(sorted(names, key=str))  # the order of a set is another in every process
    return tuple(names) if isinstance(names, Sequence) else names


def _placed(path: Any) -> Any:
    return Path(path) if isinstance(path, str) and path else path


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
        time_limit: seconds that a metric may take over one batch of pairs, None for as long as it takes.
        hospital: table of the hospital service, as `overread.open_hospital` reads it; it is checked there.
        serve: table of its process, as ``overread serve`` reads it; the same.

    Raises:
        ConfigurationError: naming every value that is not of its kind. Nothing is converted but a list of names and
            the text of a path: "false" is no switch.
    """

    metrics: tuple[str, ...] = field(default=(), converter=_several)
    choices: Mapping[str, str] = field(factory=dict)
    options: Mapping[str, Mapping[str, object]] = field(factory=dict)
    store: Path | None = field(default=None, converter=_placed)
    answers: Path | None = field(default=None, converter=_placed)
    store_text: bool = False
    strict_plugins: bool = False
    required_plugins: tuple[str, ...] = field(default=(), converter=_several)
    log_level: str = "warning"
    time_limit: float | None = None
    hospital: Mapping[str, object] = field(factory=dict, repr=False)
    serve: Mapping[str, object] = field(factory=dict, repr=False)

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that components are to read, as far as they are there: none may be written over."""
        arguments = [choice.partition(":")[2] for choice in (*self.choices.values(), *self.metrics)]
        options = [value for table in self.options.values() for value in table.values()]
        named = [value for value in (*arguments, *options) if isinstance(value, str) and value]
        return tuple(place for place in (Path(value).expanduser() for value in named) if _is_file(place))

    def __attrs_post_init__(self) -> None:
        problems = [
            f"setting {each.name} {problem}"
            for each in fields(Settings)
            if (problem := _kind_problem(each, getattr(self, each.name)))
        ]
        if problems:
            raise ConfigurationError(problems)


def _kind_problem(setting: Attribute[Any], value: object) -> str:
    """What is wrong with the kind of a value, "" if nothing is. The value is not shown where it may be anything."""
    match setting.name:
        case "metrics" | "required_plugins":
            good, wanted = isinstance(value, tuple) and all(map(_is_name, value)), "a list of names"
        case "choices":
            good, wanted = _is_table(value) and all(map(_is_name, value.values())), "a table of names"
        case "options":
            good, wanted = _is_table(value) and all(map(_is_table, value.values())), "a table of tables"
        case "hospital" | "serve":
            good, wanted = _is_table(value), "a table"
        case "store" | "answers":
            good, wanted = value is None or isinstance(value, Path), "a path"
        case "log_level":
            good, wanted = value in _LEVELS, f"one of {', '.join(_LEVELS)}"
        case "time_limit":
            good, wanted = value is None or _is_duration(value), "a number of seconds above 0"
        case _:
            good, wanted = isinstance(value, bool), "True or False"
    return "" if good else f"must be {wanted}, not {_told(value)}"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_duration(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def _is_table(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping) and all(map(_is_name, value))


def _told(value: object) -> str:
    return repr(value) if isinstance(value, str | int | float | None) else f"{type(value).__name__}"


def settings_from(given: Settings | Mapping[str, Any] | None) -> Settings:
    """Settings as a caller gives them: ready-made, none, or a mapping that is laid out as the settings file is.

    Args:
        given: of a mapping, the choices may stand under "choose", as in a file, or "choices", as in `Settings`.

    Raises:
        ConfigurationError: naming every problem found.
    """
    if given is None:
        return Settings()
    if isinstance(given, Settings):
        return given
    if not isinstance(given, Mapping):
        remedy = "give a mapping, or Settings; load_settings reads a file"
        raise ConfigurationError([f"settings are {type(given).__name__}, neither Settings nor a mapping; {remedy}"])
    problems: list[str] = []
    table = _Table(problems)
    document = {("choose" if key == "choices" else key): value for key, value in given.items()}
    table.read_document(document, "settings")
    if problems:
        raise ConfigurationError(problems)
    return table.settings()


def load_settings(
    path: Path | str | None = None, overrides: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Settings:
    """Settings from a file, then the environment, then overrides; the later wins.

    The file has the keys of `Settings`, with ``[choose]`` for the choices and ``[options.NAME]`` for options. The
    environment may hold OVERREAD_CONFIG, OVERREAD_STORE and OVERREAD_LOG_LEVEL, and of the table ``[hospital]``
    OVERREAD_HOSPITAL_STORE, OVERREAD_HOSPITAL_TEXTS and OVERREAD_HOSPITAL_KEY_FILE; it is read nowhere else. An
    override is ``aligner=partial``, ``aligner.epsilon=0.1``, ``radot=paper``, ``radot.max_units=500``,
    ``store_text=true`` or ``hospital.attempts=2``. Plugins are loaded only to tell whether a key that is no other
    setting names a metric.

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
        self.read_document(document, str(path))

    def read_document(self, document: Mapping[str, Any], place: str) -> None:
        """The whole of a settings file, or a mapping that is laid out as one."""
        for kind, name in self._mapping(document.get("choose", {}), f"{place}: [choose]").items():
            self._choose(str(kind), name, f"{place}: ")
        for owner, table in self._mapping(document.get("options", {}), f"{place}: [options]").items():
            self.options.setdefault(str(owner), {}).update(self._mapping(table, f"{place}: [options.{owner}]"))
        for key, value in document.items():
            if key not in ("choose", "options"):
                self._set(str(key), value, f"{place}: ")

    def read_environment(self, environment: Mapping[str, str]) -> None:
        for name, key in (("OVERREAD_STORE", "store"), ("OVERREAD_LOG_LEVEL", "log_level")):
            if environment.get(name):
                self._set(key, environment[name], f"{name}: ")
        for name, key in _OF_HOSPITAL.items():
            if environment.get(name):
                self.values.setdefault("hospital", {})[key] = environment[name]

    def read_override(self, override: str) -> None:
        key, equals, value = (part.strip() for part in override.partition("="))
        owner, dot, option = key.partition(".")
        if not equals or not key or (dot and not (owner and option)) or "." in option:
            self.problems.append(f"`overrides`: {override!r} must have the form key=value or owner.option=value")
        elif owner == "hospital" and dot:
            self.values.setdefault("hospital", {})[option] = value
        elif dot:
            self.options.setdefault(owner, {})[option] = value
        elif key in _KINDS or (key not in _READERS and _is_metric(key)):
            self._choose(key, value, "`overrides`: ")
        else:
            self._set(key, value, "`overrides`: ")

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


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list | tuple) and all(map(_is_name, value)):
        return tuple(value)
    raise ValueError("must be a list of names")


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).lower() in ("true", "false"):
        return str(value).lower() == "true"
    raise ValueError("must be true or false")


def _path(value: object) -> Path | None:
    if value is None or isinstance(value, Path):
        return value
    if not isinstance(value, str) or not value:
        raise ValueError("must be a path")
    return Path(value)


def _seconds(value: object) -> float | None:
    if value is None:
        return None
    with suppress(ValueError):
        seconds = float(value) if isinstance(value, str) else value
        if _is_duration(seconds):
            return seconds  # type: ignore[return-value]
    raise ValueError("must be a number of seconds above 0")


def _table(value: object) -> dict[str, object]:
    if not _is_table(value):
        raise ValueError("must be a table")
    return dict(value)


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
    "time_limit": _seconds,
    "hospital": _table,
    "serve": _table,
}

_OF_HOSPITAL: Final = {
    "OVERREAD_HOSPITAL_STORE": "store",
    "OVERREAD_HOSPITAL_TEXTS": "texts",
    "OVERREAD_HOSPITAL_KEY_FILE": "key_file",
}
