"""Coefficients as files."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from overread.domain.results.composite import CompositeTable, Term
from overread.exceptions import ConfigurationError

__all__ = ["load_composite"]

_TABLE: Final[Mapping[str, type]] = {
    "higher_is_better": bool,
    "intercept": float,
    "low": float,
    "high": float,
    "term": list,
}
_TERM: Final[Mapping[str, type]] = {
    "metric": str,
    "coefficient": float,
    "number": str,
    "mean": float,
    "deviation": float,
}
_NEEDED: Final = ("higher_is_better", "metric", "coefficient")
_WORDS: Final = {bool: "true or false", float: "a number", str: "text in quotation marks", list: "[[term]]"}
_NAME: Final = "composite"


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
    terms = read.get("term", [])
    problems = _problems(read, _TABLE)
    for place, term in enumerate(terms if isinstance(terms, list) else (), start=1):
        term_problems = _problems(term, _TERM) if isinstance(term, dict) else ["it must be a table, [[term]]"]
        problems += [f"term {place}: {problem}" for problem in term_problems]
    if not problems:
        try:
            table = CompositeTable(
                name=path.stem,
                terms=[Term(**term) for term in terms],
                **{name: value for name, value in read.items() if name != "term"},
            )
        except ValueError as error:
            problems = [str(error)]
        else:
            return table, f"{path.stem}#{hashlib.sha256(content).hexdigest()[:8]}"
    raise ConfigurationError([f"composite: {path}: {problem}" for problem in problems])


def _problems(given: Mapping[str, Any], kinds: Mapping[str, type]) -> list[str]:
    problems = [f"{name} is missing" for name in kinds if name in _NEEDED and name not in given]
    for name, value in given.items():
        if name not in kinds:
            problems.append(f"{name} has no meaning (known: {', '.join(kinds)})")
        elif not _is(value, kinds[name]):
            problems.append(f"{name} must be {_WORDS[kinds[name]]}")
    metric = str(given.get("metric", ""))
    if metric.partition(":")[0] == _NAME:
        problems.append("a composite cannot hold a composite")
    return problems


def _is(value: object, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind)
