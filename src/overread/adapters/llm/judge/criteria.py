"""Criteria: what makes a difference of each aspect significant, for the second pass of a judge."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from overread.domain.taxonomy import ErrorAspect
from overread.exceptions import ConfigurationError

__all__ = ["Criteria", "load_criteria"]

_KEYS: Final = frozenset({"version", "criteria"})


@frozen
class Criteria:
    """A paragraph for each of the twelve aspects."""

    version: str
    by_aspect: Mapping[ErrorAspect, str] = field(repr=False)

    @property
    def identity(self) -> str:
        """Version, and the first 12 digits of the SHA-256 of all paragraphs."""
        wording = json.dumps([self.by_aspect[aspect] for aspect in ErrorAspect])
        return f"criteria@{self.version}:{hashlib.sha256(wording.encode()).hexdigest()[:12]}"


def load_criteria(path: str | None = None) -> Criteria:
    """The criteria that come with overread, or those in a user's TOML file.

    The file has a ``version`` and a table ``criteria`` with a paragraph under each aspect's name, for example
    ``"Size/Distance" = "..."``.

    Raises:
        ConfigurationError: naming the file and everything that is wrong with it.
    """
    source = path or "criteria"
    table = _table(source, _text(path))
    problems = [f"{source}: unknown key {key!r}" for key in sorted(table.keys() - _KEYS)]
    written = table.get("criteria")
    if not isinstance(table.get("version"), str):
        problems.append(f"{source}: version is missing or no text")
    if not isinstance(written, dict):
        raise ConfigurationError([*problems, f"{source}: the table [criteria] is missing"])
    names = {aspect.value for aspect in ErrorAspect}
    problems += [f"{source}: {name!r} is no aspect" for name in sorted(written.keys() - names)]
    problems += [
        f"{source}: {aspect.value!r} has no paragraph"
        for aspect in ErrorAspect
        if not isinstance(text := written.get(aspect.value), str) or not text.strip()
    ]
    if problems:
        raise ConfigurationError(problems)
    return Criteria(table["version"], {aspect: written[aspect.value].strip() for aspect in ErrorAspect})


def _text(path: str | None) -> str:
    if path is None:
        return resources.files(__package__).joinpath("data", "criteria.toml").read_text(encoding="utf-8")
    try:
        return Path(path).expanduser().read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError([f"criteria file {path} cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError([f"criteria file {path} is not UTF-8 text"]) from error


def _table(source: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError([f"{source} is not TOML: {error}"]) from error
