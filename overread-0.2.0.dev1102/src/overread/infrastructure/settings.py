"""Settings: from a TOML file, a mapping, the environment and ``--set``, checked together."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Final, Literal

from attrs import define, field, fields, frozen

from overread.exceptions import ConfigurationError, InputError
from overread.plugins.catalogue import Catalogue
from overread.plugins.specs import KINDS
from overread.structuring import Written, conform, structure_fields, unknown_name

__all__ = ["Settings", "load_settings", "merge_tables", "settings_from"]

_KINDS: Final = tuple(kind for kind in KINDS if kind != "metric")
_TABLES: Final = ("hospital", "serve")

LogLevel = Literal["debug", "info", "warning", "error", "critical"]


def _as_given(value: Any) -> Any:
    """Lets type checkers pass lists and the text of a path, which are made to conform."""
    return value


def _in_order(names: Any) -> Any:
    """Sorts a set, whose order is another in every process."""
    return sorted(names, key=str) if isinstance(names, AbstractSet) else names


@frozen(kw_only=True)
class Settings:
    """The components to use, and how.

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
        serve: table of its process, as ``overread serve`` reads it; it is checked there, too.

    Raises:
        ConfigurationError: naming every value of a wrong type. A list of names may be any list, a path may be text;
            nothing else is converted: "false" is not a switch.
    """

    metrics: tuple[str, ...] = field(default=(), converter=_in_order)
    choices: Mapping[str, str] = field(factory=dict, metadata={"setting": "choose"})
    options: Mapping[str, Mapping[str, object]] = field(factory=dict)
    store: Path | None = field(default=None, converter=_as_given)
    answers: Path | None = field(default=None, converter=_as_given)
    store_text: bool = False
    strict_plugins: bool = False
    required_plugins: tuple[str, ...] = field(default=(), converter=_in_order)
    log_level: LogLevel = field(default="warning", converter=_as_given)
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
        conform(self)
        if problems := list(self._problems()):
            raise ConfigurationError(problems)

    def _problems(self) -> Iterator[str]:
        for name in ("metrics", "required_plugins"):
            if not all(getattr(self, name)):
                yield f"{name} must be a list of names that are not empty"
        for kind, choice in self.choices.items():
            if not choice:
                yield f"{kind} must be {'a name' if kind in _KINDS else 'a value for the metric'}"
        if self.time_limit is not None and not 0 < self.time_limit < math.inf:
            yield f"time_limit must be a number of seconds above 0, not {self.time_limit:g}"


def settings_from(given: Settings | Mapping[str, Any] | None) -> Settings:
    """Settings as a caller gives them: ready-made, none, or a mapping that is laid out as the settings file is.

    Args:
        given: of a mapping, the choices may stand by themselves, as in {"second_reader": "comparing"}, or under
            "choose", as in a file, or "choices", as in `Settings`.

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
    sources = _Sources()
    plain = {name: given[name] for name in _KINDS if name in given}
    document = {("choose" if key == "choices" else key): value for key, value in given.items() if key not in plain}
    sources.add(document, "settings: ")
    if plain:
        sources.add({"choose": plain}, "settings: ")
    return sources.settings()


def load_settings(
    path: Path | str | None = None, overrides: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Settings:
    """Settings from a file, then the environment, then overrides; the later wins.

    The file has the keys of `Settings`, with ``[choose]`` for the choices and ``[options.NAME]`` for options. The
    environment may hold OVERREAD_CONFIG, OVERREAD_STORE and OVERREAD_LOG_LEVEL, and of the table ``[hospital]``
    OVERREAD_HOSPITAL_STORE, OVERREAD_HOSPITAL_TEXTS and OVERREAD_HOSPITAL_KEY_FILE; it is read nowhere else. An
    override is ``aligner=partial``, ``aligner.epsilon=0.1``, ``radot=paper``, ``radot.max_units=500``,
    ``store_text=true``, ``hospital.attempts=2`` or ``serve.http.port=8443``. Plugins are loaded only to tell whether a
    key that is no other setting names a metric.

    Raises:
        ConfigurationError: naming every problem found.
        InputError: if the file cannot be read.
    """
    environment = os.environ if environment is None else environment
    if path is None and environment.get("OVERREAD_CONFIG"):
        path = environment["OVERREAD_CONFIG"]
    sources = _Sources()
    if path is not None:
        sources.add(_document(Path(path)), f"{path}: ")
    for name, keys in _OF_ENVIRONMENT.items():
        if environment.get(name):
            sources.add(_nest_value(keys, Written(environment[name])), f"{name}: ")
    for override in overrides:
        sources.add_override(override)
    return sources.settings()


def merge_tables(table: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A table with what was given instead of what it says, and so within its tables."""
    both = {
        name: merge_tables(table[name], value)
        for name, value in given.items()
        if isinstance(value, Mapping) and isinstance(table.get(name), Mapping)
    }
    return {**table, **given, **both}


@define
class _Sources:
    """Collects values, the later in place of the earlier, and problems."""

    values: dict[str, Any] = field(factory=dict)
    problems: list[str] = field(factory=list)

    def settings(self) -> Settings:
        if self.problems:
            raise ConfigurationError(self.problems)
        return Settings(**self.values)

    def add(self, document: Mapping[str, Any], place: str) -> None:
        """Adds the values of a settings file, or of a mapping laid out like one."""
        unknown = [str(key) for key in document if key not in _SETTINGS]
        self.problems += [f"{place}{key}{unknown_name(key, (*_KINDS, *_SETTINGS))}" for key in unknown]
        choices = document.get("choose")
        for kind in choices if isinstance(choices, Mapping) else ():
            if kind not in _KINDS and not _is_metric(kind):
                known = f"known: {', '.join(_KINDS)}"
                self.problems.append(f"{place}choose.{kind} is neither a kind of component nor a metric ({known})")
        try:
            given = structure_fields(Settings, {key: document[key] for key in document if key in _SETTINGS}, place)
            Settings(**given)
        except ConfigurationError as error:
            self.problems += [problem if problem.startswith(place) else place + problem for problem in error.problems]
        else:
            self.values = merge_tables(self.values, given)

    def add_override(self, override: str) -> None:
        key, equals, value = (part.strip() for part in override.partition("="))
        names, place = key.split("."), "`overrides`: "
        owner, *options = names
        if not equals or not all(names) or (len(options) > 1 and owner not in _TABLES):
            self.problems.append(f"{place}{override!r} must have the form key=value or owner.option=value")
        elif owner in _TABLES and options:
            self.add(_nest_value(names, Written(value)), place)
        elif options:
            self.add({"options": {owner: {options[0]: Written(value)}}}, place)
        elif key in _KINDS or (key not in _SETTINGS and _is_metric(key)):
            self.add({"choose": {key: Written(value)}}, place)
        else:
            self.add({key: Written(value)}, place)


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(str(path), f"is not TOML: {error}") from error


def _nest_value(names: Sequence[str], value: object) -> dict[str, Any]:
    name, *others = names
    return {name: _nest_value(others, value) if others else value}


def _is_metric(name: object) -> bool:
    """Return whether a metric is registered under a name; one that a broken plugin would bring is not."""
    return name in Catalogue.discover().names("metric")


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False


_SETTINGS: Final = tuple(each.metadata.get("setting", each.name) for each in fields(Settings))
_OF_ENVIRONMENT: Final[Mapping[str, Sequence[str]]] = {
    "OVERREAD_STORE": ("store",),
    "OVERREAD_LOG_LEVEL": ("log_level",),
    "OVERREAD_HOSPITAL_STORE": ("hospital", "store"),
    "OVERREAD_HOSPITAL_TEXTS": ("hospital", "texts"),
    "OVERREAD_HOSPITAL_KEY_FILE": ("hospital", "key_file"),
}
