"""Coefficients as files."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any, Final

from attrs import fields
from cattrs import Converter
from cattrs.errors import BaseValidationError

from overread.domain.composite import CompositeTable, Term
from overread.exceptions import ConfigurationError

__all__ = ["load_composite"]

_FORM: Final = (
    "it must have higher_is_better = true or false, perhaps intercept, low and high, and [[term]] with metric and "
    "coefficient, perhaps number, mean and deviation"
)


def load_composite(path: Path) -> tuple[CompositeTable, str]:
    """The table of a .toml file, and its identity.

    Raises:
        ConfigurationError: naming the file and what is wrong with it.
    """
    try:
        content = path.expanduser().read_bytes()
        table = _structured(path.stem, tomllib.loads(content.decode("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError([f"composite: {path} cannot be read as TOML ({type(error).__name__})"]) from error
    except (BaseValidationError, TypeError, ValueError) as error:
        told = f"{error}; " if isinstance(error, ValueError) else ""
        raise ConfigurationError([f"composite: {path} holds no coefficients: {told}{_FORM}"]) from error
    return table, f"{path.stem}#{hashlib.sha256(content).hexdigest()[:8]}"


def _structured(name: str, read: dict[str, Any]) -> CompositeTable:
    terms = read.pop("term", None)
    known = {each.name for each in fields(CompositeTable)} - {"name", "terms"}
    if strange := sorted(read.keys() - known):
        raise ValueError(f"{', '.join(strange)} has no meaning")
    if not isinstance(terms, list):
        raise ValueError("[[term]] is missing")  # noqa: TRY004 - it is told with what else is wrong with a file
    return _CONVERTER.structure({**read, "name": name, "terms": terms}, CompositeTable)


def _number(value: Any, _: type[float]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("not a number")
    return float(value)


def _truth(value: Any, _: type[bool]) -> bool:
    if not isinstance(value, bool):
        raise TypeError("not true or false")
    return value


def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True, detailed_validation=False)
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook(bool, _truth)
    converter.register_structure_hook(Term, lambda value, _: _term(converter, value))
    return converter


def _term(converter: Converter, value: Any) -> Term:
    if not isinstance(value, dict):
        raise TypeError("no term")
    numbers = {name: value[name] for name in value.keys() - {"metric", "number"}}
    if strange := sorted(numbers.keys() - {"coefficient", "mean", "deviation"}):
        raise ValueError(f"{', '.join(strange)} of a term has no meaning")
    if not all(isinstance(value.get(name, ""), str) for name in ("metric", "number")):
        raise ValueError("metric and number of a term are words")
    if "metric" not in value or "coefficient" not in value:
        raise ValueError("a term needs metric and coefficient")
    return Term(
        metric=value["metric"],
        number=value.get("number", "score"),
        **{name: converter.structure(number, float) for name, number in numbers.items()},
    )


_CONVERTER: Final = _converter()
