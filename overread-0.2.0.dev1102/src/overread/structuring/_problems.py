"""Problems with values of settings, and the settings that they concern."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from typing import Any, Final

from attrs import define, field
from cattrs.errors import StructureHandlerNotFoundError

from overread.exceptions import ConfigurationError
from overread.structuring._written import Written

__all__ = ["LONGEST", "Gathering", "Problem", "UnfitError", "given_value", "named_problems", "unknown_name"]

Problem = tuple[str, str]
"""Where within a table it is, for example ".limits.hosts[1]", and what follows that place in a sentence."""

LONGEST: Final = 60
"""Characters of a text that is repeated in a message."""

_QUOTED: Final = re.compile(r"'(\w+)'")
_FIRST: Final = re.compile(r"'?(\w+)'?")


class UnfitError(ValueError):
    """Values that settings cannot have."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{where}{what}" for where, what in self.problems))


@define
class Gathering:
    """Problems of the parts of a table, all of which are looked at."""

    problems: list[Problem] = field(factory=list)

    @contextmanager
    def at(self, step: str) -> Iterator[None]:
        """Keeps what is wrong with a part of the table, for example ".hosts", and goes on behind it."""
        try:
            yield
        except UnfitError as error:
            self.problems += [(f"{step}{where}", what) for where, what in error.problems]
        except ConfigurationError as error:
            self.problems += [(step, f" {problem}") for problem in error.problems]
        except StructureHandlerNotFoundError:
            self.problems.append((step, " is declared with a type that no setting can have"))
        except ValueError as error:
            self.problems.append((step, f" {error}"))

    def check(self) -> None:
        """Raises `UnfitError` if there are problems."""
        if self.problems:
            raise UnfitError(self.problems)

    def tell(self, place: str = "") -> None:
        """Raises `ConfigurationError` if there are problems, with the table's own place before each."""
        lines = [f"{where}{what}" for where, what in self.problems]
        stand_alone = not place or place.endswith(" ")
        if lines:
            raise ConfigurationError([place + (line.lstrip(".: ") if stand_alone else line) for line in lines])


def given_value(value: object) -> str:
    """A value for a message; a long one, or one that is made of others, by its kind."""
    if isinstance(value, Written):
        return repr(str(value)) if len(value) <= LONGEST else f"{len(value)} characters"
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= LONGEST else f"a text of {len(value)} characters"
    if value is None or isinstance(value, Real):
        return repr(value)
    if isinstance(value, Mapping):
        return "a table"
    return "a list" if isinstance(value, list | tuple | set | frozenset) else type(value).__name__


def unknown_name(name: str, known: Collection[str]) -> str:
    """The words that follow a name in a message if no setting has it; they suggest the nearest known name."""
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f" is not a setting{meant} (known: {', '.join(known) or 'none'})"


def named_problems(error: Exception, names: Collection[str]) -> Iterator[tuple[str, Problem]]:
    """Problems that a class found with its own values, each with the setting that it is of, "" if it names none.

    Args:
        error: that the class raised; its problems begin with a setting's name, or have it in quotes as attrs has.
        names: of the settings.
    """
    texts = error.problems if isinstance(error, ConfigurationError) else [_text(error)]
    for text in texts:
        first, quoted = _FIRST.match(text), _QUOTED.search(text)
        if first is not None and first[1] in names:
            yield first[1], (f".{first[1]}", text[first.end() :])
        elif quoted is not None and quoted[1] in names:
            yield quoted[1], (f".{quoted[1]}", f": {text}")
        else:
            yield "", ("", f": {text}")


def _text(error: Exception) -> Any:
    return error.args[0] if error.args else type(error).__name__
