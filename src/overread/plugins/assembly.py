"""Assembly: builds the components and metrics that configuration chooses, each once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs
from attrs import define, field
from cattrs import Converter, transform_error
from cattrs.errors import ClassValidationError, ForbiddenExtraKeysError

from overread.application.ports import Metric
from overread.exceptions import ConfigurationError, MissingDependencyError
from overread.plugins.catalogue import Catalogue, Registered
from overread.plugins.specs import KINDS

__all__ = ["DEFAULT_CHOICES", "Assembly"]

DEFAULT_CHOICES: Final[Mapping[str, str]] = {"extractor": "medspacy", "aligner": "balanced", "readout": "debiased"}
"""Component of each kind where configuration says nothing."""


@define(eq=False)
class Assembly:
    """Builds chosen components; a factory asks it for those it works with.

    Attributes:
        choices: component by kind, as "name" or "name:argument".
        options: option table by kind, or by metric name.
    """

    catalogue: Catalogue
    choices: Mapping[str, str] = field(factory=dict)
    options: Mapping[str, Mapping[str, object]] = field(factory=dict)
    _built: dict[tuple[str, str], Any] = field(factory=dict, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        problems = [f"{kind!r} is no kind of component" for kind in self.choices if kind not in _COMPONENT_KINDS]
        metrics = {registered.spec.name for registered in self.catalogue.metrics()}
        known = _COMPONENT_KINDS | metrics
        problems += [
            f"options are given for {owner!r}, which is neither a kind of component nor a metric"
            for owner in self.options
            if owner not in known
        ]
        if problems:
            raise ConfigurationError(problems)

    def get(self, kind: str) -> Any:
        """The chosen component of a kind.

        Raises:
            ConfigurationError: if none is chosen, it is unknown, or its options cannot be used.
            MissingDependencyError: if it needs packages that are not installed.
        """
        choice = self.choices.get(kind) or DEFAULT_CHOICES.get(kind)
        if choice is None:
            raise ConfigurationError([f"no {kind.replace('_', ' ')} is chosen; set {kind}=NAME"])
        return self._build(kind, choice, self.options.get(kind, {}))

    def metric(self, choice: str) -> Metric:
        """The metric "name" or "name:argument". Raises as `get`."""
        name = choice.partition(":")[0]
        metric: Metric = self._build("metric", choice, self.options.get(name, {}))
        return metric

    def _build(self, kind: str, choice: str, table: Mapping[str, object]) -> Any:
        if (kind, choice) not in self._built:
            name, _, argument = choice.partition(":")
            registered = self.catalogue.find(kind, name)
            if missing := registered.missing():
                raise MissingDependencyError(f"{kind} {name!r}", missing, registered.spec.install)
            options = _options(registered, table, argument)
            self._built[kind, choice] = registered.spec.factory(options, self)
        return self._built[kind, choice]


_COMPONENT_KINDS: Final = KINDS.keys() - {"metric"}


def _options(registered: Registered, table: Mapping[str, object], argument: str) -> Any:
    """The options object of a component, from its table and the argument after its name."""
    owner, options = f"{registered.kind} {registered.spec.name!r}", registered.spec.options
    values = dict(table)
    if argument:
        named = [a.name for a in attrs.fields(options) if a.metadata.get("argument")]
        if not named:
            raise ConfigurationError([f"{owner} takes no argument after a colon"])
        values[named[0]] = argument
    try:
        return _CONVERTER.structure(values, options)
    except ClassValidationError as error:
        raise ConfigurationError([f"{owner}: {problem}" for problem in _problems(error, options)]) from error


def _problems(error: ClassValidationError, options: type[Any]) -> list[str]:
    known = ", ".join(a.name for a in attrs.fields(options)) or "none"
    extra = [e for e in error.exceptions if isinstance(e, ForbiddenExtraKeysError)]
    problems = [f"unknown option {name!r} (known: {known})" for e in extra for name in sorted(e.extra_fields)]
    if extra and len(error.exceptions) == len(extra):
        return problems
    return problems + [p.replace(" @ $.", " in option ") for p in transform_error(error) if "extra fields" not in p]


def _boolean(value: object, _: type[bool]) -> bool:
    if isinstance(value, bool):
        return value
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if str(value).lower() not in words:
        msg = f"expected true or false, not {value!r}"
        raise ValueError(msg)
    return words[str(value).lower()]


def _number(kind: type[Any]) -> Any:
    def structure(value: object, _: type[Any]) -> Any:
        try:
            return kind(value)  # text from the command line becomes a number here
        except (TypeError, ValueError):
            msg = f"expected {'a whole number' if kind is int else 'a number'}, not {value!r}"
            raise ValueError(msg) from None

    return structure


def _text(value: object, _: type[str]) -> str:
    if not isinstance(value, str):
        msg = f"expected text, not {value!r}"
        raise TypeError(msg)
    return value


def _optional_text(value: object, _: Any) -> str | None:
    return None if value is None else _text(value, str)


def _numbers(value: object, _: Any) -> tuple[float, ...] | None:
    if value is None:
        return None
    parts = value.replace("/", ",").split(",") if isinstance(value, str) else value
    return tuple(_number(float)(part, float) for part in parts)  # type: ignore[attr-defined]


def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook(bool, _boolean)
    converter.register_structure_hook(int, _number(int))
    converter.register_structure_hook(float, _number(float))
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook(Path, lambda value, _: Path(_text(value, str)))
    converter.register_structure_hook(str | None, _optional_text)
    converter.register_structure_hook(tuple[float, ...] | None, _numbers)
    converter.register_structure_hook(tuple[float, float, float, float] | None, _numbers)
    return converter


_CONVERTER: Final = _converter()
