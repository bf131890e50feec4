"""The files of the month as they stand."""

from __future__ import annotations

import csv
import io
import tomllib
from importlib.resources import files
from typing import Any, Final

__all__ = ["rows", "toml"]

_HOME: Final = files("overread.hospital.infrastructure.demo_month")


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file of the month by its header; cells may have several lines."""
    return list(csv.DictReader(io.StringIO((_HOME / name).read_text(encoding="utf-8"), newline="")))


def toml(name: str) -> dict[str, Any]:
    """A TOML file of the month."""
    return tomllib.loads((_HOME / name).read_text(encoding="utf-8"))
