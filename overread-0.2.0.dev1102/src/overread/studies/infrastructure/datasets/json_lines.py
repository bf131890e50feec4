"""Data sets of overread's own as JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from overread.exceptions import InputError
from overread.tables.json_lines import read_values
from overread.tables.opening import checked_path, open_binary

__all__ = ["LineFaultError", "read_json_lines"]


class LineFaultError(ValueError):
    """A line breaks a rule; the message says which, and quotes nothing of the line."""


T = TypeVar("T")


def read_json_lines(path: Path, build: Callable[[Any], T], *, problem: str, remedy: str) -> Iterator[T]:
    """Yields what ``build`` makes of each line that is not blank, in order.

    Args:
        path: UTF-8 text.
        build: raises ValueError, KeyError, TypeError or AttributeError for what it cannot use; the message of a
            `LineFaultError` is passed on.
        problem: description of a line that cannot be used.
        remedy: what to do about it.

    Raises:
        InputError: if the file cannot be read, or naming the first line that cannot be used.
    """
    checked_path(path)
    with open_binary(path) as stream:
        for line in read_values(path, stream):
            if line.problem:
                fault = f"{problem}: {line.problem}" if line.repeated is None else line.problem
                raise InputError(str(path), fault, row=line.number, remedy=remedy)
            try:
                built = build(line.value)
            except LineFaultError as error:
                raise InputError(str(path), f"{problem}: {error}", row=line.number, remedy=remedy) from None
            except (ValueError, KeyError, TypeError, AttributeError):
                raise InputError(str(path), problem, row=line.number, remedy=remedy) from None
            yield built
