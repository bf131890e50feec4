"""The files of the day as they stand."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

__all__ = ["rows", "toml", "tomls"]

_HOME: Final = files("overread.hospital.infrastructure.demo_day")


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file of the day by its header."""
    return list(csv.DictReader((_HOME / name).read_text(encoding="utf-8").splitlines()))


def toml(name: str) -> dict[str, Any]:
    """A TOML file of the day."""
    return tomllib.loads((_HOME / name).read_text(encoding="utf-8"))


def tomls(folder: str) -> Mapping[str, Mapping[str, Any]]:
    """The tables of all TOML files in a folder of the day.

    Raises:
        ValueError: if two files have a table of one name.
    """
    merged: dict[str, Mapping[str, Any]] = {}
    for path in sorted((_HOME / folder).iterdir(), key=lambda file: file.name):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        if twice := merged.keys() & tables.keys():
            message = f"{path.name}: {', '.join(sorted(twice))} stand in another file too"
            raise ValueError(message)
        merged.update(tables)
    return merged
