"""Assembly: builds the components and metrics that configuration chooses, each once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, suppress
from typing import Any, Final, TypeVar

import attrs
from attrs import define, field

from overread.application.ports import Closable, Metric
from overread.exceptions import ConfigurationError, MissingDependencyError, OverreadError, PluginError
from overread.plugins.catalogue import Catalogue, Registered
from overread.plugins.specs import KINDS
from overread.raised import describe_error, is_interrupt
from overread.structuring import Written, structure, structure_fields

__all__ = ["DEFAULT_CHOICES", "Assembly", "parse_settings"]

T = TypeVar("T")

DEFAULT_CHOICES: Final[Mapping[str, str]] = {
    "extractor": "medspacy",
    "recognizer": "units",
    "encoder": "minilm",
    "aligner": "importance",
    "second_reader": "comparing",
    "readout": "plan",
    "error_counter": "small",
    "judge": "one-pass",
}
"""Component of each kind where configuration says nothing."""

_HOW_TO_CHOOSE: Final = {"model": "`model=openai:NAME` or `model=transformers:FOLDER`"}
"""What to give for a kind without a default."""


@define(eq=False)
class Assembly:
    """Builds chosen components; a factory asks it for those it works with.

    Attributes:
        choices: component by kind, as "name" or "name:argument"; or a metric's argument by the metric's name.
        options: option table by kind, or by metric name.
        provided: ready-made components by kind, instead of those that plugins build. "answers" is the store of models'
            answers, or None.

    Raises:
        ConfigurationError: naming every choice and option that cannot be used.
    """

    catalogue: Catalogue
    choices: Mapping[str, str] = field(factory=dict)
    options: Mapping[str, Mapping[str, object]] = field(factory=dict)
    provided: Mapping[str, Any] = field(factory=dict)
    _built: dict[tuple[str, str, str], Any] = field(factory=dict, init=False, repr=False)
    _taken: dict[str, Any] = field(factory=dict, init=False, repr=False)
    _shared: dict[Hashable, Any] = field(factory=dict, init=False, repr=False)
    _under_way: list[tuple[str, str, str]] = field(factory=list, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        metrics = set(self.catalogue.names("metric"))
        known = _COMPONENT_KINDS | metrics
        problems = [
            f"{kind!r} is neither a kind of component nor a metric" for kind in self.choices if kind not in known
        ]
        problems += [
            f"options are given for {owner!r}, which is neither a kind of component nor a metric"
            for owner in self.options
            if owner not in known
        ]
        if problems := [*problems, *self._unusable(known & (self.options.keys() | self.choices.keys()))]:
            raise ConfigurationError(problems)

    def get(self, kind: str, default: str | None = None, options: Mapping[str, object] | None = None) -> Any:
        """The chosen component of a kind.

        Args:
            kind: of the component.
            default: what to take where configuration chooses none, in place of the usual one.
            options: of that default, where configuration gives none of that name.

        Raises:
            ConfigurationError: if none is chosen, it is unknown, or its options cannot be used.
            MissingDependencyError: if it needs packages that are not installed.
        """
        if kind in self.provided or kind == "answers":
            return self.provided.get(kind)
        chosen = self.choices.get(kind)
        choice = chosen or default or DEFAULT_CHOICES.get(kind)
        if choice is None:
            how = _HOW_TO_CHOOSE.get(kind, f"`{kind}=NAME`")
            raise ConfigurationError([f"no {kind.replace('_', ' ')} is chosen; give {how}"])
        table = {**({} if chosen else options or {}), **self.options.get(kind, {})}
        self._taken[kind] = self._build(kind, choice, table)
        return self._taken[kind]

    def named(self, kind: str, name: str) -> Any:
        """A component by its name with default options, whatever is chosen. Raises as `get`."""
        return self._build(kind, name, {})

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value that factories of this assembly share under a key, made for the first that asks."""
        if key not in self._shared:
            self._shared[key] = make()
        value: T = self._shared[key]
        return value

    def options_for(self, registered: Registered) -> Any:
        """The options that configuration gives a component, with its defaults for the others. Raises as `get`."""
        kind, name = registered.kind, registered.spec.name
        owner = name if kind == "metric" else kind
        choice = self.choices.get(owner, "")
        if kind == "metric":
            is_configured, argument = name not in _COMPONENT_KINDS, choice
        else:
            chosen, _, argument = choice.partition(":")
            is_configured = chosen in {"", name}
        if not is_configured:
            return _options(registered, {}, "")
        return _options(registered, self.options.get(owner, {}), argument)

    def built(self, kind: str) -> Any | None:
        """The component of a kind that something has asked for as configured, else None."""
        return self.provided.get(kind) or self._taken.get(kind)

    def close(self) -> None:
        """Let the components that were built let go of what they hold: processes, connections, files."""
        with ExitStack() as stack:
            for component in self._built.values():
                if isinstance(component, Closable):
                    stack.callback(component.close)

    def metric(self, choice: str) -> Metric:
        """The metric "name" or "name:argument"; without an argument, with that of the choices. Raises as `get`."""
        name, _, argument = choice.partition(":")
        if name in _COMPONENT_KINDS:
            # A metric named like a kind has no options of its own: those of that name are the component's.
            return self._build("metric", choice, {})  # type: ignore[no-any-return]
        if not argument and name in self.choices:
            choice = f"{name}:{self.choices[name]}"
        return self._build("metric", choice, self.options.get(name, {}))  # type: ignore[no-any-return]

    def _unusable(self, owners: AbstractSet[str]) -> list[str]:
        """Problems of what is configured, found without building anything."""
        problems: list[str] = []
        for owner in sorted(owners):
            try:
                self._check(owner, self.options.get(owner, {}))
            except ConfigurationError as error:
                problems += error.problems
        return problems

    def _check(self, owner: str, table: Mapping[str, object]) -> None:
        """Raises `ConfigurationError` where a kind's choice or a metric cannot take its options."""
        if owner not in _COMPONENT_KINDS:
            # The argument of a metric may come with `metric`; what is still to come is not yet missing.
            _options(self.catalogue.find("metric", owner), table, self.choices.get(owner, ""), later=True)
        elif owner in self.choices:
            name, _, argument = self.choices[owner].partition(":")
            _options(self.catalogue.find(owner, name), table, argument)
        elif owner in DEFAULT_CHOICES:
            self._check_unchosen(owner, table)

    def _check_unchosen(self, kind: str, table: Mapping[str, object]) -> None:
        """Options of a kind of which none is chosen are for the default, or for what a metric takes in its place."""
        try:
            _options(self.catalogue.find(kind, DEFAULT_CHOICES[kind]), table, "")
        except ConfigurationError:
            for registered in self.catalogue.of(kind):
                with suppress(ConfigurationError):
                    _options(registered, table, "")
                    return
            raise

    def _build(self, kind: str, choice: str, table: Mapping[str, object]) -> Any:
        key = (kind, choice, repr(sorted(table.items())))
        if key not in self._built:
            name, _, argument = choice.partition(":")
            registered = self.catalogue.find(kind, name)
            if missing := registered.missing():
                raise MissingDependencyError(f"{kind} {name!r}", missing, registered.spec.install)
            options = _options(registered, table, argument)
            if key in self._under_way:
                raise ConfigurationError([f"{kind} {choice!r} depends on itself"])
            self._under_way.append(key)
            try:
                self._built[key] = self._call_factory(registered, options)
            finally:
                self._under_way.remove(key)
        return self._built[key]

    def _call_factory(self, registered: Registered, options: Any) -> Any:
        """Calls the factory; if it breaks, raises an error that names the plugin."""
        try:
            return registered.spec.factory(options, self)
        except OverreadError:
            raise
        except BaseException as error:
            if is_interrupt(error):
                raise
            plugin = registered.plugin
            whose = f"{registered.kind} {registered.spec.name!r} ({plugin.distribution} {plugin.version})"
            raise PluginError([f"{whose} could not be built: {describe_error(error, own=False)}: {error}"]) from error


_COMPONENT_KINDS: Final = KINDS.keys() - {"metric"}


def _options(registered: Registered, table: Mapping[str, object], argument: str, *, later: bool = False) -> Any:
    """The options object of a component, from its table and the argument after its name.

    Args:
        registered: the component.
        table: of its options.
        argument: "" for none.
        later: whether the argument may still come; the answer is None where it must and has not.
    """
    owner, options = f"{registered.kind} {registered.spec.name!r}", registered.spec.options
    values = dict(table)
    named = [a for a in attrs.fields(options) if a.metadata.get("argument")]
    if argument and not named:
        raise ConfigurationError([f"{owner} takes no argument after a colon"])
    if argument:
        values[named[0].name] = Written(argument)
    place = f"{owner}: {registered.spec.name if registered.kind == 'metric' else registered.kind}"
    if later and any(a.default is attrs.NOTHING and a.name not in values for a in named):
        structure_fields(options, values, place)
        return None
    return structure(options, values, place)


def parse_settings(settings: Sequence[str]) -> dict[str, str]:
    """Values by name, from texts of the form "name=value".

    Raises:
        ConfigurationError: naming each text of another form.
    """
    if problems := [f"{setting!r} is not of the form NAME=VALUE" for setting in settings if "=" not in setting]:
        raise ConfigurationError(problems)
    return {name.strip(): Written(value.strip()) for name, _, value in (text.partition("=") for text in settings)}
