"""Environment that scores are made in: Python, the machine, and the versions of overread and of what it uses."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, entry_points
from typing import Final

from attrs import field, frozen
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import NormalizedName, canonicalize_name

__all__ = ["Environment", "installed_environment", "pinned_requirements"]

_BESIDE: Final = frozenset({"dev", "docs", "evaluate", "inspect", "lm-eval", "mlflow", "pytest", "wandb"})
"""Extras that have no part in scores."""
_PLUGINS: Final = "overread"
"""Group of entry points that plugins register in."""


@frozen(kw_only=True)
class Environment:
    """Versions of what makes scores.

    Attributes:
        python: its version.
        platform: operating system and processor, for example "Linux x86_64".
        packages: version of each by its name: overread, its plugins, and what they require and is installed.
    """

    python: str = ""
    platform: str = ""
    packages: Mapping[str, str] = field(factory=dict)

    def changes(self, now: Environment) -> Iterator[tuple[str, str, str]]:
        """Yields what is of another version now: its name, the version of then and that of now, "" for none."""
        if self.python != now.python:
            yield "Python", self.python, now.python
        if self.platform != now.platform:
            yield "platform", self.platform, now.platform
        for name in sorted({*self.packages, *now.packages}):
            then, installed = self.packages.get(name, ""), now.packages.get(name, "")
            if then != installed:
                yield name, then, installed


@cache
def installed_environment() -> Environment:
    """The environment of this process."""
    plugins = (entry.dist.name for entry in entry_points(group=_PLUGINS) if entry.dist is not None)
    roots = {canonicalize_name(name) for name in ("overread", *plugins)}
    packages: dict[str, str] = {}
    waiting = sorted(roots)
    while waiting:
        name = waiting.pop()
        if name in packages:
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        packages[name] = found.version
        waiting += _required(found, extras=name in roots)
    system = f"{platform.system()} {platform.machine()}".strip()
    return Environment(python=platform.python_version(), platform=system, packages=dict(sorted(packages.items())))


def _required(found: Distribution, *, extras: bool) -> Iterator[NormalizedName]:
    """Names of what a distribution requires here; of overread and its plugins also for extras that scores may need."""
    chosen = ["", *(found.metadata.get_all("Provides-Extra") or ())] if extras else [""]
    for line in found.requires or ():
        try:
            required = Requirement(line)
        except InvalidRequirement:
            continue
        marker = required.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in chosen if extra not in _BESIDE):
            yield canonicalize_name(required.name)


def pinned_requirements(environment: Environment) -> str:
    """The packages as a requirements file that pip reads, with the Python that they were used with in a comment."""
    lines = [f"{name}=={version}" for name, version in environment.packages.items()]
    return "\n".join([f"# Python {environment.python} on {environment.platform}", *lines, ""])
