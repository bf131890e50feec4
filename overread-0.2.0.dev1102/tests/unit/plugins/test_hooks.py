"""The hooks themselves: what a plugin author relies on."""

from __future__ import annotations

import inspect
from typing import Any

import pluggy
import pytest

from overread.plugins import hookspecs
from overread.plugins.catalogue import Catalogue
from overread.plugins.specs import KINDS

from .fakes import PluginMaker, component, metric

_HOOKS = {name: hook for name, hook in vars(hookspecs).items() if name.startswith("overread_")}


def test_every_kind_has_a_hook_and_every_hook_a_kind() -> None:
    """No hook is left uncalled, and no kind is out of a plugin's reach."""
    assert sorted(KINDS.values()) == sorted(_HOOKS)


def test_pluggy_knows_every_hook() -> None:
    """A function without the marker would be an ordinary function that no plugin can implement."""
    manager = pluggy.PluginManager("overread")
    manager.add_hookspecs(hookspecs)
    known = {caller.name for caller in vars(manager.hook).values() if caller.spec is not None}
    assert known == set(_HOOKS)


@pytest.mark.parametrize("kind", KINDS)
def test_hook_is_documented_with_the_port_it_serves(kind: str) -> None:
    """The docstring names a port that is there."""
    from overread.application import ports  # noqa: PLC0415 - only this test looks at ports

    text = inspect.getdoc(_HOOKS[KINDS[kind]])
    assert text is not None
    port = text.partition("`overread.application.ports.")[2].partition("`")[0]
    assert port in ports.__all__


@pytest.mark.parametrize("kind", KINDS)
def test_hook_takes_no_argument_and_lists_the_kind_of_spec(kind: str) -> None:
    """A hook lists; it is told nothing. Its annotation says which spec it lists."""
    signature = inspect.signature(_HOOKS[KINDS[kind]])
    assert not signature.parameters
    expected = "MetricSpec" if kind == "metric" else "ComponentSpec"
    assert signature.return_annotation == f"Iterable[{expected}]"


@pytest.mark.parametrize("kind", KINDS)
def test_hook_leads_into_the_catalogue(kind: str, make: PluginMaker) -> None:
    """What a plugin lists by a hook is found under the hook's kind, whether built in or not."""
    spec: Any = metric("listed") if kind == "metric" else component("listed")
    other: Any = metric("added") if kind == "metric" else component("added")
    catalogue = Catalogue.discover(
        builtins=[make.builtin("first", **{KINDS[kind]: lambda: [spec]})],
        entry_points=[make.point("second", **{KINDS[kind]: lambda: [other]})],
    )
    assert catalogue.failures == []
    assert [registered.spec for registered in catalogue.of(kind)] == [other, spec]
    assert [catalogue.find(kind, name).plugin.name for name in ("listed", "added")] == ["first", "second"]
