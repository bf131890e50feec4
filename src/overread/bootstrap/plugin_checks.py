"""Checks of plugins as they are installed, or as they lie in a folder, by the checks that `overread.testing` has."""

from __future__ import annotations

import sys
import time
import tomllib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from overread.application.scoring.time_limit import answer_within
from overread.exceptions import ConfigurationError, InputError, OverreadError
from overread.infrastructure.settings import Settings
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import ENTRY_POINT_GROUP, Catalogue, PluginFailure, Registered
from overread.raised import describe_error, is_interrupt
from overread.testing import ConformanceError, check_component

__all__ = ["NO_ANSWER_LIMIT_S", "CheckedComponent", "check_plugin"]

NO_ANSWER_LIMIT_S: Final = 300.0
"""Seconds after which a component is given up; the slowest that come with overread take some twenty."""

_PROJECT: Final = "pyproject.toml"


@frozen(kw_only=True)
class CheckedComponent:
    """A component, or a plugin that offers none that can be used, and what is wrong with it.

    Attributes:
        kind, name: of the component; "" where a plugin did not load, or a name was refused.
        plugin, distribution, version: that it comes from.
        problems: each in one line; none for a component that conforms.
        seconds: that building and checking it took; None where nothing was built.
    """

    kind: str
    name: str
    plugin: str
    distribution: str
    version: str
    problems: tuple[str, ...]
    seconds: float | None = None

    @property
    def conforms(self) -> bool:
        """True if nothing is wrong."""
        return not self.problems


def check_plugin(
    target: str,
    settings: Settings,
    *,
    limit: float = NO_ANSWER_LIMIT_S,
) -> list[CheckedComponent]:
    """Checks every component of a plugin with the options and the other components that the settings choose.

    Args:
        target: name of a plugin or its distribution, a component as KIND:NAME, or the folder of a project, whose
            plugins need not be installed.
        settings: options by kind or by metric, and the other components.
        limit: seconds after which a component is given up.

    Raises:
        ConfigurationError: if there is no such plugin or component, or the settings do not fit.
        InputError: if the folder holds no project with a plugin.
    """
    folder = Path(target).expanduser()
    if folder.is_dir():
        points = _points_of(folder)
        names = {point.name for point in points}
        others = [point for point in metadata.entry_points(group=ENTRY_POINT_GROUP) if point.name not in names]
        catalogue = Catalogue.discover(entry_points=[*points, *others])
        wanted, failures = catalogue.provided_by(names), [f for f in catalogue.failures if f.plugin in names]
    else:
        catalogue = Catalogue.discover()
        wanted, failures = _find(catalogue, target)
    assembly = Assembly(catalogue, settings.choices, settings.options)
    checked = [_failed(failure) for failure in failures]
    checked += [_check(registered, assembly, limit) for registered in wanted]
    return checked


def _find(catalogue: Catalogue, target: str) -> tuple[list[Registered], list[PluginFailure]]:
    kind, colon, name = target.partition(":")
    if colon:
        return [catalogue.find(kind, name)], []
    names = {plugin.name for plugin in catalogue.plugins if target in (plugin.name, plugin.distribution)}
    failures = [failure for failure in catalogue.failures if target in (failure.plugin, failure.distribution)]
    if not names and not failures:
        known = sorted(
            {plugin.name for plugin in catalogue.plugins} | {failure.plugin for failure in catalogue.failures}
        )
        remedy = "give one that is installed, a component as KIND:NAME, or the folder of a project"
        raise ConfigurationError([f"no plugin is named {target!r} (known: {', '.join(known)}); {remedy}"])
    return catalogue.provided_by(names), failures


def _failed(failure: PluginFailure) -> CheckedComponent:
    return CheckedComponent(
        kind="",
        name="",
        plugin=failure.plugin,
        distribution=failure.distribution,
        version=failure.version,
        problems=(failure.problem,),
    )


def _check(registered: Registered, assembly: Assembly, limit: float) -> CheckedComponent:
    started = time.monotonic()
    missing = registered.missing()
    problems = _missing_modules(registered, missing) if missing else _problems(registered, assembly, limit)
    return CheckedComponent(
        kind=registered.kind,
        name=registered.spec.name,
        plugin=registered.plugin.name,
        distribution=registered.plugin.distribution,
        version=registered.plugin.version,
        problems=tuple(problems),
        seconds=None if missing else time.monotonic() - started,
    )


def _missing_modules(registered: Registered, missing: Sequence[str]) -> Sequence[str]:
    how = f"; {registered.spec.install} installs them" if registered.spec.install else ""
    return (f"it needs modules that are not installed: {', '.join(missing)}{how}",)


def _problems(registered: Registered, assembly: Assembly, limit: float) -> Sequence[str]:
    options = assembly.options_for(registered)

    def check() -> None:
        check_component(registered.kind, registered.spec, options=options, components=assembly)

    try:
        overdue = answer_within(check, limit, "overread-check")
    except BaseException as error:
        if is_interrupt(error):
            raise
        return _told(error)
    return (f"it gave no answer within {limit:g} seconds",) if overdue else ()


def _told(error: BaseException) -> Sequence[str]:
    """The problems that an error of a check tells; it was given invented reports alone, so its message may be told."""
    if isinstance(error, ConformanceError):
        return error.problems
    if isinstance(error, OverreadError):
        return (str(error),)
    return (f"it raises {describe_error(error, own=False)}: {error}".removesuffix(": "),)


def _points_of(folder: Path) -> list[metadata.EntryPoint]:
    """The plugins of a project, importable from here on.

    Raises:
        InputError: if the folder holds no project, or one without a plugin.
    """
    file = folder / _PROJECT
    try:
        project: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        points = dict(project["entry-points"][ENTRY_POINT_GROUP])
    except OSError:
        raise InputError(str(folder), f"holds no {_PROJECT}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(str(file), f"is not TOML: {error}") from None
    except (KeyError, TypeError, ValueError):
        remedy = f"name the module in [project.entry-points.{ENTRY_POINT_GROUP}]"
        raise InputError(str(file), "has no entry point of a plugin", remedy=remedy) from None
    source = folder / "src" if (folder / "src").is_dir() else folder
    sys.path.insert(0, str(source.resolve()))
    return [metadata.EntryPoint(name, str(value), ENTRY_POINT_GROUP) for name, value in points.items()]
