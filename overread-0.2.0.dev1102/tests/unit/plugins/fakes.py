"""Fake plugins: modules made on the spot, and entry points that lead to them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from types import ModuleType
from typing import Any, Final

import pytest

from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scale, Scored
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, MetricSpec, NoOptions

SHARE: Final = Scale(0.0, 1.0, higher_is_better=True)


class FakeMetric:
    """Scores every pair alike, and remembers what its factory was given."""

    def __init__(self, options: Any, components: Components) -> None:
        self.options = options
        self.components = components

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        return ()

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [Scored(score=1.0) for _ in pairs]


class FakeComponent:
    """Remembers what its factory was given."""

    def __init__(self, options: Any, components: Components) -> None:
        self.options = options
        self.components = components


def metric(name: str = "share", **fields: Any) -> MetricSpec:
    """A sound metric spec, but for the fields given."""
    values: dict[str, Any] = {
        "version": "1.0",
        "summary": "a share",
        "scale": SHARE,
        "factory": FakeMetric,
        "options": NoOptions,
    }
    return MetricSpec(name=name, **(values | fields))


def component(name: str = "plain", **fields: Any) -> ComponentSpec:
    """A sound component spec, but for the fields given."""
    values: dict[str, Any] = {"version": "1.0", "summary": "plain", "factory": FakeComponent, "options": NoOptions}
    return ComponentSpec(name=name, **(values | fields))


class FakeDistribution(metadata.Distribution):
    """An installed distribution that has a name and a version."""

    def __init__(self, name: str, version: str) -> None:
        self._fields = {"Name": name, "Version": version}

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        return "".join(f"{name}: {value}\n" for name, value in self._fields.items())

    def locate_file(self, path: Any) -> Any:
        raise NotImplementedError(path)


class PluginMaker:
    """Makes plugin modules that vanish after the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def module(self, name: str, **hooks: Callable[..., Any]) -> str:
        """The name of an importable module with these hook implementations."""
        module = ModuleType(name)
        for hook, function in hooks.items():
            setattr(module, hook, hookimpl(function))
        self._monkeypatch.setitem(sys.modules, name, module)
        return name

    def builtin(self, name: str, **hooks: Callable[..., Any]) -> str:
        """A built-in plugin by its module's name; ``name`` stands where the adapter's package stands."""
        return self.module(f"fake_adapters.{name}.plugin", **hooks)

    def point(self, name: str, **hooks: Callable[..., Any]) -> metadata.EntryPoint:
        """The entry point of a third-party plugin, from the distribution ``overread-NAME`` 2.1."""
        return entry_point(name, self.module(f"fake_{name}", **hooks))


def entry_point(name: str, module: str) -> metadata.EntryPoint:
    """An entry point that leads to a module, whether or not there is one."""
    point = metadata.EntryPoint(name=name, value=module, group="overread")
    vars(point).update(dist=FakeDistribution(f"overread-{name}", "2.1"))
    return point
