"""Prompt files: those that come with overread, and a user's own."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from importlib import resources
from pathlib import Path
from typing import Any, Final

from overread.application.asking.prompt import Prompt
from overread.exceptions import ConfigurationError

__all__ = ["load_prompt", "own_text", "toml_table"]

_KEYS: Final = frozenset({"name", "version", "system", "user"})


def load_prompt(name: str, path: str | None = None, *, places: Collection[str] = ("reference", "candidate")) -> Prompt:
    """The prompt of a name that comes with overread, or the one in a user's file.

    A ``.toml`` file has the keys name, version, user and, if there is a system turn, system. Any other file is the user
    turn as it stands; its name is the file's, its version "file".

    Args:
        name: of a packaged prompt, for example "green".
        path: a user's file to take instead.
        places: names that must stand between braces somewhere in the prompt.

    Raises:
        ConfigurationError: naming the file and what is wrong with it.
    """
    if path is None:
        source = f"prompt {name!r}"
        text = resources.files(__package__).joinpath("data", f"{name}.toml").read_text(encoding="utf-8")
        prompt = _from_toml(source, text)
    else:
        source, file = path, Path(path).expanduser()
        text = own_text(f"prompt file {file}", file)
        prompt = _from_toml(source, text) if file.suffix.lower() == ".toml" else Prompt(file.stem, "file", text)
    missing = sorted(set(places) - prompt.places)
    if missing:
        listed = ", ".join(f"{{{place}}}" for place in missing)
        raise ConfigurationError([f"{source} has no place {listed}; write it where that text belongs"])
    return prompt


def own_text(source: str, file: Path) -> str:
    """The text of a user's file. Raises `ConfigurationError` with the file as ``source`` names it."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError([f"{source} cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError([f"{source} is not UTF-8 text"]) from error


def toml_table(source: str, text: str) -> dict[str, Any]:
    """Parse TOML. Raises `ConfigurationError` with its file as ``source`` names it."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError([f"{source} is not TOML: {error}"]) from error


def _from_toml(source: str, text: str) -> Prompt:
    table = toml_table(source, text)
    problems = [f"{source}: unknown key {key!r}" for key in sorted(table.keys() - _KEYS)]
    problems += [f"{source}: {key} must be text" for key, value in table.items() if not isinstance(value, str)]
    problems += [f"{source}: {key} is missing" for key in ("name", "version", "user") if key not in table]
    if problems:
        raise ConfigurationError(problems)
    return Prompt(table["name"], table["version"], table["user"], table.get("system", ""))
