"""Data sets of overread's own as JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from overread.domain.json_text import RepeatedKeyError, parse_json
from overread.exceptions import InputError

__all__ = ["read_json_lines"]

T = TypeVar("T")


def read_json_lines(path: Path, build: Callable[[Any], T], *, problem: str, remedy: str) -> Iterator[T]:
    """What ``build`` makes of each line that is not blank, in order.

    Args:
        path: UTF-8 text.
        build: raises ValueError, KeyError, TypeError or AttributeError for what it cannot use.
        problem: what a line is that cannot be used, in words.
        remedy: what to do about it.

    Raises:
        InputError: if the file cannot be read, or naming the first line that cannot be used.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), "cannot be read", remedy=remedy) from error
    for row, line in enumerate(lines, start=1):
        if line.strip():
            try:
                built = build(parse_json(line))
            except RepeatedKeyError as error:
                raise InputError(str(path), str(error), row=row, remedy=remedy) from None
            except (ValueError, KeyError, TypeError, AttributeError):
                raise InputError(str(path), problem, row=row, remedy=remedy) from None
            yield built
