"""The catalogue: discovers plugins one at a time, keeps what is sound, and names what is not."""

from __future__ import annotations

import difflib
import importlib
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import attrs
import pluggy
from attrs import define, field, frozen

from overread.domain.results.result import Scale
from overread.exceptions import ConfigurationError, PluginError
from overread.plugins import hookspecs
from overread.plugins.builtins import BUILTIN_PLUGINS
from overread.plugins.specs import KINDS, ComponentSpec, MetricSpec, NoOptions, Spec
from overread.raised import describe_error, is_interrupt

__all__ = [
    "ENTRY_POINT_GROUP",
    "Catalogue",
    "LoadedPlugin",
    "PluginFailure",
    "Registered",
    "is_scale",
    "spec_problem",
]

ENTRY_POINT_GROUP: Final = "overread"
"""Entry-point group of third-party plugins."""

Key = tuple[str, str]
"""Kind and name of a spec."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]*")


@frozen
class LoadedPlugin:
    """A plugin that loaded, and the distribution it came with."""

    name: str
    distribution: str
    version: str
    builtin: bool


@frozen
class PluginFailure:
    """A plugin, or one spec of it, that cannot be used, and why."""

    plugin: str
    distribution: str
    version: str
    problem: str

    def __str__(self) -> str:
        return f"plugin {self.plugin} ({self.distribution} {self.version}): {self.problem}"


@frozen
class Registered:
    """A spec, its kind and the plugin it came from."""

    kind: str
    spec: Spec
    plugin: LoadedPlugin

    def missing(self) -> tuple[str, ...]:
        """Modules it needs that are not installed."""
        return tuple(module for module in self.spec.requires if not _is_installed(module))


@define
class Catalogue:
    """Every usable spec by kind and name, the plugins they came from, and the failures.

    The plugins that come with overread are imported when a spec of theirs is asked for.
    """

    plugins: list[LoadedPlugin] = field(factory=list)
    failures: list[PluginFailure] = field(factory=list)
    _specs: dict[Key, Registered] = field(factory=dict, init=False, repr=False)
    _unloaded: dict[Key, tuple[LoadedPlugin, str]] = field(factory=dict, init=False, repr=False)

    @classmethod
    def discover(
        cls,
        *,
        builtins: Sequence[str] | None = None,
        entry_points: Iterable[metadata.EntryPoint] | None = None,
        strict: bool = False,
        required: Sequence[str] = (),
    ) -> Catalogue:
        """List the built-ins and load third parties, sorted by name, each on its own.

        Args:
            builtins: module names of built-in plugins, which are loaded at once; where omitted, those that come with
                overread.
            entry_points: third-party plugins; those installed in group ``overread`` where omitted.
            strict: whether any failure raises.
            required: entry-point or distribution names that must have loaded and must provide something.

        Raises:
            PluginError: naming every failure under ``strict``, or every required plugin that did not load.
        """
        catalogue = cls()
        version = _version("overread")
        for module in BUILTIN_PLUGINS if builtins is None else builtins:
            plugin = LoadedPlugin(module.rsplit(".", 2)[-2], "overread", version, builtin=True)
            catalogue.plugins.append(plugin)
            if builtins is None:
                catalogue._unloaded |= dict.fromkeys(BUILTIN_PLUGINS[module], (plugin, module))
            else:
                catalogue._register(plugin, module)
        if entry_points is None:
            entry_points = metadata.entry_points(group=ENTRY_POINT_GROUP)
        catalogue._load_third_parties(sorted(entry_points, key=lambda point: point.name))
        problems = [f"required plugin {name!r} did not load" for name in required if not catalogue._has(name)]
        if problems or (strict and catalogue.failures):
            raise PluginError([*problems, *map(str, catalogue.failures)])
        return catalogue

    def names(self, kind: str) -> list[str]:
        """Names of the specs of a kind, sorted; nothing is imported."""
        return sorted(name for of_kind, name in (*self._specs, *self._unloaded) if of_kind == kind)

    def of(self, kind: str) -> list[Registered]:
        """The specs of a kind, sorted by name."""
        self._load([key for key in self._unloaded if key[0] == kind])
        return sorted((r for r in self._specs.values() if r.kind == kind), key=lambda r: r.spec.name)

    def metrics(self) -> list[Registered]:
        """The metrics, sorted by name."""
        return self.of("metric")

    def find(self, kind: str, name: str) -> Registered:
        """The spec of a kind by name.

        Raises:
            ConfigurationError: naming those there are, the nearest, and plugins that failed, one of which may offer it.
        """
        self._load([(kind, name)])
        entry = self._specs.get((kind, name))
        if entry is not None:
            return entry
        known = self.names(kind)
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        listed = ", ".join(known) or "none"
        unknown = f"no {kind.replace('_', ' ')} named {name!r}{hint} (known: {listed})"
        raise ConfigurationError([unknown, *(f"failed: {failure}" for failure in self.failures)])

    def find_metric(self, name: str) -> tuple[MetricSpec, LoadedPlugin]:
        """The metric's spec by name, and the plugin it came from. Raises as `find`."""
        registered = self.find("metric", name)
        assert isinstance(registered.spec, MetricSpec)  # noqa: S101 - no other spec is admitted as a metric
        return registered.spec, registered.plugin

    def describe(self) -> dict[str, Any]:
        """Plugins, components and failures as plain values that JSON can hold."""
        return {
            "plugins": [attrs.asdict(p) | {"provides": self._provided_names(p)} for p in self.plugins],
            "components": [_component(r) for kind in KINDS for r in self.of(kind)],
            "failures": [attrs.asdict(failure) for failure in self.failures],
        }

    def _provided_names(self, plugin: LoadedPlugin) -> list[str]:
        provided = {key: registered.plugin for key, registered in self._specs.items()}
        provided |= {key: unloaded for key, (unloaded, _) in self._unloaded.items()}
        return sorted(f"{kind}:{name}" for (kind, name), provider in provided.items() if provider is plugin)

    def _has(self, name: str) -> bool:
        return any(
            name in (plugin.name, plugin.distribution) and self._provided_names(plugin) for plugin in self.plugins
        )

    def _load(self, keys: Iterable[Key]) -> None:
        """Import the plugins that are still to provide some specs."""
        for plugin, module in {key: self._unloaded[key] for key in keys if key in self._unloaded}.values():
            self._register(plugin, module)

    def _register(self, plugin: LoadedPlugin, module: str) -> None:
        for kind, spec in _specs_of(importlib.import_module(module), module):
            self._specs[kind, spec.name] = Registered(kind, spec, plugin)
            self._unloaded.pop((kind, spec.name), None)

    def _load_third_parties(self, entry_points: Iterable[metadata.EntryPoint]) -> None:
        offered: defaultdict[Key, list[tuple[LoadedPlugin, Spec]]] = defaultdict(list)
        for point in entry_points:
            plugin = LoadedPlugin(point.name, *_origin(point), builtin=False)
            try:
                specs = _specs_of(point.load(), point.name)
            except BaseException as error:  # whatever one raises must not hurt others
                if is_interrupt(error):
                    raise
                self._fail(plugin, f"{describe_error(error, own=False)}: {error}")
                continue
            self.plugins.append(plugin)
            for kind, spec in specs:
                offered[kind, spec.name].append((plugin, spec))
        for key, offers in offered.items():
            self._admit(key, offers)

    def _admit(self, key: Key, offers: Sequence[tuple[LoadedPlugin, Spec]]) -> None:
        kind, name = key
        if key in self._specs or key in self._unloaded:
            for plugin, _ in offers:
                self._fail(plugin, f"{kind} {name!r} is built in and cannot be replaced; choose another name")
        elif len(offers) > 1:
            for plugin, _ in offers:
                others = ", ".join(other.name for other, _ in offers if other is not plugin) or plugin.name
                self._fail(plugin, f"{kind} {name!r} is also offered by {others}; both are disabled")
        else:
            plugin, spec = offers[0]
            self._specs[key] = Registered(kind, spec, plugin)

    def _fail(self, plugin: LoadedPlugin, problem: str) -> None:
        self.failures.append(PluginFailure(plugin.name, plugin.distribution, plugin.version, problem))


def _specs_of(plugin: object, name: str) -> list[tuple[str, Spec]]:
    """The specs of one plugin, by hooks of a manager of its own, so that it cannot touch another's."""
    manager = pluggy.PluginManager("overread")
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name=name)
    manager.check_pending()
    pairs = [
        (kind, spec)
        for kind, hook in KINDS.items()
        for specs in getattr(manager.hook, hook)()
        for spec in _check_specs(kind, hook, specs)
    ]
    if not pairs:
        msg = "implements no overread hook, or offers nothing"
        raise TypeError(msg)
    return pairs


def _check_specs(kind: str, hook: str, specs: object) -> list[Spec]:
    if isinstance(specs, str) or not isinstance(specs, Iterable):
        msg = f"{hook} must return an iterable of specs, not {type(specs).__name__}"
        raise TypeError(msg)
    expected = MetricSpec if kind == "metric" else ComponentSpec
    listed = list(specs)
    for spec in listed:
        if not isinstance(spec, expected):
            msg = f"{hook} must return {expected.__name__}, not {type(spec).__name__}"
            raise TypeError(msg)
        if problem := spec_problem(spec):
            raise ValueError(f"{kind} {spec.name!r}: {problem}")
    return listed


def spec_problem(spec: Spec) -> str:
    """The first problem of a spec, "" if there is none: its author's type checker may not have run."""
    sound = {
        "the name must be lower case letters, digits, - and _": bool(
            _are(str, spec.name) and _NAME.fullmatch(spec.name)
        ),
        "version, summary and install must be text": _are(str, spec.version, spec.summary, spec.install),
        "requires must be a tuple of module names": isinstance(spec.requires, tuple | list)
        and _are(str, *spec.requires),
        "the factory must be callable": callable(spec.factory),
        "the options must be an attrs class": isinstance(spec.options, type) and attrs.has(spec.options),
    }
    if isinstance(spec, MetricSpec):
        sound |= {
            "the name is that of a kind of component, whose options would be taken for the metric's": (
                spec.name not in KINDS or spec.options is NoOptions
            ),
            "the backend must be text": _are(str, spec.backend),
            "the scale must be a Scale from a lower to a higher number": is_scale(spec.scale),
        }
    return next((problem for problem, holds in sound.items() if not holds), "")


def _are(kind: Any, *values: object) -> bool:
    return all(isinstance(value, kind) for value in values)


def is_scale(scale: object) -> bool:
    """Returns whether something is a `Scale` from a lower to a higher number."""
    return isinstance(scale, Scale) and _are(int | float, scale.low, scale.high) and scale.low < scale.high


def _component(registered: Registered) -> dict[str, Any]:
    spec, missing = registered.spec, registered.missing()
    described: dict[str, Any] = {
        "kind": registered.kind,
        "name": spec.name,
        "version": spec.version,
        "summary": spec.summary,
        "plugin": registered.plugin.name,
        "distribution": registered.plugin.distribution,
        "options": _options(spec.options),
        "can_run": not missing,
        "missing": list(missing),
        "install": spec.install if missing else "",
    }
    if isinstance(spec, MetricSpec):
        described |= {
            "higher_is_better": spec.scale.higher_is_better,
            "range": [end if math.isfinite(end) else None for end in (spec.scale.low, spec.scale.high)],
            "backend": spec.backend,
        }
    return described


def _options(options: type[Any]) -> Mapping[str, Any]:
    """Default of each option, None where it has none or makes it anew."""
    return {a.name: _plain(a.default) for a in attrs.fields(options)}


def _plain(value: object) -> Any:
    """A default as JSON can hold it; an infinite one as the text that ``--set`` takes."""
    if isinstance(value, Path) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float) else None


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except Exception:  # noqa: BLE001 - it imports the parents of a dotted name, and whatever they raise, they are no use
        return False


def _origin(point: metadata.EntryPoint) -> tuple[str, str]:
    if point.dist is None:
        return "unknown", "unknown"
    return point.dist.name, point.dist.version


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"
