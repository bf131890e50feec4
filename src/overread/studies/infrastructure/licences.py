"""Licences of installed distributions, by their own metadata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from textwrap import shorten
from typing import Final

__all__ = ["licence_of", "module_licences", "stated_licence"]

_LONGEST: Final = 60


def stated_licence(package: Distribution) -> str:
    """The licence that a distribution states, in one line; "not stated" if it does not."""
    meta = package.metadata
    named = {name: str(meta[name]) for name in ("License-Expression", "License") if name in meta}
    classified = [line.rpartition(" :: ")[2] for line in meta.get_all("Classifier") or () if line.startswith("License")]
    stated = (named.get("License-Expression") or "; ".join(classified) or named.get("License", "")).strip()
    return shorten(stated.splitlines()[0], _LONGEST, placeholder=" ...") if stated else "not stated"


def licence_of(name: str) -> str:
    """The licence of a distribution by its name; "not installed" if there is none."""
    try:
        return stated_licence(distribution(name))
    except PackageNotFoundError:
        return "not installed"


def module_licences(modules: Iterable[str]) -> list[str]:
    """Each distribution that modules come from, and its licence; of what is not installed, the module."""
    names = (name for module in modules for name in sorted(set(_providers().get(module, (module,)))))
    return [f"{name}: {licence_of(name)}" for name in names]


@cache
def _providers() -> Mapping[str, Sequence[str]]:
    """Distributions by the modules that they provide: finding them reads every installed one."""
    return packages_distributions()
