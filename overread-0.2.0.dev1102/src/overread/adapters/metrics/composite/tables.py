"""Coefficients as files."""

from __future__ import annotations

import hashlib
import math
import tomllib
from pathlib import Path
from typing import Final

from attrs import asdict, field, frozen

from overread.domain.results.composite import CompositeTable, Term
from overread.exceptions import ConfigurationError
from overread.structuring import structure

__all__ = ["load_composite"]

_NAME: Final = "composite"


@frozen(kw_only=True)
class _Coefficients:
    """A file: the values of a `CompositeTable`, and its terms as tables, each [[term]]."""

    higher_is_better: bool
    intercept: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    terms: tuple[Term, ...] = field(default=(), metadata={"setting": "term"})

    def __attrs_post_init__(self) -> None:
        if any(term.metric.partition(":")[0] == _NAME for term in self.terms):
            raise ValueError("a composite cannot hold a composite")

    def table(self, name: str) -> CompositeTable:
        """The coefficients under a name. Raises `ValueError` if they are no sum."""
        return CompositeTable(name=name, **asdict(self, recurse=False))


def load_composite(path: Path) -> tuple[CompositeTable, str]:
    """The table of a .toml file, and its identity.

    Raises:
        ConfigurationError: naming the file, the key and what is wrong with it.
    """
    try:
        content = path.expanduser().read_bytes()
        read = tomllib.loads(content.decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError([f"composite: {path} cannot be read ({type(error).__name__})"]) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError([f"composite: {path} is not TOML: {error}"]) from error
    coefficients = structure(_Coefficients, read, f"composite: {path}: ")
    try:
        table = coefficients.table(path.stem)
    except ValueError as error:
        raise ConfigurationError([f"composite: {path}: {error}"]) from error
    return table, f"{path.stem}#{hashlib.sha256(content).hexdigest()[:8]}"
