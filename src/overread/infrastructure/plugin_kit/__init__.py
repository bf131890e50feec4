"""The beginning of a plugin: the repository of a small one that works, for its author to change."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

from attrs import frozen
from jinja2 import Environment, PackageLoader, StrictUndefined

from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.whole_files import write_whole
from overread.plugins.builtins import BUILTIN_PLUGINS
from overread.plugins.specs import KINDS

__all__ = ["WrittenPlugin", "plugin_files", "write_plugin"]

_NAME: Final = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")

_PORTS: Final[Mapping[str, str]] = {
    "metric": "Metric",
    "extractor": "UnitExtractor",
    "recognizer": "EntityRecognizer",
    "encoder": "TextEncoder",
    "aligner": "Aligner",
    "second_reader": "SecondReader",
    "readout": "Readout",
    "error_counter": "ErrorCounter",
    "judge": "Judge",
    "model": "LanguageModel",
}

_METRICS: Final[Mapping[str, str]] = {
    "extractor": "notation",
    "recognizer": "ratescore",
    "encoder": "ratescore",
    "aligner": "notation",
    "second_reader": "notation",
    "readout": "radot",
    "error_counter": "crepe",
    "judge": "judge",
    "model": "green",
}
"""A metric that uses a component of each kind."""

_FILES: Final[Mapping[str, str]] = {
    ".github/workflows/check.yml": "check.yml.j2",
    ".gitignore": "gitignore.j2",
    "CHANGELOG.md": "changelog.md.j2",
    "LICENSE": "LICENSE.j2",
    "README.md": "README.md.j2",
    "pyproject.toml": "pyproject.toml.j2",
    "src/{module}/__init__.py": "init.py.j2",
    "src/{module}/plugin.py": "kinds/{kind}/plugin.py.j2",
    "tests/test_plugin.py": "kinds/{kind}/test.py.j2",
}
"""Templates by the file that each becomes."""


@frozen(kw_only=True)
class WrittenPlugin:
    """A repository that was written.

    Attributes:
        folder: of the repository.
        files: in it.
        code: the module that implements the hook.
    """

    folder: Path
    files: tuple[Path, ...]
    code: Path


def plugin_files(name: str, kind: str, *, author: str = "") -> dict[str, str]:
    """Text of each file of a new plugin's repository by its place in it.

    Raises:
        ConfigurationError: if there is no such kind, or the name can be that of no package.
    """
    problems = []
    if kind not in KINDS:
        problems.append(f"no kind {kind!r}; a plugin can offer {', '.join(KINDS)}")
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        problems.append(f"{name!r} cannot name a plugin: lower case letters and digits, joined by - or _")
    if name in KINDS:
        problems.append(f"{name!r} is the name of a kind of component; choose another")
    if any((kind, name) in provided for provided in BUILTIN_PLUGINS.values()):
        problems.append(f"{kind.replace('_', ' ')} {name!r} is built in and cannot be replaced; choose another name")
    if problems:
        raise ConfigurationError(problems)
    module = f"overread_{name.replace('-', '_')}"
    values = {
        "name": name,
        "kind": kind,
        "kind_words": "language model" if kind == "model" else kind.replace("_", " "),
        "module": module,
        "distribution": _distribution(name),
        "hook": KINDS[kind],
        "port": _PORTS[kind],
        "identity": "signature_parts" if kind == "metric" else "identity",
        "usage": _usage(kind),
        "example": _example(name, kind),
        "author": author,
        "holder": author or f"the authors of {_distribution(name)}",
        "overread_version": version("overread"),
    }
    environment = Environment(  # noqa: S701 - Python and TOML are written, no HTML
        loader=PackageLoader("overread.infrastructure.plugin_kit"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    files = {
        place.format(module=module): environment.get_template(template.format(kind=kind)).render(values)
        for place, template in _FILES.items()
    }
    return files | {f"src/{module}/py.typed": ""}


def write_plugin(name: str, kind: str, folder: Path | None = None, *, author: str = "") -> WrittenPlugin:
    """Writes the repository of a new plugin.

    Args:
        name: of the metric or component.
        kind: of component, as in `overread.plugins.specs.KINDS`.
        folder: to write to, ``overread-NAME`` in the working folder where None; it may be there, if it is empty.
        author: named in the licence and the package's metadata; "" for nobody.

    Raises:
        ConfigurationError: as `plugin_files`.
        InputError: if there is anything in the folder, or it cannot be written.
    """
    files = plugin_files(name, kind, author=author)
    place = Path(_distribution(name)) if folder is None else folder
    if place.exists() and not (place.is_dir() and not any(place.iterdir())):
        raise InputError(str(place), "is there already", remedy="name another as `folder`")
    for relative, text in files.items():
        file = place / relative
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(file.parent), f"cannot be made ({type(error).__name__})") from error
        write_whole(file, text)
    code = next(relative for relative in files if relative.endswith("/plugin.py"))
    return WrittenPlugin(folder=place, files=tuple(place / relative for relative in files), code=place / code)


def _distribution(name: str) -> str:
    return f"overread-{name.replace('_', '-')}"


def _usage(kind: str) -> str:
    if kind == "metric":
        return "Score with it:"
    return f"Score with it, for example by `{_METRICS[kind]}`:"


def _example(name: str, kind: str) -> str:
    one, other = "'Small left effusion.'", "'Small right effusion.'"
    if kind == "metric":
        return f"overread score --reference-text {one} --candidate-text {other} -m {name}"
    return f"overread score --reference-text {one} --candidate-text {other} -m {_METRICS[kind]} --set {kind}={name}"
